kernel void square(global float *y, global const float *x)
{
    int i = get_global_id(0);

    y[i] = x[i] * x[i];
}

kernel void add(global float *z, global const float *x, global const float *y)
{
    int i = get_global_id(0);

    z[i] = x[i] + y[i];
}
