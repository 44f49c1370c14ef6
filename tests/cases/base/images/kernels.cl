constant sampler_t nearest =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t scaled =
    CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t linear =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

__kernel void invert(__write_only image2d_t y, __read_only image2d_t x, int w, int h)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    if (at.x < w && at.y < h)
        write_imagef(y, at, 1.0f - read_imagef(x, nearest, at));
}

__kernel void half_of(__write_only image2d_t y, __read_only image2d_t x, int w, int h)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    if (at.x < w && at.y < h)
        write_imagef(y, at, 0.5f * read_imagef(x, nearest, at));
}

__kernel void sum(__write_only image2d_t z, __read_only image2d_t x, __read_only image2d_t y,
                  int w, int h)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    if (at.x < w && at.y < h)
        write_imagef(z, at, read_imagef(x, nearest, at) + read_imagef(y, nearest, at));
}

__kernel void left(__write_only image2d_t y, __read_only image2d_t x, int w, int h)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    if (at.x < w && at.y < h)
        write_imagef(y, at, read_imagef(x, nearest, at + (int2)(1, 0)));
}

/* 24 / 37.0f * 37 is less than 24: the texel at its left is read. */
__kernel void listed(__write_only image2d_t y, __read_only image2d_t x, int w, int h)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    const float2 coord = (float2)(at.x / (float)w, at.y / (float)h);

    if (at.x < w && at.y < h)
        write_imagef(y, at, read_imagef(x, scaled, coord));
}

__kernel void smooth(__write_only image2d_t y, __read_only image2d_t x, int w, int h)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    if (at.x < w && at.y < h)
        write_imagef(y, at, read_imagef(x, linear, convert_float2(at)));
}

__kernel void sampled(__write_only image2d_t y, __read_only image2d_t x, sampler_t s, int w, int h)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    if (at.x < w && at.y < h)
        write_imagef(y, at, read_imagef(x, s, at));
}

__kernel void sized(__write_only image2d_t y, __read_only image2d_t x)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    if (at.x < get_image_width(y) && at.y < get_image_height(y))
        write_imagef(y, at, 0.25f + read_imagef(x, nearest, at));
}
