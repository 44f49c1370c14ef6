#include "vec.h"
#include <stdio.h>

/* FILE */

static void show(const float *data)
{
    printf("%g %g\n", data[0], data[N - 1]);
}

static void step(int again)
{
    float data[N];
    vec a, b, c;

    vec_new(&a, N, 2);
    vec_new(&b, N, 3);
    vec_new(&c, N, 4);
    /* BEFORE */
#pragma kfuse(b, t, c)
    {
        vec_square(&t, &b);
        vec_add(&c, &b, &t);
    }
    /* AFTER */
    vec_get(&a, data);
    show(data);
    vec_get(&c, data);
    show(data);
    vec_free(&a);
    vec_free(&b);
    vec_free(&c);
}

int main(void)
{
    vec_start();
    step(0);
    step(1);
    return 0;
}
