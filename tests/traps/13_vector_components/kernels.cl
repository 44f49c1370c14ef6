__kernel void produce(__global float4 *y, __global const float4 *x)
{
    const size_t i = get_global_id(0);
    if (i < 16)
        y[i] = x[i] * 2.0f;
}

__kernel void consume(__global float4 *y, __global const float4 *x)
{
    const size_t i = get_global_id(0);
    if (i < 16)
        y[i] = (float4)(x[i].yx, x[i].s3, 1.0f) - x[i];
}
