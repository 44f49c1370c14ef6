
/*
 * Fused kernels, to be appended to texture.cl.  Every intermediate is rounded as if it had
 * been stored in an image of floats: one variable of type float4, one statement each.
 *
 * The few weights are read through the constant cache, so there is nothing to copy to local
 * memory, and nothing to wait for.
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

/*
 * The sum around a place of 3 x 3 pixels, the alpha of the one in the middle kept.  With the
 * loops unrolled no texel is read twice, and no condition is left.
 */
float4 sum_of_9(read_only image2d_t source, constant float *weights, const int2 at)
{
    const float4 middle = read_imagef(source, nearest, at);
    float3 sum = 0.0f;

#pragma unroll
    for (int j = 0; j < 3; j++) {
#pragma unroll
        for (int i = 0; i < 3; i++) {
            const int2 away = (int2)(i - 1, j - 1);
            const float4 pixel =
                i == 1 && j == 1 ? middle : read_imagef(source, nearest, at + away);
            sum += weights[3 * j + i] * pixel.xyz;
        }
    }
    return (float4)(clamp(sum, 0.0f, 1.0f), middle.w);
}

/* larger = resize(picture); hsv = to_hsv(larger); ...; result = invert(rgb) */
kernel void fused_recolour(write_only image2d_t result, read_only image2d_t picture,
                           const float hue,
                           const ulong x_step, const ulong y_step, const int width, const int height)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    if (at.x < width && at.y < height) {
        const int2 from = (int2)(((2 * (ulong)at.x + 1) * x_step) >> 32,
                                 ((2 * (ulong)at.y + 1) * y_step) >> 32);
        float4 hsv = hsv_of(read_imagef(picture, nearest, from));
        hsv.x = hue;
        const float4 rgb = rgb_of(hsv);
        write_imagef(result, at, (float4)(1.0f - rgb.xyz, rgb.w));
    }
}

/* hsv = to_hsv(convolve(first)); other = to_hsv(second); result = to_rgb(hsv ? other) */
kernel void fused_mix(write_only image2d_t result, const int operator,
                      read_only image2d_t first, constant float *blur,
                      read_only image2d_t second, const int width, const int height)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    if (at.x < width && at.y < height) {
        const float4 hsv = hsv_of(sum_of_9(first, blur, at));
        const float4 other = hsv_of(read_imagef(second, nearest, at));
        const float4 mixed = combined(hsv, other, operator);
        write_imagef(result, at, rgb_of(mixed));
    }
}

/* grey = greyscale(convolve(first)); other = greyscale(convolve(second)); grey ? other */
kernel void fused_grey_difference(write_only image2d_t result, const int operator,
                                  read_only image2d_t first, constant float *blur,
                                  read_only image2d_t second, constant float *sharpen,
                                  const int width, const int height)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    if (at.x < width && at.y < height) {
        const float4 grey = grey_of(sum_of_9(first, blur, at));
        const float4 other = grey_of(sum_of_9(second, sharpen, at));
        write_imagef(result, at, combined(grey, other, operator));
    }
}

/* blurred = convolve(first); sharpened = convolve(second); blurred ? sharpened */
kernel void fused_difference(write_only image2d_t result, const int operator,
                             read_only image2d_t first, constant float *blur,
                             read_only image2d_t second, constant float *sharpen,
                             const int width, const int height)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    if (at.x < width && at.y < height) {
        const float4 blurred = sum_of_9(first, blur, at);
        const float4 sharpened = sum_of_9(second, sharpen, at);
        write_imagef(result, at, combined(blurred, sharpened, operator));
    }
}
