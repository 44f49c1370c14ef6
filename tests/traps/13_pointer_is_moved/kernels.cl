__kernel void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = 2.0f * x[i];
}

__kernel void consume(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    x += get_global_size(0) - 1;
    y[i] = x[-(int)i];
}
