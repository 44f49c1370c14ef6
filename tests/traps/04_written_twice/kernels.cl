__kernel void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = x[i];
}

__kernel void consume(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    const size_t last = get_global_size(0) - 1;
    y[last - i] = 3.0f * x[last - i];
}
