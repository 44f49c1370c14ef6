kernel void scale(global float *y, global const float *x, const float factor)
{
    const size_t i = get_global_id(0);
    y[i] = factor * x[i];
}

kernel void add(global float *c, global const float *a, global const float *b)
{
    const size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}
