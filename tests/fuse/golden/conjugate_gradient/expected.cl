/* axpy, axpy and xpby in one kernel */
__kernel void axpy_xpby(__global float *p, __global float *x, __global float *r,
                        __global const float *q, const float alpha,
                        const float minus_alpha, const float beta, const uint n)
{
    const size_t i = get_global_id(0);
    if (i >= n) return;

    /* axpy(x, alpha, p, n) */
    const float p_i = p[i];
    x[i] += alpha * p_i;

    /* axpy(r, minus_alpha, q, n) */
    float r_i = r[i];
    r_i += minus_alpha * q[i];
    r[i] = r_i;

    /* xpby(p, beta, r, n) */
    p[i] = r_i + beta * p_i;
}
