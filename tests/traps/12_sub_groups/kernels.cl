__kernel void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = 2.0f * x[i];
}

/* Devices of OpenCL 1.2 build it with the condition alone, which holds for all items. */
__kernel void consume(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = x[i] + sub_group_all(x[i] > -1.0f);
}
