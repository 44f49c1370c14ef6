/* scale, clip and scale in one kernel */
__kernel void scale_clip(__global const float *a, __global float *b, const float factor,
                         const float low, const float high, const float half_value,
                         const int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        /* scale(t, a, factor, n) */
        float t_i = factor * a[i];

        /* clip(t, low, high, n) */
        if (t_i < low)
            t_i = low;
        else if (t_i > high)
            t_i = high;

        /* scale(b, t, half, n) */
        b[i] = half_value * t_i;
    }
}
