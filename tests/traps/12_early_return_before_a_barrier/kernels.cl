__kernel void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    if (i >= 53)
        return;
    y[i] = 2.0f * x[i];
}

__kernel void consume(__global float *y, __global const float *x)
{
    __local float tile[16];
    const size_t i = get_global_id(0);
    const size_t l = get_local_id(0);
    tile[l] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    y[i] = tile[15 - l];
}
