/*
 * image: pictures on an OpenCL device.
 *
 * A picture lives twice, in host memory and on the device, and knows which of the
 * two is newer.  It is copied when it is needed on the other side, and only then.
 *
 * Pixels are four floats: red, green, blue and alpha, or hue, saturation, value and
 * alpha, each from 0 to 1.  Two libraries keep these promises: image.c has pixels in
 * buffers, texture.c in images of OpenCL (image2d_t).  No kernel may read and write one
 * image: with texture.c the result of an operation is never a source (IMAGE_ALIASED).
 *
 * All functions return IMAGE_OK, one of the codes below (positive), or the OpenCL
 * error (negative) of the call that failed.
 */
#ifndef IMAGE_H
#define IMAGE_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

enum {
    IMAGE_OK = CL_SUCCESS,
    IMAGE_BAD_SIZE = 1, /* the sizes of the pictures do not fit together */
    IMAGE_ALIASED,      /* the result may not be this picture */
    IMAGE_NO_DEVICE,    /* no OpenCL device was found */
    IMAGE_NO_MEMORY,    /* host memory is exhausted */
    IMAGE_FILE_ERROR    /* a file could not be read or written */
};

/* Which copy of an object is newer than the other one. */
typedef enum { IMAGE_NEITHER, IMAGE_HOST, IMAGE_DEVICE } ImageSide;

/* Row by row from the top: pixel (x, y) is host[y * width + x]. */
typedef struct {
    cl_uint width, height;
    cl_float4 *host;
    cl_mem device;
    ImageSide newer;
} Image;

/* Row by row: the weight of the pixel that is (x - size / 2, y - size / 2) away. */
typedef struct {
    cl_uint size; /* 3 or 5 */
    cl_float *host;
    cl_mem device;
    ImageSide newer;
} Matrix;

typedef enum { IMAGE_ADD, IMAGE_SUB, IMAGE_MUL, IMAGE_DIV, IMAGE_AVG } ImageOperator;

/*
 * Before anything else and after everything else.  The kernels are read from the
 * file that the environment variable IMAGE_CL names, else from the path given at
 * build time (-DIMAGE_CL='"..."'), else from image.cl or texture.cl.  With
 * IMAGE_CHANNELS=8 in the environment texture.c has pixels of four bytes on the device.
 */
cl_int image_init(void);
void image_shutdown(void);

/* Waits until the device has done all that was asked of it. */
cl_int image_finish(void);

/* Creation fills a picture with zeros; a size of zero is IMAGE_BAD_SIZE. */
cl_int image_create(Image *image, cl_uint width, cl_uint height);
void image_free(Image *image);

/* A copy of size * size weights. */
cl_int matrix_create(Matrix *matrix, cl_uint size, const cl_float *weights);
void matrix_free(Matrix *matrix);

/* Ready-made ones. */
cl_int matrix_blur(Matrix *matrix);    /* 3 x 3 */
cl_int matrix_soften(Matrix *matrix);  /* 5 x 5 */
cl_int matrix_sharpen(Matrix *matrix); /* 3 x 3 */
cl_int matrix_edges(Matrix *matrix);   /* 3 x 3 */

/* Makes image->host up to date, to be read. */
cl_int image_on_host(Image *image);

/* To be called after writing to the host copy. */
void image_changed(Image *image);

/*
 * Operations.  The result comes first and is overwritten entirely.  The others are
 * not const, because using them may bring their device copy up to date.  Unless it
 * says otherwise, all pictures have one size, and the result may be a source.
 */
cl_int image_to_hsv(Image *result, Image *source);
cl_int image_to_rgb(Image *result, Image *source);
cl_int image_colorize(Image *result, Image *source, cl_float hue); /* in HSV */
cl_int image_greyscale(Image *result, Image *source);
cl_int image_threshold(Image *result, Image *source, cl_float level);
cl_int image_levels(Image *result, Image *source, cl_float black, cl_float white, cl_float gamma);
cl_int image_invert(Image *result, Image *source);
cl_int image_binary(Image *result, Image *left, Image *right, ImageOperator operator);

/* To the size of the result, nearest pixels; the result is no source. */
cl_int image_resize(Image *result, Image *source);

/* The part of the result's size that begins at (left, top); the result is no source. */
cl_int image_crop(Image *result, Image *source, cl_uint left, cl_uint top);

/* Weighted sums of neighbours, those outside replaced by the nearest; the result is no source. */
cl_int image_convolve_3(Image *result, Image *source, Matrix *matrix); /* of 3 x 3 */
cl_int image_convolve_5(Image *result, Image *source, Matrix *matrix); /* of 5 x 5 */

#endif
