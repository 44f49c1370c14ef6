__kernel void scale(__global float *y, __global const float *x, float by)
{
    size_t i = get_global_id(0);
    y[i] = by * x[i];
}

__kernel void add(__global float *z, __global const float *x, __global const float *y)
{
    size_t i = get_global_id(0);
    z[i] = x[i] + y[i];
}
