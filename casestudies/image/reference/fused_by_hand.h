/*
 * The fused operations of fused_by_hand.c, for image.c, and of fused_by_hand_texture.c, for
 * texture.c.  Each stands for the calls named in its comment there: same operands, same
 * numbers, same status.  Pictures whose format rounds (IMAGE_CHANNELS=8) are not fused: then
 * the separate calls are made.
 */
#ifndef FUSED_BY_HAND_H
#define FUSED_BY_HAND_H

#include "image.h"

/* Before image_shutdown. */
void image_release_fused(void);

cl_int fused_recolour(Image *result, Image *rgb, Image *coloured, Image *hsv, Image *larger,
                      Image *picture, cl_float hue);
cl_int fused_mix(Image *result, Image *mixed, ImageOperator operator,
                 Image *hsv, Image *blurred, Image *first, Matrix *blur,
                 Image *other, Image *second);
cl_int fused_grey_difference(Image *result, ImageOperator operator,
                             Image *grey, Image *blurred, Image *first, Matrix *blur,
                             Image *other, Image *sharpened, Image *second, Matrix *sharpen);
cl_int fused_difference(Image *result, ImageOperator operator,
                        Image *blurred, Image *first, Matrix *blur,
                        Image *sharpened, Image *second, Matrix *sharpen);

#endif
