#include "rig.h"
#include "lib.h"

#define N 64

int main(void)
{
    vec x, t, y;

    vec_start();
    vec_new(&x, N, 1);
    vec_new(&t, N, 2);
    vec_new(&y, N, 3);

#pragma kfuse(x, t, y)
    {
        produce(&t, &x);
        consume(&y, &t);
    }

    vec_show("x", &x);
    vec_show("t", &t);
    vec_show("y", &y);
    vec_free(&x);
    vec_free(&t);
    vec_free(&y);
    vec_stop();
    return 0;
}
