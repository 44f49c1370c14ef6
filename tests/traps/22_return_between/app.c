#include "rig.h"
#include "lib.h"

#include <stdlib.h>

#define N 300

static void work(vec *a, vec *t, vec *c, int enough)
{
#pragma kfuse(a, t, c)
    {
        vec_square(t, a);
        if (enough)
            return;
        vec_add(c, t, a);
    }
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

    work(&a, &t, &c, argc > 1);

    vec_show("t", &t);
    vec_show("c", &c);
    vec_free(&a);
    vec_free(&t);
    vec_free(&c);
    vec_stop();
    return 0;
}
