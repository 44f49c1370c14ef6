#include "rig.h"
#include "lib.h"

#define N 64

int main(void)
{
    float data[N], seen[N];
    cl_command_queue queue = rig_queue();
    vec a, b, c, d;

    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    vec_new(&b, data, N);
    vec_new(&c, data, N);
    vec_new(&d, data, N);
#pragma kfuse(a, b, out(d))
    {
        vec_scale(&b, &a, 2.0f);
        vec_add(&c, &b, &a);
        clEnqueueReadBuffer(queue, b.mem, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL);
        vec_add(&d, &c, &a);
    }
    rig_dump("seen", seen, sizeof seen);
    vec_show("d", &d);
    vec_stop();
    return 0;
}
