/*
 * Kernels of the convolution library.  One work-item computes one element of the result; the
 * host rounds the range up to whole work-groups, hence the guards.  Where a neighbour would be
 * outside, the nearest element that is inside takes its place.
 */
#pragma OPENCL FP_CONTRACT OFF

#define RADIUS 8 /* of row and column; that of the blurs is 2 */

/* Weighted sums of elements to the left and to the right, and then above and below. */
kernel void row(global float *result, global const float *source, constant float *weights,
                const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height) {
        float sum = 0.0f;

        for (int i = -RADIUS; i <= RADIUS; i++)
            sum += weights[i + RADIUS] * source[y * width + clamp(x + i, 0, width - 1)];
        result[y * width + x] = sum;
    }
}

kernel void column(global float *result, global const float *source, constant float *weights,
                   const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height) {
        float sum = 0.0f;

        for (int i = -RADIUS; i <= RADIUS; i++)
            sum += weights[i + RADIUS] * source[clamp(y + i, 0, height - 1) * width + x];
        result[y * width + x] = sum;
    }
}

/* ---- 17 x 17 weights, and ways to load less ---- */

#define SIDE (2 * RADIUS + 1)
#define GROUP 16 /* items of a work-group on each side */
#define TILE (GROUP + 2 * RADIUS)

kernel void full(global float *result, global const float *source, constant float *weights,
                 const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height) {
        float sum = 0.0f;

        for (int j = -RADIUS; j <= RADIUS; j++) {
            const int line = clamp(y + j, 0, height - 1) * width;

            for (int i = -RADIUS; i <= RADIUS; i++)
                sum += weights[(j + RADIUS) * SIDE + i + RADIUS]
                       * source[line + clamp(x + i, 0, width - 1)];
        }
        result[y * width + x] = sum;
    }
}

/* All that a group needs is loaded once: each item loads four elements. */
kernel void full_tile(global float *result, global const float *source, constant float *weights,
                      const int width, const int height)
{
    local float tile[TILE][TILE];
    const int x = get_global_id(0), y = get_global_id(1);
    const int column = get_local_id(0), row = get_local_id(1);

    for (int j = row; j < TILE; j += GROUP) {
        const int line = clamp(y - row - RADIUS + j, 0, height - 1) * width;

        for (int i = column; i < TILE; i += GROUP)
            tile[j][i] = source[line + clamp(x - column - RADIUS + i, 0, width - 1)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < width && y < height) {
        float sum = 0.0f;

        for (int j = 0; j < SIDE; j++) {
            for (int i = 0; i < SIDE; i++)
                sum += weights[j * SIDE + i] * tile[row + j][column + i];
        }
        result[y * width + x] = sum;
    }
}

kernel void row_tile(global float *result, global const float *source, constant float *weights,
                     const int width, const int height)
{
    local float tile[GROUP][TILE];
    const int x = get_global_id(0), y = get_global_id(1);
    const int column = get_local_id(0), row = get_local_id(1);

    for (int i = column; i < TILE; i += GROUP)
        tile[row][i] = source[min(y, height - 1) * width
                              + clamp(x - column - RADIUS + i, 0, width - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < width && y < height) {
        float sum = 0.0f;

        for (int i = 0; i < SIDE; i++)
            sum += weights[i] * tile[row][column + i];
        result[y * width + x] = sum;
    }
}

kernel void column_tile(global float *result, global const float *source, constant float *weights,
                        const int width, const int height)
{
    local float tile[TILE][GROUP];
    const int x = get_global_id(0), y = get_global_id(1);
    const int column = get_local_id(0), row = get_local_id(1);

    for (int j = row; j < TILE; j += GROUP)
        tile[j][column] = source[clamp(y - row - RADIUS + j, 0, height - 1) * width
                                 + min(x, width - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (x < width && y < height) {
        float sum = 0.0f;

        for (int j = 0; j < SIDE; j++)
            sum += weights[j] * tile[row + j][column];
        result[y * width + x] = sum;
    }
}

/* ---- Corners ---- */

/* Sobel's derivatives, over 12. */
kernel void derivative_x(global float *result, global const float *source,
                         const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const int left = max(x - 1, 0), right = min(x + 1, width - 1);
    const int above = max(y - 1, 0) * width, below = min(y + 1, height - 1) * width;

    if (x >= width || y >= height)
        return;
    result[y * width + x] = (source[above + right] - source[above + left]) * (1.0f / 12)
                            + (source[y * width + right] - source[y * width + left]) * (1.0f / 6)
                            + (source[below + right] - source[below + left]) * (1.0f / 12);
}

kernel void derivative_y(global float *result, global const float *source,
                         const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const int left = max(x - 1, 0), right = min(x + 1, width - 1);
    const int above = max(y - 1, 0) * width, below = min(y + 1, height - 1) * width;

    if (x >= width || y >= height)
        return;
    result[y * width + x] = (source[below + left] - source[above + left]) * (1.0f / 12)
                            + (source[below + x] - source[above + x]) * (1.0f / 6)
                            + (source[below + right] - source[above + right]) * (1.0f / 12);
}

kernel void product(global float *result, global const float *a, global const float *b,
                    const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height)
        result[y * width + x] = a[y * width + x] * b[y * width + x];
}

/* The sum of 3 x 3 elements. */
kernel void box(global float *result, global const float *source,
                const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height) {
        float sum = 0.0f;

        for (int j = -1; j <= 1; j++) {
            const int line = clamp(y + j, 0, height - 1) * width;

            for (int i = -1; i <= 1; i++)
                sum += source[line + clamp(x + i, 0, width - 1)];
        }
        result[y * width + x] = sum;
    }
}

/* Harris's: the determinant, less 0.04 times the square of the trace. */
kernel void response(global float *result, global const float *xx, global const float *yy,
                     global const float *xy, const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height) {
        const int i = y * width + x;
        const float trace = xx[i] + yy[i];

        result[i] = xx[i] * yy[i] - xy[i] * xy[i] - 0.04f * trace * trace;
    }
}

/* ---- Unsharp mask, on pixels of four channels ---- */

constant float bell[5] = {1.0f / 16, 4.0f / 16, 6.0f / 16, 4.0f / 16, 1.0f / 16};

kernel void blur_x(global float4 *result, global const float4 *source,
                   const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height) {
        float4 sum = 0.0f;

        for (int i = 0; i < 5; i++)
            sum += bell[i] * source[y * width + clamp(x + i - 2, 0, width - 1)];
        result[y * width + x] = sum;
    }
}

kernel void blur_y(global float4 *result, global const float4 *source,
                   const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height) {
        float4 sum = 0.0f;

        for (int i = 0; i < 5; i++)
            sum += bell[i] * source[clamp(y + i - 2, 0, height - 1) * width + x];
        result[y * width + x] = sum;
    }
}

/* Three times what blurring leaves out is added. */
kernel void sharpen(global float4 *result, global const float4 *source,
                    global const float4 *blurred, const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height)
        result[y * width + x] = 4.0f * source[y * width + x] - 3.0f * blurred[y * width + x];
}

/* Channels that blurring hardly changes stay what they were. */
kernel void mask(global float4 *result, global const float4 *source, global const float4 *blurred,
                 global const float4 *sharp, const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height) {
        const int i = y * width + x;

        result[i] = select(sharp[i], source[i], fabs(source[i] - blurred[i]) < 0.001f);
    }
}
