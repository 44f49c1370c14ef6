__kernel void produce(__global half *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    vstore_half(x[i], i, y);
}

__kernel void consume(__global float *y, __global const half *x)
{
    const size_t i = get_global_id(0);
    y[i] = vload_half(i, x);
}
