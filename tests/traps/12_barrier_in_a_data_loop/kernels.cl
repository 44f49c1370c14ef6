__kernel void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = 16.0f;
}

__kernel void consume(__global float *y, __global const float *x)
{
    __local float tile[16];
    const size_t i = get_global_id(0);
    const size_t l = get_local_id(0);
    tile[l] = i;
    for (float left = x[i]; left > 1.0f; left /= 2.0f) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const float other = tile[15 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[l] += other;
    }
    y[i] = tile[l];
}
