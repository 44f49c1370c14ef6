#include "rig.h"
#include "lib.h"

#define N 300

int main(void)
{
    float data[N];
    vec a[2], t[2], c[2];
    int k;

    rig_fill(data, N, 1);
    vec_start();

    for (k = 0; k < 2; k++) {
        vec_new(&a[k], data, N);
        vec_new(&t[k], data, N);
        vec_new(&c[k], data, N);
        vec_switch();
    }
    for (k = 0; k < 4; k++) {
        vec *x = &a[k % 2], *y = &t[k % 2], *z = &c[k % 2];

#pragma kfuse(x, y, z)
        {
            vec_square(y, x);
            vec_add(z, y, x);
        }
        vec_show("z", z);
        vec_switch();
    }
    for (k = 0; k < 2; k++) {
        vec_free(&a[k]);
        vec_free(&t[k]);
        vec_free(&c[k]);
    }

    vec_stop();
    return 0;
}
