/* clip, clip, halve, halve and soften in one kernel */
__kernel void clip_halve_soften(__global float *a, __global float *b, __global float *c,
                                __global float *d, float one, float half_value, int n)
{
    size_t i = get_global_id(0);

    /* clip(a, one) */
    float a_i = a[i];
    if (a_i > one)
    {
        a[i] = a_i = one; /* from above */
    }
    else if (a_i < -one)
        a[i] = a_i = -one;

    /* clip(a, half) */
    if (a_i > half_value)
    {
        a[i] = a_i = half_value; /* from above */
    }
    else if (a_i < -half_value)
        a[i] = a_i = -half_value;

    /* halve(b, a) */
    if (a_i != 0.0f)
    {
        b[i] = a_i / 2;
    }

    /* halve(c, b) */
    const float b_i = b[i];
    if (b_i != 0.0f)
    {
        c[i] = b_i / 2;
    }

    /* soften(d, c, n) */
    float x = c[i];

    // Nothing to do for small values.
    if (fabs(x) < 0.5f)
    {
        d[i] = x;
        return;
    }
    #pragma unroll
    for (int k = 0; k < n; k++)
    {
        x *= 0.5f;
        d[i] = x;
    }
}
