__kernel void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = 2.0f * x[i];
}

__kernel void consume(__global float *y, __global const float *x, __global const float *weights)
{
    __local float weight[4];
    const size_t i = get_global_id(0);
    event_t copied = async_work_group_copy(weight, weights, 4, 0);
    wait_group_events(1, &copied);
    y[i] = x[i] * weight[i & 3];
}
