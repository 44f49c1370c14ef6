__kernel void produce(__global float *restrict y, __global const float *restrict x)
{
    const size_t i = get_global_id(0);
    y[i] = 1.5f * x[i];
}

__kernel void consume(__global float *restrict y, __global const float *restrict x)
{
    const size_t i = get_global_id(0);
    y[i] += x[i] * x[i];
}
