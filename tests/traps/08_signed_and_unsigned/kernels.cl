__kernel void produce(__global int *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = 5 - (int)x[i];
}

__kernel void consume(__global float *y, __global const uint *x)
{
    const size_t i = get_global_id(0);
    y[i] = x[i];
}
