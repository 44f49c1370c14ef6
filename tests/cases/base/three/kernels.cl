__kernel void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = 2.0f * x[i];
}

__kernel void total(__global float *s, __global const float *x)
{
    const size_t i = get_global_id(0);
    s[i] = i > 0 ? x[i - 1] + x[i] : x[i];
}

__kernel void consume(__global float *y, __global const float *x, __global const float *s)
{
    const size_t i = get_global_id(0);
    y[i] = x[i] / s[i];
}
