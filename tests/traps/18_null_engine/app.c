#include "rig.h"
#include "lib.h"

#include <stdlib.h>

#define N 300

static void work(engine *e, vec *a, vec *t, vec *c)
{
    int err;

#pragma kfuse(a, t, c)
    {
        err = vec_square(e, t, a);
        err = vec_add(e, c, t, a);
    }
    rig_dump("status", &err, sizeof err);
}

int main(int argc, char **argv)
{
    float data[N];
    vec a, t, c;
    (void)argv;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    rig_fill(data, N, 2);
    vec_new(&t, data, N);
    rig_fill(data, N, 3);
    vec_new(&c, data, N);

    work(argc > 1 ? NULL : vec_engine(), &a, &t, &c);

    vec_show("t", &t);
    vec_show("c", &c);
    vec_free(&a);
    vec_free(&t);
    vec_free(&c);
    vec_stop();
    return 0;
}
