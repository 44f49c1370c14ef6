#include "rig.h"
#include "lib.h"

#include <stdio.h>
#include <stdlib.h>

/* run with the length of a: t has 300 elements */
int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? atoi(argv[1]) : 300;
    float data[400];
    vec a, t, c;
    cl_int err = 0;

    vec_start();
    rig_fill(data, 400, 1);
    vec_new(&a, data, n);
    rig_fill(data, 400, 2);
    vec_new(&t, data, 300);
    rig_fill(data, 400, 3);
    vec_new(&c, data, 300);

#pragma kfuse(a, t, c)
    {
        err |= vec_square(&t, &a);
        err |= vec_add(&c, &t, &t);
    }

    printf("status %d\n", (int)err);
    vec_show("t", &t);
    vec_show("c", &c);
    vec_free(&a);
    vec_free(&t);
    vec_free(&c);
    vec_stop();
    return 0;
}
