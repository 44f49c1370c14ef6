__kernel void square(__global float *y, __global const float *x, const uint n)
{
    const size_t i = get_global_id(0);

    if (i < n)
        y[i] = x[i] * x[i];
}

__kernel void scale(__global float *y, __global const float *x, const float factor, const uint n)
{
    const size_t i = get_global_id(0);

    if (i < n)
        y[i] = factor * x[i];
}

__kernel void blur(__global float *y, __global const float *x, const uint n)
{
    const size_t i = get_global_id(0);

    if (i < n)
        y[i] = 0.5f * x[i] + 0.5f * x[i + 1];
}
