/* Dense linear algebra, one row or element for each item. */
__kernel void product(__global float *c, __global const float *a, __global const float *b, int n)
{
    __local float as[8][8];
    __local float bs[8][8];
    int row = get_global_id(1), column = get_global_id(0);
    int y = get_local_id(1), x = get_local_id(0);
    float sum = 0;

    for (int tile = 0; tile < n / 8; tile++) {
        as[y][x] = a[row * n + tile * 8 + x];
        bs[y][x] = b[(tile * 8 + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 8; k++)
            sum += as[y][k] * bs[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < n && column < n)
        c[row * n + column] = sum;
}

__kernel void damp(__global float *c, float factor, int n)
{
    int row = get_global_id(1), column = get_global_id(0);
    if (row < n && column < n)
        c[row * n + column] *= factor;
}

/* Row by row: needs what is above. */
__kernel void forward(__global float *x, __global const float *l, __global const float *b, int n)
{
    int column = get_global_id(0);
    if (get_global_id(1) > 0) return;
    for (int row = 0; row < n; row++) {
        float sum = b[row * n + column];
        for (int k = 0; k < row; k++)
            sum -= l[row * n + k] * x[k * n + column];
        x[row * n + column] = sum;
    }
}
