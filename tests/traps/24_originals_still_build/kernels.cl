#ifndef PLAIN
float shaped(float v) { return v * v + 1.0f; }
#endif

__kernel void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
#ifdef PLAIN
    y[i] = x[i];
#else
    y[i] = shaped(x[i]);
#endif
}

__kernel void consume(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = 2.0f * x[i];
}
