#include "rig.h"
#include "lib.h"

#define N 300

int main(void)
{
    float data[N];
    vec a, b, t, c;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    rig_fill(data, N, 2);
    vec_new(&b, data, N);
    vec_new(&t, data, N);
    vec_new(&c, data, N);

#pragma kfuse(a, b, t, c)
    {
        vec_square(&t, &a);
        vec_head(&t, &b, N / 2);
        vec_root(&c, &a);
    }

    /* the upper half of t is still a * a */
    vec_show("t", &t);
    vec_show("c", &c);
    vec_stop();
    return 0;
}
