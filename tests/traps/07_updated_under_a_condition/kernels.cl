__kernel void produce(__global int *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = (int)x[i];
    if (y[i] > 5)
        y[i]++;
    if (y[i] > 8)
        --y[i];
}

__kernel void consume(__global int *y, __global const int *x)
{
    const size_t i = get_global_id(0);
    y[i] &= 0xff;
    y[i] |= x[i] << 8;
}
