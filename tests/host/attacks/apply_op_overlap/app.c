#include "lib.h"
#define N 64

int main(void)
{
    float data[N];
    vec a, b, c;
    vec_start();
    rig_fill(data, N, 1);
    vec_new(&a, data, N);
    rig_fill(data, N, 2);
    vec_new(&b, data, N);
    rig_fill(data, N, 3);
    vec_new(&c, data, N);

    cl_buffer_region r1 = {0, N * 4}, r2 = {N * 4 / 2, N * 4};
    cl_mem big = clCreateBuffer(rig_context(), CL_MEM_READ_WRITE, 2 * N * 4, NULL, NULL);
    vec_free(&b); vec_free(&c);
    b.mem = clCreateSubBuffer(big, 0, CL_BUFFER_CREATE_TYPE_REGION, &r1, NULL);
    c.mem = clCreateSubBuffer(big, 0, CL_BUFFER_CREATE_TYPE_REGION, &r2, NULL);
    float z = 1.5f;
    clEnqueueFillBuffer(rig_queue(), big, &z, 4, 0, 2 * N * 4, 0, NULL, NULL);
    rig_fill(data, N, 2);
    clEnqueueWriteBuffer(rig_queue(), b.mem, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL);
#pragma kfuse(a, b, c)
    {
        vec_apply(PUT, &a, &b);
        vec_apply(GET, &a, &c);
    }

    vec_get(&b, data);
    rig_dump("b", data, sizeof data);
    vec_get(&c, data);
    rig_dump("c", data, sizeof data);
    vec_get(&a, data);
    rig_dump("a", data, sizeof data);
    vec_free(&a); vec_free(&b); vec_free(&c);
    vec_stop();
    return 0;
}
