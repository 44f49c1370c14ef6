#include "lib.h"
#define N 64

static void work(vec *a, vec *b, vec *c0, int go)
{
    float data[N];
    static vec t;
    vec c;
    if (t.n == 0)
        vec_new(&t, data, N);
    if (go) {
        vec_get(&t, data);
        rig_dump("t", data, sizeof data);
    }
    vec_new(&c, NULL, N);
#pragma kfuse(a, t, c)
    {
        vec_square(&t, a);
        vec_add(&c, a, &t);
    }
    vec_get(&c, data);
    rig_dump("c", data, sizeof data);
    vec_free(&c);
    {
        vec t;
        vec_new(&t, data, N);
        vec_free(&t);
    }
}

int main(void)
{
    float data[N];
    vec a, b, c;
    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    rig_fill(data, N, 2);
    vec_new(&b, data, N);
    rig_fill(data, N, 3);
    vec_new(&c, data, N);

    vec_free(&b); vec_free(&c);
    work(&a, &b, &c, 0);
    work(&a, &b, &c, 1);
    vec_new(&b, data, N); vec_new(&c, data, N);

    vec_get(&b, data);
    rig_dump("b", data, sizeof data);
    vec_get(&c, data);
    rig_dump("c", data, sizeof data);
    vec_get(&a, data);
    rig_dump("a", data, sizeof data);
    vec_free(&a); vec_free(&b); vec_free(&c);
    vec_stop();
    return 0;
}
