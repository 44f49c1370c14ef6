#include "rig.h"
#include "lib.h"

#define N 300

int main(void)
{
    float data[N];
    vec a, t, c;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    vec_new(&t, data, N);
    vec_new(&c, data, N);

    /* the copy of t that is shown is not the one that the region makes */
#pragma kfuse(a, t, c)
    {
        vec_square(&t, &a);
        vec_add(&c, &t, &a);
    }
    vec_head(&t, &c, N / 2);

    vec_show("t", &t);
    vec_show("c", &c);
    vec_stop();
    return 0;
}
