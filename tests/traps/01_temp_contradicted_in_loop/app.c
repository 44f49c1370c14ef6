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
    vec_new(&c, NULL, N);

    for (k = 0; k < 3; k++) {
#pragma kfuse(a, c, temp(t))
        {
            vec_add(&c, &t, &a);
            vec_root(&t, &c);
        }
    }

    vec_show("c", &c);
    vec_stop();
    return 0;
}
