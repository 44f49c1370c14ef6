/* Where rows overlap, all that store to an element store the same. */
__kernel void produce(__global float *y, __global const float *x, int width, int height, int pitch)
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (column < width && row < height)
        y[row * pitch + column] = 2.0f * x[row * pitch + column];
}

__kernel void consume(__global float *y, __global const float *x, int width, int height, int pitch)
{
    const int column = get_global_id(0);
    const int row = get_global_id(1);
    if (column >= width || row >= height)
        return;
    y[row * pitch + column] = x[row * pitch + column] + 1.0f;
}
