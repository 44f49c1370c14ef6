#include "rig.h"
#include "lib.h"
#include <stdio.h>

#define N 100

int main(int argc, char **argv)
{
    float data[N];
    vec a, c, d, p, q, t;

    (void)argv; (void)argc;
    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    vec_new(&c, data, N);
    vec_new(&d, data, N);
    vec_new(&p, data, N);
    vec_new(&q, data, N);
    vec_new(&t, data, N);

    {
#pragma kfuse(a, out(c, d))
        {
            vec_square(&t, &a);
            vec_shift(&d, &t);
            vec_scale(&p, &t, 2.0f);
            vec_add(&c, &p, &a);
        }
    }


    vec_show("a", &a);
    vec_show("c", &c);
    vec_show("d", &d);
    vec_show("q", &q);
    vec_stop();
    return 0;
}
