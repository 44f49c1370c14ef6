__kernel void square(__global float *y, __global const float *x, int width)
{
    int column = get_global_id(0), row = get_global_id(1);
    y[row * width + column] = x[row * width + column] * x[row * width + column];
}

__kernel void add(__global float *z, __global const float *x, __global const float *y, int width)
{
    int column = get_global_id(0), row = get_global_id(1);
    z[row * width + column] = x[row * width + column] + y[row * width + column];
}

__kernel void root(__global float *y, __global const float *x, int width)
{
    int column = get_global_id(0), row = get_global_id(1);
    y[row * width + column] = sqrt(x[row * width + column]);
}
