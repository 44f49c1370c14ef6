__kernel void inc(__global float *x)
{
    int i = get_global_id(0);
    x[i] = x[i] + 1;
}

__kernel void inc_n(__global float *x, int n)
{
    int i = get_global_id(0);
    if (i < n)
        x[i] = x[i] + 1;
}

__kernel void dbl(__global float *x)
{
    int i = get_global_id(0);
    x[i] = x[i] * 2;
}

__kernel void dbl_n(__global float *x, int n)
{
    int i = get_global_id(0);
    if (i < n)
        x[i] = x[i] * 2;
}
