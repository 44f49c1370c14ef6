__kernel void produce(__global float4 *y, __global const float4 *x)
{
    const size_t i = get_global_id(0);
    if (i < 16) {
        y[i] = x[i] * 2.0f;
        y[i].s1 = x[i].s0 - 1.0f;
    }
}

__kernel void consume(__global float4 *y, __global const float4 *x)
{
    const size_t i = get_global_id(0);
    if (i < 16)
        y[i].xw = x[i].yx + x[i].w;
}
