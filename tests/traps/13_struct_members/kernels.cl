typedef struct {
    float re, im;
} complex;

__kernel void produce(__global complex *y, __global const complex *x)
{
    const size_t i = get_global_id(0);
    if (i < 32)
        y[i].im = x[i].re * 2.0f;
}

__kernel void consume(__global complex *y, __global const complex *x)
{
    const size_t i = get_global_id(0);
    if (i < 32)
        y[i].re = x[i].re + x[i].im;
}
