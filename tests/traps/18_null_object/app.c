#include "rig.h"
#include "lib.h"

#include <stdlib.h>

#define N 300

static void work(vec *a, vec *b, vec *t, vec *c)
{
#pragma kfuse(a, b, t, c)
    {
        vec_square(t, b);
        vec_add(c, t, a);
    }
}

int main(int argc, char **argv)
{
    float data[N];
    vec a, b, c, t;
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
        work(&a, NULL, &t, &c);
    else
        work(&a, &b, &t, &c);

    vec_show("t", &t);
    vec_show("c", &c);
    vec_free(&a);
    vec_free(&b);
    vec_free(&c);
    vec_free(&t);
    vec_stop();
    return 0;
}
