#include "rig.h"
#include "lib.h"

#define N 64

int main(void)
{
    float first[N], second[N];
    vec x, t, z, y;
    cl_event x_written, z_written, produced, consumed;

    vec_start();
    vec_new(&x, N, 1);
    vec_new(&t, N, 2);
    vec_new(&z, N, 3);
    vec_new(&y, N, 4);
    rig_fill(first, N, 5);
    rig_fill(second, N, 6);
    clEnqueueWriteBuffer(rig_out_of_order(), x.mem, CL_FALSE, 0, sizeof first, first, 0, NULL,
                         &x_written);
    clEnqueueWriteBuffer(rig_out_of_order(), z.mem, CL_FALSE, 0, sizeof second, second, 0, NULL,
                         &z_written);

#pragma kfuse(x, t, z, y)
    {
        produce(&t, &x, 1, &x_written, &produced);
        consume(&y, &z, 1, &z_written, &consumed);
    }

    clWaitForEvents(1, &produced);
    clWaitForEvents(1, &consumed);
    clReleaseEvent(x_written);
    clReleaseEvent(z_written);
    clReleaseEvent(produced);
    clReleaseEvent(consumed);
    vec_show("t", &t);
    vec_show("y", &y);
    vec_free(&x);
    vec_free(&t);
    vec_free(&z);
    vec_free(&y);
    vec_stop();
    return 0;
}
