#include "png_file.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int png_file_read(const char *path, unsigned *width, unsigned *height, unsigned char **pixels)
{
    png_image image;

    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    *pixels = NULL;
    if (png_image_begin_read_from_file(&image, path)) {
        image.format = PNG_FORMAT_RGBA;
        *pixels = malloc(PNG_IMAGE_SIZE(image));
        if (*pixels == NULL) {
            fprintf(stderr, "%s: too large\n", path);
            png_image_free(&image);
            return -1;
        }
        if (png_image_finish_read(&image, NULL, *pixels, 0, NULL)) {
            *width = image.width;
            *height = image.height;
            return 0;
        }
    }
    fprintf(stderr, "%s: %s\n", path, image.message);
    free(*pixels);
    *pixels = NULL;
    return -1;
}

int png_file_write(const char *path, unsigned width, unsigned height,
                   const unsigned char *pixels)
{
    png_image image;

    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = height;
    image.format = PNG_FORMAT_RGBA;
    if (png_image_write_to_file(&image, path, 0, pixels, 0, NULL))
        return 0;
    fprintf(stderr, "%s: %s\n", path, image.message);
    return -1;
}
