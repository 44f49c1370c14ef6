/* Where libpng is missing: programs build, and no picture can be read or written. */
#ifndef PNG_H
#define PNG_H
#include <stddef.h>

#define PNG_IMAGE_VERSION 1
#define PNG_FORMAT_RGBA 3
#define PNG_IMAGE_SIZE(image) ((size_t)4 * (image).width * (image).height)

typedef struct {
    unsigned version, width, height, format;
    char message[64];
} png_image;

#define png_image_begin_read_from_file(image, path) 0
#define png_image_finish_read(image, background, pixels, stride, map) 0
#define png_image_write_to_file(image, path, convert, pixels, stride, map) 0
#define png_image_free(image)
#endif
