#include "rig.h"
#include "lib.h"

#include <stdlib.h>

#define N 1300

int main(int argc, char **argv)
{
    float data[N];
    unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : N;
    vec a, c, t;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, n);
    rig_fill(data, N, 3);
    vec_new(&c, data, n);
    rig_fill(data, N, 4);
    vec_new(&t, data, n);

#pragma kfuse(a, t, c)
    {
        vec_square(&t, &a);
        vec_add(&c, &t, &a);
    }

    vec_show("t", &t);
    vec_show("c", &c);
    vec_free(&a);
    vec_free(&c);
    vec_free(&t);
    vec_stop();
    return 0;
}
