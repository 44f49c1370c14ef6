#include "rig.h"
#include "lib.h"

#define N 300

int main(void)
{
    float data[N];
    vec a, t, c;
    int k;

    rig_fill(data, N, 1);
    vec_start();

    for (k = 0; k < 3; k++) {
        if (k > 0)
            vec_start();
        vec_new(&a, data, N);
        vec_new(&t, data, N);
        vec_new(&c, data, N);
#pragma kfuse(a, t, c)
        {
            vec_square(&t, &a);
            vec_add(&c, &t, &a);
        }
        vec_show("c", &c);
        vec_free(&a);
        vec_free(&t);
        vec_free(&c);
        if (k < 2)
            vec_stop();
    }

    vec_stop();
    return 0;
}
