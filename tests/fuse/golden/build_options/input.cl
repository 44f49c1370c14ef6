#ifndef LANES
#define LANES 4
#endif

#if USE_FAST
#define ROOT(x) native_sqrt(x)
#else
#define ROOT(x) sqrt(x)
#endif

__kernel void length(__global float *out, __global const float *in)
{
    const size_t i = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < LANES; k++)
        sum += in[i * LANES + k] * in[i * LANES + k];
#ifdef SQUARED
    out[i] = sum;
#else
    out[i] = ROOT(sum); /* the usual norm */
#endif
}

__kernel void weigh(__global float *a, __constant float *weight)
{
    const size_t i = get_global_id(0);
    a[i] *= weight[i];
}
