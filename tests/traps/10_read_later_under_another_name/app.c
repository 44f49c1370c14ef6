#include "rig.h"
#include "lib.h"
#include <stdio.h>

#define N 100
static void step(vec *a, vec *t, vec *u, vec *d, vec *x, vec *b, vec *e)
{
#pragma kfuse(a)
    {
        vec_square(t, a);
        vec_root(u, t);
        vec_shift(d, u);
        vec_shift(e, x);
        vec_scale(t, b, 2.0f);
    }
}

int main(int argc, char **argv)
{
    float data[N];
    vec a, t, u, d, x, b, e;

    (void)argv; (void)argc;
    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    vec_new(&t, data, N);
    vec_new(&u, data, N);
    vec_new(&d, data, N);
    vec_new(&x, data, N);
    vec_new(&b, data, N);
    vec_new(&e, data, N);
if (argc > 1) x = t;
step(&a,&t,&u,&d,&x,&b,&e);


    vec_show("a", &a);
    vec_show("u", &u);
    vec_show("d", &d);
    vec_show("x", &x);
    vec_show("b", &b);
    vec_show("e", &e);
    vec_stop();
    return 0;
}
