/* As in common, sixteen elements at a time: the first items do all the work. */

__kernel void square(__global float16 *y, __global const float16 *x, uint n)
{
    const size_t i = get_global_id(0);
    if (i < n / 16)
        y[i] = x[i] * x[i];
}

__kernel void add(__global float16 *z, __global const float16 *x, __global const float16 *y,
                  uint n)
{
    const size_t i = get_global_id(0);
    if (i < n / 16)
        z[i] = x[i] + y[i];
}

__kernel void root(__global float16 *y, __global const float16 *x, uint n)
{
    const size_t i = get_global_id(0);
    if (i < n / 16)
        y[i] = sqrt(x[i]);
}

__kernel void scale(__global float16 *y, __global const float16 *x, float factor, uint n)
{
    const size_t i = get_global_id(0);
    if (i < n / 16)
        y[i] = factor * x[i];
}

__kernel void head(__global float16 *y, __global const float16 *x, uint n)
{
    const size_t i = get_global_id(0);
    if (i < n / 16)
        y[i] = -x[i];
}
