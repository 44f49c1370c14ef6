__kernel void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = x[i];
    y[i] = y[i] * x[i] + 1.0f;
    if (x[i] > 6.0f)
        y[i] = sqrt(y[i]);
}

__kernel void consume(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = x[i];
    y[i] = y[i] + x[i];
}
