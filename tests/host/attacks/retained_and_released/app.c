#include "lib.h"
#define N 64

/* One function keeps a buffer for good, the other one while it uses it. */
int main(void)
{
    float data[N];
    vec a, b, c;
    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    vec_new(&b, data, N);
    vec_new(&c, data, N);
#pragma kfuse(a, b, c)
    {
        vec_square(&b, &a);
        vec_add(&c, &b, &a);
    }
    vec_get(&c, data);
    rig_dump("data", data, sizeof data);
    vec_free(&a);
    vec_get(&a, data);
    rig_dump("a, still there", data, sizeof data);
    vec_free(&a);
    vec_free(&b);
    vec_free(&c);
    vec_stop();
    return 0;
}
