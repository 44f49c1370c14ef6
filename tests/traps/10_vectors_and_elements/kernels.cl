__kernel void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = 1.5f * x[i];
}

__kernel void consume(__global float4 *y, __global const float4 *x)
{
    const size_t i = get_global_id(0);
    if (i < get_global_size(0) / 4)
        y[i] = x[i] + 1.0f;
}
