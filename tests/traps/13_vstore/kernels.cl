__kernel void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    if (i < 16)
        vstore4((float4)(x[i], 1.0f, 2.0f, 3.0f), i, y);
}

__kernel void consume(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = x[i] + 1.0f;
}
