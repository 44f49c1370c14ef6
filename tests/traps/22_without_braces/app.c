#include "rig.h"
#include "lib.h"

#include <stdlib.h>

#define N 300

int main(int argc, char **argv)
{
    float data[N];
    vec a, b, c, t;
    int k;

    (void)argv;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    rig_fill(data, N, 2);
    vec_new(&b, data, N);
    rig_fill(data, N, 3);
    vec_new(&c, data, N);
    rig_fill(data, N, 4);
    vec_new(&t, data, N);

    if (argc > 1)
#pragma kfuse(a, t, c)
    {
        vec_square(&t, &a);
        vec_add(&c, &t, &a);
    }
    else
#pragma kfuse(a, t, c)
    {
        vec_root(&t, &a);
        vec_root(&c, &t);
    }
    for (k = 0; k < 2; k++)
#pragma kfuse(b, c)
    {
        vec_add(&b, &b, &c);
        vec_root(&b, &b);
    }
    switch (argc) {
    case 1:
#pragma kfuse(b, t)
    {
        vec_square(&b, &b);
        vec_add(&t, &b, &t);
    }
    break;
    default:
        vec_root(&t, &b);
    }

    vec_show("b", &b);
    vec_show("t", &t);
    vec_show("c", &c);
    vec_free(&a);
    vec_free(&b);
    vec_free(&c);
    vec_free(&t);
    vec_stop();
    return 0;
}
