__kernel void produce(__global float *y, __global const float *x, __constant float *a,
                      __constant float *b, __constant float *c, __constant float *d,
                      __constant float *e)
{
    const size_t i = get_global_id(0);
    y[i] = x[i] + a[i] + b[i] + c[i] + d[i] + e[i];
}

__kernel void consume(__global float *y, __global const float *x, __constant float *a,
                      __constant float *b, __constant float *c, __constant float *d,
                      __constant float *e)
{
    const size_t i = get_global_id(0);
    y[i] = x[i] - a[i] * b[i] * c[i] * d[i] * e[i];
}
