__kernel void produce(__global float *y, __global const float *x, double16 a, double16 b,
                      double16 c, double16 d)
{
    const size_t i = get_global_id(0);
    y[i] = x[i] + a.s0 + b.s1 + c.s2 + d.s3;
}

__kernel void consume(__global float *y, __global const float *x, double16 a, double16 b,
                      double16 c, double16 d)
{
    const size_t i = get_global_id(0);
    y[i] = x[i] - a.s0 * b.s1 * c.s2 * d.s3;
}
