__kernel void square(__global float *y, __global const float *x)
{ int i = get_global_id(0); y[i] = x[i] * x[i]; }
__kernel void add(__global float *z, __global const float *x, __global const float *y)
{ int i = get_global_id(0); z[i] = x[i] + y[i]; }
__kernel void scale(__global float *y, __global const float *x, float f)
{ int i = get_global_id(0); y[i] = f * x[i]; }
