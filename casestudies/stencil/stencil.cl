/*
 * Kernels of the stencil library: each element of the result is computed from its neighbours in
 * the source, by one work-item.  The host rounds the range up to whole work-groups, hence the
 * guards.
 */
#pragma OPENCL FP_CONTRACT OFF

/* ---- In two dimensions; outside of the plane the nearest element counts ---- */

/* The mean of an element and the four beside it. */
kernel void jacobi(global float *result, global const float *source,
                   const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height) {
        const int left = max(x - 1, 0), right = min(x + 1, width - 1);
        const int above = max(y - 1, 0), below = min(y + 1, height - 1);

        result[y * width + x] = 0.2f * (source[above * width + x] + source[y * width + left]
                                        + source[y * width + x] + source[y * width + right]
                                        + source[below * width + x]);
    }
}

/* exp(-d^2 / 4.5) at a distance of d, a standard deviation of 1.5, over the sum of all. */
constant float gaussian_weights[5][5] = {
    {0.01441882f, 0.02808402f, 0.03507270f, 0.02808402f, 0.01441882f},
    {0.02808402f, 0.05470021f, 0.06831229f, 0.05470021f, 0.02808402f},
    {0.03507270f, 0.06831229f, 0.08531173f, 0.06831229f, 0.03507270f},
    {0.02808402f, 0.05470021f, 0.06831229f, 0.05470021f, 0.02808402f},
    {0.01441882f, 0.02808402f, 0.03507270f, 0.02808402f, 0.01441882f},
};

kernel void gaussian(global float *result, global const float *source,
                     const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height) {
        float sum = 0.0f;

        for (int j = -2; j <= 2; j++) {
            const int row = clamp(y + j, 0, height - 1);

            for (int i = -2; i <= 2; i++)
                sum += gaussian_weights[j + 2][i + 2]
                       * source[row * width + clamp(x + i, 0, width - 1)];
        }
        result[y * width + x] = sum;
    }
}

#define AT(i, j) source[clamp(y + (j), 0, height - 1) * width + clamp(x + (i), 0, width - 1)]

kernel void sobel_x(global float *result, global const float *source,
                    const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height)
        result[y * width + x] = AT(1, -1) - AT(-1, -1) + 2.0f * (AT(1, 0) - AT(-1, 0))
                                + AT(1, 1) - AT(-1, 1);
}

kernel void sobel_y(global float *result, global const float *source,
                    const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height)
        result[y * width + x] = AT(-1, 1) - AT(-1, -1) + 2.0f * (AT(0, 1) - AT(0, -1))
                                + AT(1, 1) - AT(1, -1);
}

kernel void magnitude(global float *result, global const float *dx, global const float *dy,
                      const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height) {
        const int i = y * width + x;

        result[i] = sqrt(dx[i] * dx[i] + dy[i] * dy[i]);
    }
}

/*
 * What is less steep than one of its two neighbours across the edge goes: the edge is thin then.
 * It is looked at in the nearest of four directions; tan(22.5 degrees) is 0.41421356.
 */
kernel void thin(global float *result, global const float *steep, global const float *dx,
                 global const float *dy, const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height) {
        const int i = y * width + x;
        const float across = fabs(dx[i]), down = fabs(dy[i]);
        const int left = max(x - 1, 0), right = min(x + 1, width - 1);
        const int above = max(y - 1, 0) * width, below = min(y + 1, height - 1) * width;
        float first, second;

        if (down <= 0.41421356f * across) {
            first = steep[y * width + left];
            second = steep[y * width + right];
        } else if (across <= 0.41421356f * down) {
            first = steep[above + x];
            second = steep[below + x];
        } else if (dx[i] * dy[i] > 0.0f) {
            first = steep[above + left];
            second = steep[below + right];
        } else {
            first = steep[above + right];
            second = steep[below + left];
        }
        result[i] = steep[i] >= first && steep[i] >= second ? steep[i] : 0.0f;
    }
}

/* Conway's game: born with three neighbours, alive with two or three; the edges are joined. */
kernel void life(global uchar *result, global const uchar *source,
                 const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height) {
        const int left = (x + width - 1) % width, right = (x + 1) % width;
        const int above = (y + height - 1) % height * width, here = y * width;
        const int below = (y + 1) % height * width;
        const int around = source[above + left] + source[above + x] + source[above + right]
                           + source[here + left] + source[here + right]
                           + source[below + left] + source[below + x] + source[below + right];

        result[here + x] = around == 3 || (around == 2 && source[here + x] != 0);
    }
}

/*
 * The temperatures of a chip one time step on: heat comes from its power and from the cells
 * beside each, and goes to the air.
 */
kernel void hotspot(global float *result, global const float *source, global const float *power,
                    const float step_over_capacity, const float rx, const float ry,
                    const float rz, const float air, const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height) {
        const int i = y * width + x;
        const float here = source[i];
        const float left = x > 0 ? source[i - 1] : here;
        const float right = x < width - 1 ? source[i + 1] : here;
        const float above = y > 0 ? source[i - width] : here;
        const float below = y < height - 1 ? source[i + width] : here;

        result[i] = here
                    + step_over_capacity
                          * (power[i] + ((right - here) + (left - here)) / rx
                             + ((below - here) + (above - here)) / ry + (air - here) / rz);
    }
}

/* ---- In three dimensions; outside of the volume the nearest element counts ---- */

kernel void heat_3d(global float *result, global const float *source,
                    const int width, const int height, const int depth)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);

    if (x < width && y < height && z < depth) {
        const int left = max(x - 1, 0), right = min(x + 1, width - 1);
        const int above = max(y - 1, 0), below = min(y + 1, height - 1);
        const int front = max(z - 1, 0), back = min(z + 1, depth - 1);
        const float here = source[(z * height + y) * width + x];

        result[(z * height + y) * width + x] =
            0.125f * (source[(front * height + y) * width + x] - 2.0f * here
                      + source[(back * height + y) * width + x])
            + 0.125f * (source[(z * height + above) * width + x] - 2.0f * here
                        + source[(z * height + below) * width + x])
            + 0.125f * (source[(z * height + y) * width + left] - 2.0f * here
                        + source[(z * height + y) * width + right])
            + here;
    }
}

kernel void jacobi_3d(global float *result, global const float *source,
                      const int width, const int height, const int depth)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const int layer = width * height;

    if (x < width && y < height && z < depth) {
        const int i = z * layer + y * width + x;

        result[i] = (source[i] + source[x > 0 ? i - 1 : i] + source[x < width - 1 ? i + 1 : i]
                     + source[y > 0 ? i - width : i] + source[y < height - 1 ? i + width : i]
                     + source[z > 0 ? i - layer : i] + source[z < depth - 1 ? i + layer : i])
                    / 7.0f;
    }
}

/* ---- Elements at the border stay as they are ---- */

/* Means of an element and of those on its axes, or of all around it, up to a distance. */
kernel void star_2d_1(global float *result, global const float *source,
                      const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);

    if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
        const int i = y * width + x;

        result[i] = (source[i - width] + source[i - 1] + source[i] + source[i + 1]
                     + source[i + width])
                    / 5.0f;
    }
}

kernel void star_2d_2(global float *result, global const float *source,
                      const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);

    if (x >= 2 && x < width - 2 && y >= 2 && y < height - 2) {
        float sum = source[y * width + x];

        for (int away = 1; away <= 2; away++)
            sum += source[(y - away) * width + x] + source[(y + away) * width + x]
                   + source[y * width + x - away] + source[y * width + x + away];
        result[y * width + x] = sum / 9.0f;
    }
}

kernel void box_2d_1(global float *result, global const float *source,
                     const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);

    if (x < 1 || x >= width - 1 || y < 1 || y >= height - 1)
        return;
    float sum = 0.0f;
    for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++)
            sum += source[(y + j) * width + x + i];
    }
    result[y * width + x] = sum / 9.0f;
}

kernel void box_2d_2(global float *result, global const float *source,
                     const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);

    if (x < 2 || x >= width - 2 || y < 2 || y >= height - 2)
        return;
    float sum = 0.0f;
    for (int j = -2; j <= 2; j++) {
        for (int i = -2; i <= 2; i++)
            sum += source[(y + j) * width + x + i];
    }
    result[y * width + x] = sum / 25.0f;
}

/* Grows most where the plane is flat. */
kernel void gradient(global float *result, global const float *source,
                     const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);

    if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
        const float here = source[y * width + x];
        const float above = here - source[(y - 1) * width + x];
        const float left = here - source[y * width + x - 1];
        const float right = here - source[y * width + x + 1];
        const float below = here - source[(y + 1) * width + x];

        result[y * width + x] = here
                                + 1.0f / sqrt(0.0001f + above * above + left * left
                                              + right * right + below * below);
    }
}

kernel void star_3d_1(global float *result, global const float *source,
                      const int width, const int height, const int depth)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const int layer = width * height;

    if (x > 0 && x < width - 1 && y > 0 && y < height - 1 && z > 0 && z < depth - 1) {
        const int i = z * layer + y * width + x;

        result[i] = (source[i - layer] + source[i - width] + source[i - 1] + source[i]
                     + source[i + 1] + source[i + width] + source[i + layer])
                    / 7.0f;
    }
}

kernel void star_3d_2(global float *result, global const float *source,
                      const int width, const int height, const int depth)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);

    if (x >= 2 && x < width - 2 && y >= 2 && y < height - 2 && z >= 2 && z < depth - 2) {
        float sum = source[(z * height + y) * width + x];

        for (int away = 1; away <= 2; away++)
            sum += source[((z - away) * height + y) * width + x]
                   + source[((z + away) * height + y) * width + x]
                   + source[(z * height + y - away) * width + x]
                   + source[(z * height + y + away) * width + x]
                   + source[(z * height + y) * width + x - away]
                   + source[(z * height + y) * width + x + away];
        result[(z * height + y) * width + x] = sum / 13.0f;
    }
}

kernel void box_3d_1(global float *result, global const float *source,
                     const int width, const int height, const int depth)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);

    if (x < 1 || x >= width - 1 || y < 1 || y >= height - 1 || z < 1 || z >= depth - 1)
        return;
    float sum = 0.0f;
    for (int k = -1; k <= 1; k++) {
        for (int j = -1; j <= 1; j++) {
            for (int i = -1; i <= 1; i++)
                sum += source[((z + k) * height + y + j) * width + x + i];
        }
    }
    result[(z * height + y) * width + x] = sum / 27.0f;
}
