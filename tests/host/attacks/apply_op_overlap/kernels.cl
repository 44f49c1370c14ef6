__kernel void put(__global float *x, __global float *y)
{ size_t i = get_global_id(0); x[i] = 2 * y[i]; }
__kernel void get(__global float *x, __global float *y)
{ size_t i = get_global_id(0); y[i] = 3 * x[i]; }
