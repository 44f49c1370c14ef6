#include "rig.h"
#include "lib.h"

#define N 64

int main(void)
{
    float data[N];
    vec a, b, c, d, e;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    vec_new(&b, data, N);
    vec_new(&c, data, N);
    vec_new(&d, data, N);
    vec_new(&e, data, N);
#pragma kfuse(a, b, out(e))
    {
        vec_scale(&b, &a, 2.0f);
        vec_add(&c, &b, &a);
        vec_add(&d, &b, &c), vec_scale(&c, &d, 0.5f);
        vec_square(&a, &a);
        vec_add(&e, &c, &a);
    }
    vec_show("d", &d);
    vec_show("e", &e);
    vec_stop();
    return 0;
}
