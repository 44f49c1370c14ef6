#include "lib.h"
#define N 64

int main(void)
{
    float data[N], k = 0.5f;
    vec a, b, c, d;
    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    vec_new(&b, data, N);
    vec_new(&c, data, N);
    vec_new(&d, data, N);
#pragma kfuse(a, b, c, d)
    {
        vec_tint(&b, &a, (cl_float2){{1.5f, 2}});
        vec_tint(&c, &b, (cl_float2){{1.5f, -2}});
        vec_tint(&d, &c, (cl_float2){{1.5f, 2}});
    }
#pragma kfuse(b, c)
    {
        vec_tint(&b, &a, (cl_float2){{k, 2}});
        vec_tint(&c, &b, (cl_float2){{3 * k, -2}});
    }
    vec_get(&b, data);
    rig_dump("b", data, sizeof data);
    vec_get(&c, data);
    rig_dump("c", data, sizeof data);
    vec_get(&d, data);
    rig_dump("d", data, sizeof data);
    vec_free(&a); vec_free(&b); vec_free(&c); vec_free(&d);
    vec_stop();
    return 0;
}
