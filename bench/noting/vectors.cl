kernel void scale(global float *c, global const float *a, float f, uint n)
{
    const size_t i = get_global_id(0);
    if (i < n)
        c[i] = f * a[i];
}

kernel void add(global float *c, global const float *a, global const float *b, uint n)
{
    const size_t i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}
