__kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = 2.0f * x[i];
}

__kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void consume(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = x[i] + get_local_id(0);
}
