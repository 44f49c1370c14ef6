#include "rig.h"
#include "lib.h"

#include <stdlib.h>

#define N 64

static void work(vec *y, vec *t, const vec *x, int n, int m)
{
#pragma kfuse(x, t, y)
    {
        produce(t, x, n);
        consume(y, t, m);
    }
}

/* The lengths that the two kernels get are given on the command line. */
int main(int argc, char **argv)
{
    const int n = argc > 2 ? atoi(argv[1]) : N, m = argc > 2 ? atoi(argv[2]) : N;
    vec x, t, y;

    vec_start();
    vec_new(&x, N, 1);
    vec_new(&t, N, 2);
    vec_new(&y, N, 3);
    work(&y, &t, &x, n, m);
    vec_show("x", &x);
    vec_show("t", &t);
    vec_show("y", &y);
    vec_free(&x);
    vec_free(&t);
    vec_free(&y);
    vec_stop();
    return 0;
}
