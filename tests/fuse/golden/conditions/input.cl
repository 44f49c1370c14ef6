__kernel void clip(__global float *a, float limit)
{
    size_t i = get_global_id(0);
    if (a[i] > limit)
    {
        a[i] = limit; /* from above */
    }
    else if (a[i] < -limit)
        a[i] = -limit;
}

__kernel void soften(__global float *out, __global const float *in, int steps)
{
    size_t i = get_global_id(0);
    float x = in[i];

    // Nothing to do for small values.
    if (fabs(x) < 0.5f)
    {
        out[i] = x;
        return;
    }
    #pragma unroll
    for (int k = 0; k < steps; k++)
    {
        x *= 0.5f;
        out[i] = x;
    }
}

__kernel void halve(__global float *out, __global const float *in)
{
    size_t i = get_global_id(0);
    if (in[i] == 0.0f)
        return;
    out[i] = in[i] / 2;
}
