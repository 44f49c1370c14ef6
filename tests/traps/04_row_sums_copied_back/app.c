#include "rig.h"
#include "lib.h"

#define N 64

int main(void)
{
    vec x, t;

    vec_start();
    vec_new(&x, N, 1);
    vec_new(&t, N, 2);

#pragma kfuse(x, t)
    {
        produce(&t, &x);
        consume(&x, &t);
    }

    vec_show("x", &x);
    vec_show("t", &t);
    vec_free(&x);
    vec_free(&t);
    vec_stop();
    return 0;
}
