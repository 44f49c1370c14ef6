#define AT(p, x, y) p[(y) * width + (x)]

// Grey value of a pixel, rounded like the eye sees it.
__kernel void grey(__global uchar *out, __global const uchar4 *in,
                   int width, int height)
{
	int x = get_global_id(0);
	int y = get_global_id(1);

	if (x >= width || y >= height)
		return;

	// Weights of ITU-R BT.601
	const uchar4 pixel = AT(in, x, y);
	AT(out, x, y) = convert_uchar_sat_rte(0.299f * pixel.x + 0.587f * pixel.y
		+ 0.114f * pixel.z);
}

__kernel void threshold(__global uchar *out, __global const uchar *in,
                        uchar limit, int width, int height)
{
	int col = get_global_id(0);
	int row = get_global_id(1);

	if (col < width && row < height)
		AT(out, col, row) = AT(in, col, row) > limit ? 255 : 0;
}

__kernel void invert(__global uchar *a, int width, int height)
{
	int x = get_global_id(0), y = get_global_id(1);

	if (y >= height || x >= width)
		return;
	AT(a, x, y) = 255 - AT(a, x, y);
}
