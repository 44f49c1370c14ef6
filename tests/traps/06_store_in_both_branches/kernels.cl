__kernel void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    if (x[i] > 6.0f)
        y[i] = 2.0f * x[i];
    else
        y[i] = -x[i];
}

__kernel void consume(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = x[i] + 1.0f;
}
