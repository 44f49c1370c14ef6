__kernel void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = (int)x[i];
}

/* Devices of OpenCL 1.2 build it with the condition alone, which holds for all items. */
__kernel void consume(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = x[i] + work_group_all(x[i] > -1.0f);
}
