__kernel void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    const double sum = (double)x[i] + 1e-7;
    y[i] = sum * 1.1;
}

__kernel void consume(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    const double exact = x[i];
    y[i] = (exact - (float)exact) + exact * 3.0;
}
