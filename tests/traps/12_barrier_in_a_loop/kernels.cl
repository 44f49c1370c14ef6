__kernel void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = x[i] * x[i];
}

__kernel void consume(__global float *y, __global const float *x)
{
    __local float tile[16];
    const size_t i = get_global_id(0);
    const size_t l = get_local_id(0);
    tile[l] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t s = get_local_size(0) / 2; s > 0; s /= 2) {
        if (l < s)
            tile[l] += tile[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        y[get_group_id(0)] = tile[0];
}
