__kernel void inc(__global float *x, int n)
{
    int i = get_global_id(0);
    if (i < n)
        x[i] = x[i] + 1;
}

__kernel void dbl(__global float *x, int n)
{
    int i = get_global_id(0);
    if (i < n)
        x[i] = x[i] * 2;
}
