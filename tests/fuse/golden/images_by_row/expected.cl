/* grey, threshold and invert in one kernel */
__kernel void grey_threshold_invert(__global const uchar4 *photo, __global uchar *mask,
                                    int width, uchar limit, int h)
{
	int x = get_global_id(0);
	int y = get_global_id(1);
	if (x >= width || y >= h)
		return;

	/* grey(light, photo, w, h) */
	// Weights of ITU-R BT.601
	const uchar4 pixel = AT(photo, x, y);
	const uchar light_y_x = convert_uchar_sat_rte(0.299f * pixel.x + 0.587f * pixel.y
		+ 0.114f * pixel.z);

	/* threshold(mask, light, limit, w, h) */
	const uchar mask_y_x = light_y_x > limit ? 255 : 0;

	/* invert(mask, w, h) */
	AT(mask, x, y) = 255 - mask_y_x;
}
