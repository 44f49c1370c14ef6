__kernel void produce(__global uchar *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = x[i] * 17.3f;
}

__kernel void consume(__global float *y, __global const uchar *x)
{
    const size_t i = get_global_id(0);
    y[i] = x[i] / 17.3f;
}
