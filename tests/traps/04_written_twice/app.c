#include "rig.h"
#include "lib.h"

#define N 64

int main(void)
{
    vec x, z, y;

    vec_start();
    vec_new(&x, N, 1);
    vec_new(&z, N, 2);
    vec_new(&y, N, 3);

#pragma kfuse(x, z, y)
    {
        produce(&y, &x);
        consume(&y, &z);
    }

    vec_show("y", &y);
    vec_free(&x);
    vec_free(&z);
    vec_free(&y);
    vec_stop();
    return 0;
}
