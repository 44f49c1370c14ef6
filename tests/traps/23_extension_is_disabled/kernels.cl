#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = 1.1 * x[i];
}

__kernel void consume(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = x[i] - 0.1;
}

#pragma OPENCL EXTENSION cl_khr_fp64 : disable
