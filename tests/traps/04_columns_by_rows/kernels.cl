/* Rows of eight elements, an item for each of them. */
__kernel void produce(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    for (int s = 0; s < 8; s++)
        y[i * 8 + s] = 2.0f * x[i * 8 + s];
}

__kernel void consume(__global float *y, __global const float *x)
{
    const size_t i = get_global_id(0);
    for (int s = 0; s < 8; s++)
        y[i * 8 + s] = x[i * 8 + s] - 1.0f;
}
