__kernel void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    const float old = y[i]++;
    y[i] = old + y[i] * x[i];
}

__kernel void consume(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    float copy;
    copy = y[i] = x[i] * 0.7f;
    y[i] += copy;
}
