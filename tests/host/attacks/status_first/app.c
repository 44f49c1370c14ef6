#include "lib.h"
#include <stdio.h>
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

    int status = 0;
    vec_break();
#pragma kfuse(a, b, c)
    {
        status |= vec_square(&b, &a);
        status |= vec_add(&c, &a, &b);
    }

    printf("%d\n", status);
    vec_free(&a); vec_free(&b); vec_free(&c);
    vec_stop();
    return 0;
}
