kernel void square(global float *y, global const float *x, uint n)
{
    size_t i = get_global_id(0);

    if (i < n)
        y[i] = x[i] * x[i];
}

kernel void add(global float *z, global const float *x, global const float *y, uint n)
{
    size_t i = get_global_id(0);

    if (i < n)
        z[i] = x[i] + y[i];
}
