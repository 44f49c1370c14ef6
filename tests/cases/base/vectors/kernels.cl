__kernel void square(__global float *y, __global const float *x, unsigned n)
{
    size_t i = get_global_id(0);
    if (i < n)
        y[i] = x[i] * x[i];
}

__kernel void add(__global float *z, __global const float *x, __global const float *y, unsigned n)
{
    size_t i = get_global_id(0);
    if (i < n)
        z[i] = x[i] + y[i];
}

__kernel void root(__global float *y, __global const float *x, unsigned n)
{
    size_t i = get_global_id(0);
    if (i < n)
        y[i] = sqrt(x[i]);
}

__kernel void scale(__global float *y, __global const float *x, float factor, unsigned n)
{
    size_t i = get_global_id(0);
    if (i < n)
        y[i] = factor * x[i];
}

__kernel void head(__global float *y, __global const float *x, unsigned n)
{
    size_t i = get_global_id(0);
    if (i < n)
        y[i] = -x[i];
}
