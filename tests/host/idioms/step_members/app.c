#include "rig.h"
#include "lib.h"

#define N 300

typedef struct {
    vec a, b, c;
    float by;
} world;

/* All that the calls use are parts of one object. */
static void step(world *w)
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
    world w;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&w.a, data, N);
    vec_new(&w.b, NULL, N);
    vec_new(&w.c, NULL, N);

    w.by = 0.75f;
    step(&w);

    vec_get(&w.b, data);
    rig_dump("b", data, sizeof data);
    vec_get(&w.c, data);
    rig_dump("c", data, sizeof data);
    vec_free(&w.a);
    vec_free(&w.b);
    vec_free(&w.c);
    vec_stop();
    return 0;
}
