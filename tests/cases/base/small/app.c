#include "lib.h"
#define N 64

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

#pragma kfuse(a, b, c)
    {
        vec_square(&b, &a);
        vec_add(&c, &a, &b);
    }

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
