__kernel void square(__global float *y, __global const float *x, int2 w)
{ int i = get_global_id(0); if (i < w.x) y[i] = x[i] * w.y; }
__kernel void add(__global float *z, __global const float *x, __global const float *y, int2 w)
{ int i = get_global_id(0); if (i < w.x) z[i] = x[i] + y[i] * w.y; }
