/* scale, grey and vignette in one kernel */
__kernel void scale_grey_vignette(__read_only image2d_t photo,
                                  __write_only image2d_t grey_image,
                                  __write_only image2d_t shown, int w, int h,
                                  float strength)
{
	int2 at = (int2)(get_global_id(0), get_global_id(1));
	if (at.x >= w || at.y >= h)
		return;

	/* scale(larger, photo, w, h) */
	float2 middle = (convert_float2(at) + 0.5f) / (float2)(w, h);
	const float4 larger_at = read_imagef(photo, smooth, middle);

	/* grey(grey, larger, w, h) */
	// Weights of ITU-R BT.601
	float light = 0.299f * larger_at.x + 0.587f * larger_at.y + 0.114f * larger_at.z;
	const float4 grey_image_at = (float4)(light, light, light, larger_at.w);
	write_imagef(grey_image, at, grey_image_at);

	/* vignette(shown, grey, 0.5f, w, h) */
	int x = get_global_id(0);
	int y = get_global_id(1);
	float2 away = (float2)(x, y) / (float2)(w, h) - 0.5f;
	write_imagef(shown, (int2)(x, y),
	             (1 - strength * dot(away, away)) // dark corners
	                 * grey_image_at);
}
