__kernel void square(__global float *y, __global const float *x, float2 p)
{ int i = get_global_id(0); y[i] = x[i] * p.x + p.y; }
__kernel void add(__global float *z, __global const float *x, __global const float *y, float2 p)
{ int i = get_global_id(0); z[i] = x[i] + y[i] * p.x + p.y; }
__kernel void scale(__global float *y, __global const float *x, float f)
{ int i = get_global_id(0); y[i] = f * x[i]; }
