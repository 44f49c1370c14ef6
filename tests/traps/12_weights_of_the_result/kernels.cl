__kernel void produce(__global float *y, __global const float *x, int n)
{
    const int i = get_global_id(0);

    if (i < n)
        y[i] = 2.0f * x[i];
}

__kernel void consume(__global float *y, __global const float *x, __global const float *weights,
                      int n)
{
    __local float weight[4];
    event_t copied = async_work_group_copy(weight, weights, 4, 0);
    const int i = get_global_id(0);

    wait_group_events(1, &copied);
    if (i < n)
        y[i] = x[i] * weight[i & 3];
}
