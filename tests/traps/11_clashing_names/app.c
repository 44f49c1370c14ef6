#include "rig.h"
#include "lib.h"

#define N 300

int main(void)
{
    float data[N];
    vec a, items, t, c;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    rig_fill(data, N, 2);
    vec_new(&items, data, N);
    rig_fill(data, N, 3);
    vec_new(&t, data, N);
    rig_fill(data, N, 4);
    vec_new(&c, data, N);

    float cache = 2.0f, queue = 0.5f;

#pragma kfuse(a, t, c)
    {
        vec_square(&t, &a);
        vec_scale(&items, &t, cache);
        vec_scale(&c, &items, queue);
        vec_add(&c, &c, &t);
    }

    vec_show("items", &items);
    vec_show("t", &t);
    vec_show("c", &c);
    vec_free(&a);
    vec_free(&items);
    vec_free(&t);
    vec_free(&c);
    vec_stop();
    return 0;
}
