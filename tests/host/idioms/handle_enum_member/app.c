#include "rig.h"
#include "lib.h"

#define N 300

int main(void)
{
    float data[N];
    vec a, b, c;
    gpu g;

    vec_start(&g);
    rig_fill(data, N, 1);
    vec_new(&g, &a, data, N);
    vec_new(&g, &b, NULL, N);
    vec_new(&g, &c, NULL, N);

#pragma kfuse(a, b, c)
    {
        vec_square(&g, &b, &a);
        vec_add(&g, &c, &a, &b);
        vec_root(&g, &c, &c);
    }

    vec_get(&g, &b, data);
    rig_dump("b", data, sizeof data);
    vec_get(&g, &c, data);
    rig_dump("c", data, sizeof data);
    vec_free(&a);
    vec_free(&b);
    vec_free(&c);
    vec_stop(&g);
    return 0;
}
