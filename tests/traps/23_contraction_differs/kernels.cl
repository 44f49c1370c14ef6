__kernel void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = x[i] * x[i] - 0.3f;
}

#pragma OPENCL FP_CONTRACT OFF

__kernel void consume(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = x[i] * x[i] - 0.3f;
}
