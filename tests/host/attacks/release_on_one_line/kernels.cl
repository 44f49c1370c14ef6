__kernel void sq(__global float *y, __global const float *x)
{
    size_t i = get_global_id(0);
    y[i] = x[i] * x[i];
}
__kernel void mir(__global float *y, __global const float *x)
{
    const size_t start = get_group_id(0) * get_local_size(0), last = get_local_size(0) - 1;
    y[start + get_local_id(0)] = x[start + last - get_local_id(0)];
}
