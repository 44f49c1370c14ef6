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
    vec_new(&t, NULL, N);
    vec_new(&c, NULL, N);

#pragma kfuse(a, t, out(c))
    {
        vec_square(&t, &a);
        vec_add(&c, &t, &a);
    }

    clEnqueueReadBuffer(rig_queue(), t.mem, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL);
    rig_dump("t", data, sizeof data);
    vec_show("c", &c);
    vec_stop();
    return 0;
}
