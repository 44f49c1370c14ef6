#include "rig.h"
#include "lib.h"

#define N 300

struct pair {
    vec x, y;
};
struct work {
    vec z;
};

int main(void)
{
    float data[N];
    struct pair p, *s = &p;
    struct work w;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&s->x, data, N);
    vec_new(&s->y, NULL, N);
    vec_new(&w.z, NULL, N);

#pragma kfuse(s, w)
    {
        vec_square(&s->y, &s->x);
        vec_add(&w.z, &s->x, &s->y);
        vec_root(&w.z, &w.z);
    }

    vec_get(&s->y, data);
    rig_dump("b", data, sizeof data);
    vec_get(&w.z, data);
    rig_dump("c", data, sizeof data);
    vec_free(&s->x);
    vec_free(&s->y);
    vec_free(&w.z);
    vec_stop();
    return 0;
}
