__kernel void produce(__global float *y, __global const float *x, int n)
{
    const int i = get_global_id(0);
    if (i < n)
        y[i] = 2.0f * x[i];
}

__kernel void consume(__global float *y, __global const float *x, int n)
{
    const int i = get_global_id(0);
    y[i] = x[i] + n;
}
