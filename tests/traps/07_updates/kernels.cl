__kernel void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] += x[i];
    y[i] *= 1.1f;
    y[i]++;
}

__kernel void consume(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] -= x[i] / 3.0f;
}
