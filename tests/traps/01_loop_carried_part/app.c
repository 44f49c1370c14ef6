#include "rig.h"
#include "lib.h"

#define N 300

int main(void)
{
    float data[N];
    vec a, t, c;
    int k;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    vec_new(&t, data, N);
    vec_new(&c, data, N);

    /* the upper half of t is what the first iteration left there */
    for (k = 0; k < 3; k++) {
#pragma kfuse(a, t, c)
        {
            vec_head(&t, &a, k == 0 ? N : N / 2);
            vec_add(&c, &t, &a);
            vec_square(&t, &c);
        }
    }

    vec_show("c", &c);
    vec_free(&t);
    vec_stop();
    return 0;
}
