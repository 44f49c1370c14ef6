__kernel void produce(__global float *y, __global const float *x)
{
    __local float tile[16];
    const size_t i = get_global_id(0);
    const size_t l = get_local_id(0);
    tile[l] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    y[i] = tile[15 - l];
}

__kernel void consume(__global float *y, __global const float *x, __local float *tile)
{
    const size_t i = get_global_id(0);
    const size_t l = get_local_id(0);
    tile[l] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    y[i] = tile[get_local_size(0) - 1 - l];
}
