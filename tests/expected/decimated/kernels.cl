__kernel void halve(__global float *y, __global const short *x, int n)
{
    int i = get_global_id(0);
    if (i < n)
        y[i] = x[i] * 0.5f;
}

__kernel void differences(__global float *y, __global const float *x, int n)
{
    int i = get_global_id(0);
    if (i < n)
        y[i] = i == 0 ? x[0] : x[i] - x[i - 1];
}

__kernel void smooth(__global float *y, __global const float *x, int n)
{
    int i = get_global_id(0);
    float s = 0;
    if (i >= n)
        return;
    for (int k = -2; k <= 2; k++)
        if (i + k >= 0 && i + k < n)
            s += x[i + k];
    y[i] = s;
}

__kernel void decimate(__global float *y, __global const float *x, int factor, int m)
{
    int i = get_global_id(0);
    if (i < m)
        y[i] = x[i * factor];
}
