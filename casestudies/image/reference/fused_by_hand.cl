
/*
 * Fused kernels, to be appended to image.cl.  Every intermediate is rounded as if
 * it had been stored: one variable of type float4, one statement each.
 *
 * The few weights are read through a cache by all items, so there is nothing to
 * copy to local memory, and nothing to wait for.
 */

/* The pixels a and b by one of the operators of image.h. */
float4 combined(const float4 a, const float4 b, const int operator)
{
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
    return (float4)(clamp(value.xyz, 0.0f, 1.0f), a.w);
}

float4 grey_of(const float4 pixel)
{
    const float grey = 0.2126f * pixel.x + 0.7152f * pixel.y + 0.0722f * pixel.z;

    return (float4)(grey, grey, grey, pixel.w);
}

/* The sum around (x, y) of 3 x 3 pixels, the alpha of the one in the middle kept. */
float4 sum_of_9(global const float4 *source, constant float *weights,
                const int x, const int y, const int width, const int height)
{
    const int columns[] = {max(x - 1, 0), x, min(x + 1, width - 1)};
    const int rows[] = {max(y - 1, 0), y, min(y + 1, height - 1)};
    float3 sum = 0.0f;

    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++)
            sum += weights[3 * j + i] * source[rows[j] * width + columns[i]].xyz;
    }
    return (float4)(clamp(sum, 0.0f, 1.0f), source[y * width + x].w);
}

/* larger = resize(picture); hsv = to_hsv(larger); ...; result = invert(rgb) */
kernel void fused_recolour(global float4 *result, global const float4 *picture,
                           const float hue, const uint picture_width,
                           const ulong x_step, const ulong y_step,
                           const uint width, const uint height)
{
    const size_t x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height) {
        const size_t from_x = ((2 * (ulong)x + 1) * x_step) >> 32;
        const size_t from_y = ((2 * (ulong)y + 1) * y_step) >> 32;
        float4 hsv = hsv_of(picture[from_y * picture_width + from_x]);
        hsv.x = hue;
        const float4 rgb = rgb_of(hsv);
        result[y * width + x] = (float4)(1.0f - rgb.xyz, rgb.w);
    }
}

/* hsv = to_hsv(convolve(first)); other = to_hsv(second); result = to_rgb(hsv ? other) */
kernel void fused_mix(global float4 *result, const int operator,
                      global const float4 *first, constant float *blur,
                      global const float4 *second, const uint width, const uint height)
{
    const size_t x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height) {
        const float4 hsv = hsv_of(sum_of_9(first, blur, x, y, width, height));
        const float4 other = hsv_of(second[y * width + x]);
        const float4 mixed = combined(hsv, other, operator);
        result[y * width + x] = rgb_of(mixed);
    }
}

/* grey = greyscale(convolve(first)); other = greyscale(convolve(second)); grey ? other */
kernel void fused_grey_difference(global float4 *result, const int operator,
                                  global const float4 *first, constant float *blur,
                                  global const float4 *second, constant float *sharpen,
                                  const uint width, const uint height)
{
    const size_t x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height) {
        const float4 grey = grey_of(sum_of_9(first, blur, x, y, width, height));
        const float4 other = grey_of(sum_of_9(second, sharpen, x, y, width, height));
        result[y * width + x] = combined(grey, other, operator);
    }
}

/* blurred = convolve(first); sharpened = convolve(second); blurred ? sharpened */
kernel void fused_difference(global float4 *result, const int operator,
                             global const float4 *first, constant float *blur,
                             global const float4 *second, constant float *sharpen,
                             const uint width, const uint height)
{
    const size_t x = get_global_id(0), y = get_global_id(1);

    if (x < width && y < height) {
        const float4 blurred = sum_of_9(first, blur, x, y, width, height);
        const float4 sharpened = sum_of_9(second, sharpen, x, y, width, height);
        result[y * width + x] = combined(blurred, sharpened, operator);
    }
}
