__kernel void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = 2.0f * x[i];
}

__kernel void consume(__global float *y, __global const float *x)
{
    __local float tile[16];
    const size_t l = get_local_id(0);
    const size_t i = get_global_id(0);
    event_t copied = async_work_group_copy(tile, x, 16, 0);
    wait_group_events(1, &copied);
    y[i] = tile[15 - l];
}
