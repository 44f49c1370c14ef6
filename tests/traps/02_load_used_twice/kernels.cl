__kernel void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = x[i] + 0.3f;
}

__kernel void consume(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    float comp = 0.1f;
    comp += x[i] * x[i] - 1.0f / x[i];
    y[i] = comp;
}
