#include "rig.h"
#include "lib.h"

#define N 512

int main(void)
{
    float data[N], big_data[2 * N] = {0};
    vec a, c, big;
    vec t;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    rig_fill(data, N, 2);
    vec_new(&c, data, N);
    vec_new(&big, big_data, 2 * N);

    vec_half(&t, &big);
#pragma kfuse(a, t, c)
    {
        vec_square(&t, &a);
        vec_add(&c, &t, &a);
    }
    vec_free(&t);

    vec_show("c", &c);
    vec_show("big", &big);
    vec_free(&a);
    vec_free(&c);
    vec_free(&big);
    vec_stop();
    return 0;
}
