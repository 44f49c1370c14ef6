/*
 * Kernels of the image library, pixels in images of OpenCL (image2d_t).  One work-item
 * computes one pixel of the result; the host rounds the range up to whole work-groups,
 * hence the guards.
 *
 * No picture is both read and written by a kernel: OpenCL does not allow it.
 */

/* Coordinates are those of texels; what lies outside is the nearest texel inside. */
constant sampler_t nearest =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

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

kernel void to_hsv(write_only image2d_t result, read_only image2d_t source,
                   const int width, const int height)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    if (at.x < width && at.y < height)
        write_imagef(result, at, hsv_of(read_imagef(source, nearest, at)));
}

kernel void to_rgb(write_only image2d_t result, read_only image2d_t source,
                   const int width, const int height)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    if (at.x < width && at.y < height)
        write_imagef(result, at, rgb_of(read_imagef(source, nearest, at)));
}

/* Every pixel gets the hue. */
kernel void colorize(write_only image2d_t result, read_only image2d_t source, const float hue,
                     const int width, const int height)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    if (at.x < width && at.y < height) {
        float4 pixel = read_imagef(source, nearest, at);
        pixel.x = hue;
        write_imagef(result, at, pixel);
    }
}

kernel void greyscale(write_only image2d_t result, read_only image2d_t source,
                      const int width, const int height)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    if (at.x < width && at.y < height) {
        const float4 pixel = read_imagef(source, nearest, at);
        const float grey = 0.2126f * pixel.x + 0.7152f * pixel.y + 0.0722f * pixel.z;
        write_imagef(result, at, (float4)(grey, grey, grey, pixel.w));
    }
}

/* White where the mean of red, green and blue reaches the level, black elsewhere. */
kernel void threshold(write_only image2d_t result, read_only image2d_t source, const float level,
                      const int width, const int height)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    if (at.x < width && at.y < height) {
        const float4 pixel = read_imagef(source, nearest, at);
        const float mean = (pixel.x + pixel.y + pixel.z) / 3.0f;
        const float white = mean >= level ? 1.0f : 0.0f;
        write_imagef(result, at, (float4)(white, white, white, pixel.w));
    }
}

/* What lies from black to white is spread from 0 to 1, bent by gamma. */
kernel void levels(write_only image2d_t result, read_only image2d_t source,
                   const float black, const float white, const float gamma,
                   const int width, const int height)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    if (at.x < width && at.y < height) {
        const float4 pixel = read_imagef(source, nearest, at);
        const float4 spread = clamp((pixel - black) / (white - black), 0.0f, 1.0f);
        const float4 bent = pow(spread, (float4)(1.0f / gamma));
        write_imagef(result, at, (float4)(bent.xyz, pixel.w));
    }
}

kernel void invert(write_only image2d_t result, read_only image2d_t source,
                   const int width, const int height)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    if (at.x < width && at.y < height) {
        const float4 pixel = read_imagef(source, nearest, at);
        write_imagef(result, at, (float4)(1.0f - pixel.xyz, pixel.w));
    }
}

/* The alpha of a result is that of the left one.  The operators are those of image.h. */
kernel void binary(write_only image2d_t result, read_only image2d_t left, read_only image2d_t right,
                   const int operator, const int width, const int height)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    if (at.x < width && at.y < height) {
        const float4 a = read_imagef(left, nearest, at);
        const float4 b = read_imagef(right, nearest, at);
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
        write_imagef(result, at, (float4)(clamp(value.xyz, 0.0f, 1.0f), a.w));
    }
}

/*
 * The pixel whose place is nearest to the middle of this one.  The steps are half the sizes of
 * the source over those of the result, times 2^32: whole numbers are hard to divide by.
 */
kernel void resize(write_only image2d_t result, read_only image2d_t source,
                   const ulong x_step, const ulong y_step, const int width, const int height)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    if (at.x < width && at.y < height) {
        const int2 from = (int2)(((2 * (ulong)at.x + 1) * x_step) >> 32,
                                 ((2 * (ulong)at.y + 1) * y_step) >> 32);
        write_imagef(result, at, read_imagef(source, nearest, from));
    }
}

kernel void crop(write_only image2d_t result, read_only image2d_t source,
                 const int left, const int top, const int width, const int height)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    if (at.x < width && at.y < height)
        write_imagef(result, at, read_imagef(source, nearest, at + (int2)(left, top)));
}

/* Sums of 3 x 3 pixels, the alpha of the one in the middle kept. */
kernel void convolve_3(write_only image2d_t result, read_only image2d_t source,
                       global const float *matrix, const int width, const int height)
{
    local float weights[9];
    event_t copied = async_work_group_copy(weights, matrix, 9, 0);
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    wait_group_events(1, &copied);
    if (at.x < width && at.y < height) {
        float3 sum = 0.0f;

        for (int j = 0; j < 3; j++) {
            for (int i = 0; i < 3; i++) {
                const int2 away = (int2)(i - 1, j - 1);
                sum += weights[3 * j + i] * read_imagef(source, nearest, at + away).xyz;
            }
        }
        const float alpha = read_imagef(source, nearest, at).w;
        write_imagef(result, at, (float4)(clamp(sum, 0.0f, 1.0f), alpha));
    }
}

/* The same of 5 x 5 pixels. */
kernel void convolve_5(write_only image2d_t result, read_only image2d_t source,
                       global const float *matrix, const int width, const int height)
{
    local float weights[25];
    event_t copied = async_work_group_copy(weights, matrix, 25, 0);
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    wait_group_events(1, &copied);
    if (at.x < width && at.y < height) {
        float3 sum = 0.0f;

        for (int j = 0; j < 5; j++) {
            for (int i = 0; i < 5; i++) {
                const int2 away = (int2)(i - 2, j - 2);
                sum += weights[5 * j + i] * read_imagef(source, nearest, at + away).xyz;
            }
        }
        const float alpha = read_imagef(source, nearest, at).w;
        write_imagef(result, at, (float4)(clamp(sum, 0.0f, 1.0f), alpha));
    }
}
