// Coordinates of texels; what lies outside is the nearest texel inside.
const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE
    | CLK_ADDRESS_CLAMP_TO_EDGE
    | CLK_FILTER_NEAREST;
const sampler_t smooth = CLK_NORMALIZED_COORDS_TRUE
    | CLK_ADDRESS_CLAMP_TO_EDGE
    | CLK_FILTER_LINEAR;

// The picture in another size.
__kernel void scale(__write_only image2d_t out, __read_only image2d_t in,
                    int width, int height)
{
	int2 at = (int2)(get_global_id(0), get_global_id(1));

	if (at.x >= width || at.y >= height)
		return;
	float2 middle = (convert_float2(at) + 0.5f) / (float2)(width, height);
	write_imagef(out, at, read_imagef(in, smooth, middle));
}

__kernel void grey(__write_only image2d_t out, __read_only image2d_t in,
                   int width, int height)
{
	int2 at = (int2)(get_global_id(0), get_global_id(1));

	if (at.x >= width || at.y >= height)
		return;

	// Weights of ITU-R BT.601
	float4 pixel = read_imagef(in, nearest, at);
	float light = 0.299f * pixel.x + 0.587f * pixel.y + 0.114f * pixel.z;
	write_imagef(out, at, (float4)(light, light, light, pixel.w));
}

__kernel void vignette(__write_only image2d_t out, __read_only image2d_t in,
                       float strength, int width, int height)
{
	int x = get_global_id(0);
	int y = get_global_id(1);

	if (x >= width || y >= height)
		return;
	float2 away = (float2)(x, y) / (float2)(width, height) - 0.5f;
	write_imagef(out, (int2)(x, y),
	             (1 - strength * dot(away, away)) // dark corners
	                 * read_imagef(in, nearest, (int2)(x, y)));
}
