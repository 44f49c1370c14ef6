/* y += alpha x */
__kernel void axpy(__global float *y, const float alpha, __global const float *x, const uint n)
{
    const size_t i = get_global_id(0);
    if (i >= n) return;
    y[i] += alpha * x[i];
}

/* y = x + beta y */
__kernel void xpby(__global float *y, const float beta, __global const float *x, const uint n)
{
    const size_t i = get_global_id(0);
    if (i >= n) return;
    y[i] = x[i] + beta * y[i];
}
