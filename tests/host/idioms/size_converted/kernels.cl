__kernel void inc(__global float *x)
{
    int i = get_global_id(0);
    x[i] = x[i] + 1;
}

__kernel void dbl(__global float *x)
{
    int i = get_global_id(0);
    x[i] = x[i] * 2;
}
