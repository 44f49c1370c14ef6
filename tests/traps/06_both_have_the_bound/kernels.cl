/* Rows of 6 elements, covered by 8 x 8 items. */
__kernel void produce(__global float *y, __global const float *x)
{
    const size_t column = get_global_id(0);
    const size_t row = get_global_id(1);
    if (column >= 6)
        return;
    y[row * 6 + column] = 2.0f * x[row * 8 + column];
}

__kernel void consume(__global float *y, __global const float *x)
{
    const size_t column = get_global_id(0);
    const size_t row = get_global_id(1);
    if (column < 6)
        y[row * 6 + column] = x[row * 6 + column];
}
