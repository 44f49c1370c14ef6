__kernel void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = 2.0f * x[i];
}

__kernel void consume(__global float *y, __global const float *x)
{
    const size_t group = get_group_id(0) * get_local_size(0);
    y[group + get_local_id(0)] = x[group + get_local_size(0) - 1 - get_local_id(0)];
}
