typedef struct {
    float re, im;
} complex;

__kernel void produce(__global complex *y, __global const complex *x)
{
    const size_t i = get_global_id(0);
    if (i >= 32)
        return;
    complex v = x[i];
    v.re = 2.0f * v.re - v.im;
    y[i] = v;
}

__kernel void consume(__global complex *y, __global const complex *x)
{
    const size_t i = get_global_id(0);
    if (i >= 32)
        return;
    complex v = x[i];
    v.im = v.re * v.im;
    y[i] = v;
}
