/* Kernels whose launches and bytes a reader can count. */

kernel void scale(global float *x, float a, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        x[i] = a * x[i];
}

kernel void twice(global float *x)
{
    size_t i = get_global_id(0);
    x[i] = x[i] + 1.0f;
    x[i] = x[i] + 1.0f;
}

kernel void reset(global float *x)
{
    x[0] = 0.0f;
}

kernel void race(global float *x)
{
    x[0] = (float)get_global_id(0);
}

kernel void count(global int *hits)
{
    atomic_inc(hits);
}
