__kernel void produce(__global float *y, __global const float *x, int n)
{
    const int i = get_global_id(0);
    if (i >= n)
        return;
    y[i] = 2.0f * x[i];
}

__kernel void consume(__global float *y, __global const float *x, int n)
{
    const int i = get_global_id(0);
    if (i >= n)
        return;
    y[i] = x[i] + 1.0f;
}
