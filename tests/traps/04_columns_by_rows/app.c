#include "rig.h"
#include "lib.h"

#define N 64 /* items: each has a row of eight */

int main(void)
{
    vec x, t, y;

    vec_start();
    vec_new(&x, 8 * N, 1);
    vec_new(&t, 8 * N, 2);
    vec_new(&y, 8 * N, 3);

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
