#if !defined(SQUARED) && LANES == 8 && !(USE_FAST)
/* length and weigh in one kernel */
__kernel void length_weigh(__global const float *points, __constant float *weight,
                           __global float *norm)
{
    const size_t i = get_global_id(0);

    /* length(norm, points) */
    float sum = 0.0f;
    for (int k = 0; k < LANES; k++)
        sum += points[i * LANES + k] * points[i * LANES + k];
    float norm_i = ROOT(sum);

    /* weigh(norm, weight) */
    norm_i *= weight[i];
    norm[i] = norm_i;
}
#endif
