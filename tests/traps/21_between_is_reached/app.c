#include "rig.h"
#include "lib.h"

#define N 300
float rate = 2.0f;

int main(void)
{
    float data[N];
    vec a, b, c, t;
    float f = 2.0f, own = 3.0f;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    rig_fill(data, N, 2);
    vec_new(&b, data, N);
    rig_fill(data, N, 3);
    vec_new(&c, data, N);
    rig_fill(data, N, 4);
    vec_new(&t, data, N);
    vec_bind(&f);

#pragma kfuse(a, t, c)
    {
        vec_scale_by_rate(&t, &a);
        rate = 3.0f;
        vec_add(&c, &t, &a);
    }
#pragma kfuse(a, t, c)
    {
        vec_scale_by_bound(&t, &a);
        f = 5.0f;
        vec_add(&c, &t, &c);
    }
#pragma kfuse(a, t, c)
    {
        vec_scale_by_rate(&t, &a);
        own = 2.0f * rate;
        vec_scale(&c, &t, own);
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
