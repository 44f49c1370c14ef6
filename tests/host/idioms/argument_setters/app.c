#include "rig.h"
#include "lib.h"

#define N 300

int main(void)
{
    float data[N];
    vec a, b, c;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    vec_new(&b, NULL, N);
    vec_new(&c, NULL, N);

#pragma kfuse(a, b, c)
    {
        if (vec_square(&b, &a))
            return 1;
        if (vec_add(&c, &a, &b))
            return 1;
        if (vec_root(&c, &c))
            return 1;
        if (vec_scale(&c, &c, 0.5f))
            return 1;
        if (vec_scale(&b, &a, 0.25f))
            return 1;
    }

    vec_get(&b, data);
    rig_dump("b", data, sizeof data);
    vec_get(&c, data);
    rig_dump("c", data, sizeof data);
    vec_free(&a);
    vec_free(&b);
    vec_free(&c);
    vec_stop();
    return 0;
}
