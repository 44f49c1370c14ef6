#include "rig.h"
#include "lib.h"

#define N 300

static int shrink(vec *v)
{
    v->items = 32;
    return 0;
}

int main(void)
{
    float data[N];
    vec a, b, c, t, *p = &t;

    vec_hook = shrink;
    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    rig_fill(data, N, 2);
    vec_new(&b, data, N);
    rig_fill(data, N, 3);
    vec_new(&c, data, N);
    rig_fill(data, N, 4);
    vec_new(&t, data, N);

    t.items = N;
#pragma kfuse(a, p, c)
    {
        vec_square(p, &a);
        vec_root(&c, p);
    }

    vec_show("t", &t);
    vec_show("c", &c);
    vec_free(&a);
    vec_free(&b);
    vec_free(&c);
    vec_free(&t);
    vec_stop();
    return 0;
}
