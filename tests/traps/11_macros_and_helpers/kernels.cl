__constant float gain = 1.25f;
float scale(float v) { return v * gain; }
#define CLAMPED(v) clamp(v, 0.0f, high)

__kernel void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    const float scale = x[i] * 2.0f, gain = scale + 1.0f, high = 9.0f;
    y[i] = CLAMPED(scale * gain);
}

__kernel void consume(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    const float high = 4.0f;
    y[i] = scale(x[i]) + CLAMPED(x[i]) + gain;
}
