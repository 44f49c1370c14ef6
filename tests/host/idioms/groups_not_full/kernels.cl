__kernel void square(__global float *y, __global const float *x, const unsigned n)
{
    const size_t i = get_global_id(0);
    if (i < n)
        y[i] = x[i] * x[i];
}

__kernel void half_of(__global float *y, __global const float *x, const unsigned n)
{
    const size_t i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    if (i < n)
        y[i] = x[i] / 2;
}
