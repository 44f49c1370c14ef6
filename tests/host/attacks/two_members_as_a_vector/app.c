#include "lib.h"
#define N 64

/* Two numbers of a window are one argument; the second one changes between the launches. */
int main(void)
{
    float data[N];
    vec a, b, c;
    window w;

    memset(&w, 0, sizeof w);
    w.s0 = 50;
    w.s1 = 7;
    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    vec_new(&b, data, N);
    vec_new(&c, data, N);
#pragma kfuse(a, b, c)
    {
        vec_square(&b, &a, &w);
        vec_add(&c, &b, &a, &w);
    }
    vec_get(&b, data);
    rig_dump("b", data, sizeof data);
    vec_get(&c, data);
    rig_dump("c", data, sizeof data);
    vec_free(&a); vec_free(&b); vec_free(&c);
    vec_stop();
    return 0;
}
