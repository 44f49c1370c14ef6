#include "rig.h"
#include "lib.h"

#define N 64
#define COUNT 15

int main(void)
{
    float data[N];
    vec x[COUNT], t[COUNT], y[COUNT];
    int k;

    vec_start();
    for (k = 0; k < COUNT; k++) {
        rig_fill(data, N, k);
        vec_new(&x[k], data, N);
        vec_new(&t[k], NULL, N);
        vec_new(&y[k], NULL, N);
    }

#pragma kfuse(x, t, y)
    {
        vec_square(&t[0], &x[0]);
        vec_square(&t[1], &x[1]);
        vec_square(&t[2], &x[2]);
        vec_square(&t[3], &x[3]);
        vec_square(&t[4], &x[4]);
        vec_square(&t[5], &x[5]);
        vec_square(&t[6], &x[6]);
        vec_square(&t[7], &x[7]);
        vec_square(&t[8], &x[8]);
        vec_square(&t[9], &x[9]);
        vec_square(&t[10], &x[10]);
        vec_square(&t[11], &x[11]);
        vec_square(&t[12], &x[12]);
        vec_square(&t[13], &x[13]);
        vec_square(&t[14], &x[14]);
        vec_add(&y[0], &t[0], &t[14]);
        vec_add(&y[1], &t[1], &t[13]);
        vec_add(&y[2], &t[2], &t[12]);
        vec_add(&y[3], &t[3], &t[11]);
        vec_add(&y[4], &t[4], &t[10]);
        vec_add(&y[5], &t[5], &t[9]);
        vec_add(&y[6], &t[6], &t[8]);
        vec_add(&y[7], &t[7], &t[7]);
        vec_add(&y[8], &t[8], &t[6]);
        vec_add(&y[9], &t[9], &t[5]);
        vec_add(&y[10], &t[10], &t[4]);
        vec_add(&y[11], &t[11], &t[3]);
        vec_add(&y[12], &t[12], &t[2]);
        vec_add(&y[13], &t[13], &t[1]);
        vec_add(&y[14], &t[14], &t[0]);
    }

    for (k = 0; k < COUNT; k++) {
        vec_show("y", &y[k]);
        vec_free(&x[k]);
        vec_free(&t[k]);
        vec_free(&y[k]);
    }
    vec_stop();
    return 0;
}
