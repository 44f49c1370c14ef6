#include "rig.h"
#include "lib.h"

#define N 8
#define COUNT 24

int main(void)
{
    float data[N];
    vec x[COUNT], y[COUNT], z[COUNT];
    int k;

    vec_start();
    for (k = 0; k < COUNT; k++) {
        rig_fill(data, N, 2 * k);
        vec_new(&x[k], data, N);
        rig_fill(data, N, 2 * k + 1);
        vec_new(&y[k], data, N);
        vec_new(&z[k], NULL, N);
    }

#pragma kfuse(x, y, z)
    {
        vec_add(&z[0], &x[0], &y[0]);
        vec_add(&z[1], &x[1], &y[1]);
        vec_add(&z[2], &x[2], &y[2]);
        vec_add(&z[3], &x[3], &y[3]);
        vec_add(&z[4], &x[4], &y[4]);
        vec_add(&z[5], &x[5], &y[5]);
        vec_add(&z[6], &x[6], &y[6]);
        vec_add(&z[7], &x[7], &y[7]);
        vec_add(&z[8], &x[8], &y[8]);
        vec_add(&z[9], &x[9], &y[9]);
        vec_add(&z[10], &x[10], &y[10]);
        vec_add(&z[11], &x[11], &y[11]);
        vec_add(&z[12], &x[12], &y[12]);
        vec_add(&z[13], &x[13], &y[13]);
        vec_add(&z[14], &x[14], &y[14]);
        vec_add(&z[15], &x[15], &y[15]);
        vec_add(&z[16], &x[16], &y[16]);
        vec_add(&z[17], &x[17], &y[17]);
        vec_add(&z[18], &x[18], &y[18]);
        vec_add(&z[19], &x[19], &y[19]);
        vec_add(&z[20], &x[20], &y[20]);
        vec_add(&z[21], &x[21], &y[21]);
        vec_add(&z[22], &x[22], &y[22]);
        vec_add(&z[23], &x[23], &y[23]);
    }

    for (k = 0; k < COUNT; k++) {
        vec_show("z", &z[k]);
        vec_free(&x[k]);
        vec_free(&y[k]);
        vec_free(&z[k]);
    }
    vec_stop();
    return 0;
}
