#include "rig.h"
#include "lib.h"

#define N 300

/* The objects come by pointers, the number by value. */
static void step(vec *c, vec *b, vec *a, float by)
{
#pragma kfuse(a, b, c)
    {
        vec_square(b, a);
        vec_add(c, a, b);
        vec_root(c, c, by);
    }
}

typedef struct {
    vec a, b, c;
    float by;
} world;

/* All that the calls use are parts of one object. */
static void step_world(world *w)
{
#pragma kfuse(w)
    {
        vec_square(&w->b, &w->a);
        vec_add(&w->c, &w->a, &w->b);
        vec_root(&w->c, &w->c, w->by);
    }
}

int main(void)
{
    float data[N];
    vec a, b, c;
    world w;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    vec_new(&b, NULL, N);
    vec_new(&c, NULL, N);

    step(&c, &b, &a, 0.75f);
    w.a = c;
    w.b = b;
    w.c = a;
    w.by = 1.25f;
    step_world(&w);
    a = w.c;
    b = w.b;
    c = w.a;

    vec_get(&a, data);
    rig_dump("a", data, sizeof data);
    vec_get(&b, data);
    rig_dump("b", data, sizeof data);
    vec_get(&c, data);
    rig_dump("c", data, sizeof data);
    vec_free(&a);
    vec_free(&b);
    vec_free(&c);
    vec_stop();
    return 0;
}
