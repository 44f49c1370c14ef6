/* `t` is written without gaps; the square at its left goes back to where the rows came from. */
__kernel void produce(__global float *t, __global float *x, int width, int height, int pitch)
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (column < width && row < height)
        t[row * width + column] = 2.0f * x[row * pitch + column];
}

__kernel void consume(__global float *x, __global float *t, int width, int height, int pitch)
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (column < height && row < height)
        x[row * pitch + column] = 0.5f + t[row * width + column];
}
