#include "rig.h"
#include "lib.h"

#define N 300

int main(void)
{
    float data[N];
    vec a, c, e;
    counted b, d;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    counted_new(&b, N);
    vec_new(&c, NULL, N);
    counted_new(&d, N);
    vec_new(&e, NULL, N);

#pragma kfuse(a, b, c)
    {
        vec_square(&b, &a);
        vec_add(&c, &a, &b);
        vec_root(&c, &c);
    }

    d.n = N / 2;
#pragma kfuse(a, d, e)
    { /* as many elements as d has: the sizes differ, so the calls are made one by one */
        vec_square(&d, &a);
        vec_add(&e, &a, &d);
    }

    vec_get(&c, data);
    rig_dump("c", data, sizeof data);
    vec_get(&e, data);
    rig_dump("e", data, N / 2 * sizeof(float));
    vec_free(&a);
    counted_free(&b);
    vec_free(&c);
    counted_free(&d);
    vec_free(&e);
    vec_stop();
    return 0;
}
