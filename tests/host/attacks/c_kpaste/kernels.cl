#define EL(p) p##0[i]
__kernel void square(__global float *y0, __global const float *x0)
{ int i = get_global_id(0); EL(y) = EL(x) * EL(x); }
__kernel void add(__global float *z, __global const float *x, __global const float *y)
{ int i = get_global_id(0); z[i] = x[i] + y[i]; }
__kernel void scale(__global float *y, __global const float *x, float f)
{ int i = get_global_id(0); y[i] = f * x[i]; }
