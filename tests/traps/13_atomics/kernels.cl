__kernel void produce(__global int *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    atomic_add(&y[i & 7], (int)x[i]);
}

__kernel void consume(__global int *y, __global const int *x)
{
    const size_t i = get_global_id(0);
    y[i] = x[i & 7];
}
