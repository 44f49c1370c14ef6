/*
 * Kernels of the image library, pixels in buffers.  One work-item computes one pixel
 * of the result; the host rounds the range up to whole work-groups, hence the guards.
 *
 * No pointer is restrict: most kernels may be called in place.
 */

/* Red, green and blue from 0 to 1 as hue, saturation and value, alpha kept; no branches. */
float4 hsv_of(const float4 rgb)
{
    const float larger = max(rgb.y, rgb.z), smaller = min(rgb.y, rgb.z); /* of green and blue */
    const float value = max(rgb.x, larger);
    const float middle = min(rgb.x, larger);
    const float range = value - min(middle, smaller);

    /*
     * Where on the circle the value's colour stands, so that the way from there, which is not
     * negative, leads to the hue or to its opposite.
     */
    const float below = select(0.0f, -1.0f, rgb.y < rgb.z);
    const float start = select(below, -1.0f / 3.0f - below, rgb.x < larger);

    /* One division of two: of the way and of the saturation, both 0 without colour. */
    const float2 shares = (float2)(middle - smaller, range)
                          / (float2)(6.0f * range + 1e-20f, value + 1e-20f);

    return (float4)(fabs(start + shares.x), shares.y, value, rgb.w);
}

/* And back. */
float4 rgb_of(const float4 hsv)
{
    const float3 away = fabs(6.0f * hsv.x - (float3)(3.0f, 2.0f, 4.0f));
    const float3 bent = (float3)(away.x - 1.0f, 2.0f - away.yz);
    const float range = hsv.y * hsv.z;

    return (float4)(hsv.z - range + range * clamp(bent, 0.0f, 1.0f), hsv.w);
}

kernel void to_hsv(global float4 *result, global const float4 *source,
                   const uint width, const uint height)
{
    const size_t x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height)
        result[y * width + x] = hsv_of(source[y * width + x]);
}

kernel void to_rgb(global float4 *result, global const float4 *source,
                   const uint width, const uint height)
{
    const size_t x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height)
        result[y * width + x] = rgb_of(source[y * width + x]);
}

/* Every pixel gets the hue. */
kernel void colorize(global float4 *result, global const float4 *source, const float hue,
                     const uint width, const uint height)
{
    const size_t x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height) {
        float4 pixel = source[y * width + x];
        pixel.x = hue;
        result[y * width + x] = pixel;
    }
}

kernel void greyscale(global float4 *result, global const float4 *source,
                      const uint width, const uint height)
{
    const size_t x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height) {
        const float4 pixel = source[y * width + x];
        const float grey = 0.2126f * pixel.x + 0.7152f * pixel.y + 0.0722f * pixel.z;
        result[y * width + x] = (float4)(grey, grey, grey, pixel.w);
    }
}

/* White where the mean of red, green and blue reaches the level, black elsewhere. */
kernel void threshold(global float4 *result, global const float4 *source, const float level,
                      const uint width, const uint height)
{
    const size_t x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height) {
        const float4 pixel = source[y * width + x];
        const float mean = (pixel.x + pixel.y + pixel.z) / 3.0f;
        const float white = mean >= level ? 1.0f : 0.0f;
        result[y * width + x] = (float4)(white, white, white, pixel.w);
    }
}

/* What lies from black to white is spread from 0 to 1, bent by gamma. */
kernel void levels(global float4 *result, global const float4 *source,
                   const float black, const float white, const float gamma,
                   const uint width, const uint height)
{
    const size_t x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height) {
        const float4 pixel = source[y * width + x];
        const float4 spread = clamp((pixel - black) / (white - black), 0.0f, 1.0f);
        const float4 bent = pow(spread, (float4)(1.0f / gamma));
        result[y * width + x] = (float4)(bent.xyz, pixel.w);
    }
}

kernel void invert(global float4 *result, global const float4 *source,
                   const uint width, const uint height)
{
    const size_t x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height) {
        const float4 pixel = source[y * width + x];
        result[y * width + x] = (float4)(1.0f - pixel.xyz, pixel.w);
    }
}

/* The alpha of a result is that of the left one.  The operators are those of image.h. */
kernel void binary(global float4 *result, global const float4 *left, global const float4 *right,
                   const int operator, const uint width, const uint height)
{
    const size_t x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height) {
        const float4 a = left[y * width + x];
        const float4 b = right[y * width + x];
        float4 value;

        switch (operator) {
        case 0:
            value = a + b;
            break;
        case 1:
            value = a - b;
            break;
        case 2:
            value = a * b;
            break;
        case 3:
            value = a / fmax(b, 1.0f / 256.0f);
            break;
        default:
            value = (a + b) / 2.0f;
        }
        result[y * width + x] = (float4)(clamp(value.xyz, 0.0f, 1.0f), a.w);
    }
}

/*
 * The pixel whose place is nearest to the middle of this one.  The steps are half the sizes of
 * the source over those of the result, times 2^32: whole numbers are hard to divide by.
 */
kernel void resize(global float4 *result, global const float4 *source, const uint source_width,
                   const ulong x_step, const ulong y_step, const uint width, const uint height)
{
    const size_t x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height) {
        const size_t from_x = ((2 * (ulong)x + 1) * x_step) >> 32;
        const size_t from_y = ((2 * (ulong)y + 1) * y_step) >> 32;
        result[y * width + x] = source[from_y * source_width + from_x];
    }
}

kernel void crop(global float4 *result, global const float4 *source,
                 const uint source_width, const uint left, const uint top,
                 const uint width, const uint height)
{
    const size_t x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height)
        result[y * width + x] = source[(y + top) * source_width + x + left];
}

/* Sums of 3 x 3 pixels, the alpha of the one in the middle kept. */
kernel void convolve_3(global float4 *result, global const float4 *source,
                       global const float *matrix, const uint width, const uint height)
{
    local float weights[9];
    event_t copied = async_work_group_copy(weights, matrix, 9, 0);
    const size_t x = get_global_id(0), y = get_global_id(1);

    wait_group_events(1, &copied);
    if (x < width && y < height) {
        float3 sum = 0.0f;

        for (int j = 0; j < 3; j++) {
            const int row = clamp((int)y + j - 1, 0, (int)height - 1);
            for (int i = 0; i < 3; i++) {
                const int column = clamp((int)x + i - 1, 0, (int)width - 1);
                sum += weights[3 * j + i] * source[row * width + column].xyz;
            }
        }
        result[y * width + x] = (float4)(clamp(sum, 0.0f, 1.0f), source[y * width + x].w);
    }
}

/* The same of 5 x 5 pixels. */
kernel void convolve_5(global float4 *result, global const float4 *source,
                       global const float *matrix, const uint width, const uint height)
{
    local float weights[25];
    event_t copied = async_work_group_copy(weights, matrix, 25, 0);
    const size_t x = get_global_id(0), y = get_global_id(1);

    wait_group_events(1, &copied);
    if (x < width && y < height) {
        float3 sum = 0.0f;

        for (int j = 0; j < 5; j++) {
            const int row = clamp((int)y + j - 2, 0, (int)height - 1);
            for (int i = 0; i < 5; i++) {
                const int column = clamp((int)x + i - 2, 0, (int)width - 1);
                sum += weights[5 * j + i] * source[row * width + column].xyz;
            }
        }
        result[y * width + x] = (float4)(clamp(sum, 0.0f, 1.0f), source[y * width + x].w);
    }
}
