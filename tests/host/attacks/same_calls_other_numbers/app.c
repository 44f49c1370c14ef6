#include "lib.h"
#include <stdio.h>
#define N 64

/* The same calls but for a number: one function will do, called with each region's own. */
int main(void)
{
    float data[N];
    vec a, b, c, d;
    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    vec_new(&b, data, N);
    vec_new(&c, data, N);
    vec_new(&d, data, N);
#pragma kfuse(a, b, c)
    {
        vec_scale(&b, &a, 2.0f);
        vec_add(&c, &b, &a);
    }
    vec_get(&c, data);
    rig_dump("two", data, sizeof data);
#pragma kfuse(a, b, c)
    {
        vec_scale(&b, &a, 3.0f);
        vec_add(&c, &b, &a);
    }
    vec_get(&c, data);
    rig_dump("three", data, sizeof data);
    for (int i = 0; i < 2; i++) {
        const float factor = 0.5f * (float)i;
#pragma kfuse(a, b, c)
        {
            vec_scale(&b, &a, factor);
            vec_add(&c, &b, &a);
        }
        vec_get(&c, data);
        rig_dump("factor", data, sizeof data);
    }
    vec_free(&a); vec_free(&b); vec_free(&c); vec_free(&d);
    vec_stop();
    return 0;
}
