__kernel void produce(__global float *y, __global const float *x)
{
    __local float tile[5000];
    const size_t i = get_global_id(0);
    const size_t l = get_local_id(0);
    tile[300 * l] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    y[i] = tile[300 * (15 - l)];
}

__kernel void consume(__global float *y, __global const float *x)
{
    __local float tile[4000];
    const size_t i = get_global_id(0);
    const size_t l = get_local_id(0);
    tile[200 * l] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    y[i] = tile[200 * (15 - l)];
}
