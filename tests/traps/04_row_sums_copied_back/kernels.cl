/* Eight rows of eight elements: item i sums up the row that it belongs to. */
__kernel void produce(__global float *y, __global const float *x)
{
    const int i = get_global_id(0);
    float sum = 0.0f;
    for (int s = 0; s < 8; s++)
        sum += x[i / 8 * 8 + s];
    y[i] = sum;
}

__kernel void consume(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    y[i] = x[i];
}
