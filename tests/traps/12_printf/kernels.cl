__kernel void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = 2.0f * x[i];
    if (i == 0)
        printf("produced\n");
}

__kernel void consume(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = x[i] + 1.0f;
    if (i == 0)
        printf("consumed\n");
}
