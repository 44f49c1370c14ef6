
/* ---- Fused operations, to be appended to texture.c ---- */

#include "fused_by_hand.h"

/* Items of a work-group: on PoCL long rows are up to a tenth faster than squares. */
#define FUSED_GROUP_WIDTH 64
#define FUSED_GROUP_HEIGHT 4

static cl_kernel fused_recolour_kernel;
static cl_kernel fused_mix_kernel;
static cl_kernel fused_grey_difference_kernel;
static cl_kernel fused_difference_kernel;

/* Not every program needs these kernels: they are created on first use. */
static cl_int create_once(cl_kernel *kernel, const char *name)
{
    cl_int status = CL_SUCCESS;

    if (*kernel == NULL)
        *kernel = clCreateKernel(program, name, &status);
    return status;
}

void image_release_fused(void)
{
    release_kernel(&fused_recolour_kernel);
    release_kernel(&fused_mix_kernel);
    release_kernel(&fused_grey_difference_kernel);
    release_kernel(&fused_difference_kernel);
}

/* One item for each pixel of the result. */
static cl_int launch_fused(cl_kernel kernel, const Image *result)
{
    const size_t local[2] = {FUSED_GROUP_WIDTH, FUSED_GROUP_HEIGHT};
    const size_t global[2] = {
        whole_groups(result->width, FUSED_GROUP_WIDTH),
        whole_groups(result->height, FUSED_GROUP_HEIGHT),
    };

    return clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL);
}

static int shared(const Image *a, const Image *b)
{
    return a->device == b->device;
}

/* What every operation but image_resize asks of its result and a source. */
static cl_int fit(const Image *result, const Image *source)
{
    if (!same_size(result, source))
        return IMAGE_BAD_SIZE;
    return shared(result, source) ? IMAGE_ALIASED : IMAGE_OK;
}

static cl_int fit_convolution(const Image *result, const Image *source, const Matrix *matrix)
{
    return matrix->size != 3 ? IMAGE_BAD_SIZE : fit(result, source);
}

static cl_int fit_binary(const Image *result, const Image *left, const Image *right)
{
    if (!same_size(result, left) || !same_size(result, right))
        return IMAGE_BAD_SIZE;
    return shared(result, left) || shared(result, right) ? IMAGE_ALIASED : IMAGE_OK;
}

/* Images of bytes round what is stored in them; the variables of a fused kernel do not. */
static int pictures_round(void)
{
    return format.image_channel_data_type != CL_FLOAT;
}

/*
 * larger = resize(picture); hsv = to_hsv(larger); coloured = colorize(hsv, hue);
 * rgb = to_rgb(coloured); result = invert(rgb)
 * Only the result is written: the other pictures are scratch.
 */
cl_int fused_recolour(Image *result, Image *rgb, Image *coloured, Image *hsv, Image *larger,
                      Image *picture, cl_float hue)
{
    const cl_ulong x_step = step_of(picture->width, larger->width);
    const cl_ulong y_step = step_of(picture->height, larger->height);

    if (larger->width > LONGEST || larger->height > LONGEST)
        return IMAGE_BAD_SIZE;
    if (shared(larger, picture))
        return IMAGE_ALIASED;
    CHECK(fit(hsv, larger));
    CHECK(fit(coloured, hsv));
    CHECK(fit(rgb, coloured));
    CHECK(fit(result, rgb));

    /* A kernel may not read and write one image. */
    if (pictures_round() || shared(result, picture)) {
        CHECK(image_resize(larger, picture));
        CHECK(image_to_hsv(hsv, larger));
        CHECK(image_colorize(coloured, hsv, hue));
        CHECK(image_to_rgb(rgb, coloured));
        return image_invert(result, rgb);
    }

    CHECK(create_once(&fused_recolour_kernel, "fused_recolour"));
    CHECK(image_to_device(picture));

    CHECK(clSetKernelArg(fused_recolour_kernel, 0, sizeof(cl_mem), &result->device));
    CHECK(clSetKernelArg(fused_recolour_kernel, 1, sizeof(cl_mem), &picture->device));
    CHECK(clSetKernelArg(fused_recolour_kernel, 2, sizeof(cl_float), &hue));
    CHECK(clSetKernelArg(fused_recolour_kernel, 3, sizeof(cl_ulong), &x_step));
    CHECK(clSetKernelArg(fused_recolour_kernel, 4, sizeof(cl_ulong), &y_step));
    CHECK(clSetKernelArg(fused_recolour_kernel, 5, sizeof(cl_uint), &result->width));
    CHECK(clSetKernelArg(fused_recolour_kernel, 6, sizeof(cl_uint), &result->height));

    CHECK(launch_fused(fused_recolour_kernel, result));
    result->newer = IMAGE_DEVICE;
    return IMAGE_OK;
}

/*
 * blurred = convolve_3(first, blur); hsv = to_hsv(blurred); other = to_hsv(second);
 * mixed = binary(hsv, other, operator); result = to_rgb(mixed)
 * Only the result is written: the other pictures are scratch.
 */
cl_int fused_mix(Image *result, Image *mixed, ImageOperator operator,
                 Image *hsv, Image *blurred, Image *first, Matrix *blur,
                 Image *other, Image *second)
{
    const cl_int number = (cl_int)operator;

    CHECK(fit_convolution(blurred, first, blur));
    CHECK(fit(hsv, blurred));
    CHECK(fit(other, second));
    CHECK(fit_binary(mixed, hsv, other));
    CHECK(fit(result, mixed));

    /* A kernel may not read and write one image; what is overwritten early must be one. */
    if (pictures_round() || shared(result, first) || shared(result, second)
        || shared(blurred, second) || shared(hsv, second) || shared(hsv, other)) {
        CHECK(image_convolve_3(blurred, first, blur));
        CHECK(image_to_hsv(hsv, blurred));
        CHECK(image_to_hsv(other, second));
        CHECK(image_binary(mixed, hsv, other, operator));
        return image_to_rgb(result, mixed);
    }

    CHECK(create_once(&fused_mix_kernel, "fused_mix"));
    CHECK(image_to_device(first));
    CHECK(matrix_to_device(blur));
    CHECK(image_to_device(second));

    CHECK(clSetKernelArg(fused_mix_kernel, 0, sizeof(cl_mem), &result->device));
    CHECK(clSetKernelArg(fused_mix_kernel, 1, sizeof(cl_int), &number));
    CHECK(clSetKernelArg(fused_mix_kernel, 2, sizeof(cl_mem), &first->device));
    CHECK(clSetKernelArg(fused_mix_kernel, 3, sizeof(cl_mem), &blur->device));
    CHECK(clSetKernelArg(fused_mix_kernel, 4, sizeof(cl_mem), &second->device));
    CHECK(clSetKernelArg(fused_mix_kernel, 5, sizeof(cl_uint), &result->width));
    CHECK(clSetKernelArg(fused_mix_kernel, 6, sizeof(cl_uint), &result->height));

    CHECK(launch_fused(fused_mix_kernel, result));
    result->newer = IMAGE_DEVICE;
    return IMAGE_OK;
}

/*
 * blurred = convolve_3(first, blur); sharpened = convolve_3(second, sharpen);
 * grey = greyscale(blurred); other = greyscale(sharpened);
 * result = binary(grey, other, operator)
 * Only the result is written: the other pictures are scratch.
 */
cl_int fused_grey_difference(Image *result, ImageOperator operator,
                             Image *grey, Image *blurred, Image *first, Matrix *blur,
                             Image *other, Image *sharpened, Image *second, Matrix *sharpen)
{
    const cl_int number = (cl_int)operator;

    CHECK(fit_convolution(blurred, first, blur));
    CHECK(fit_convolution(sharpened, second, sharpen));
    CHECK(fit(grey, blurred));
    CHECK(fit(other, sharpened));
    CHECK(fit_binary(result, grey, other));

    /* A kernel may not read and write one image; what is overwritten early must be one. */
    if (pictures_round() || shared(result, first) || shared(result, second)
        || shared(blurred, second) || shared(blurred, sharpened) || shared(grey, sharpened)
        || shared(grey, other)) {
        CHECK(image_convolve_3(blurred, first, blur));
        CHECK(image_convolve_3(sharpened, second, sharpen));
        CHECK(image_greyscale(grey, blurred));
        CHECK(image_greyscale(other, sharpened));
        return image_binary(result, grey, other, operator);
    }

    CHECK(create_once(&fused_grey_difference_kernel, "fused_grey_difference"));
    CHECK(image_to_device(first));
    CHECK(matrix_to_device(blur));
    CHECK(image_to_device(second));
    CHECK(matrix_to_device(sharpen));

    CHECK(clSetKernelArg(fused_grey_difference_kernel, 0, sizeof(cl_mem), &result->device));
    CHECK(clSetKernelArg(fused_grey_difference_kernel, 1, sizeof(cl_int), &number));
    CHECK(clSetKernelArg(fused_grey_difference_kernel, 2, sizeof(cl_mem), &first->device));
    CHECK(clSetKernelArg(fused_grey_difference_kernel, 3, sizeof(cl_mem), &blur->device));
    CHECK(clSetKernelArg(fused_grey_difference_kernel, 4, sizeof(cl_mem), &second->device));
    CHECK(clSetKernelArg(fused_grey_difference_kernel, 5, sizeof(cl_mem), &sharpen->device));
    CHECK(clSetKernelArg(fused_grey_difference_kernel, 6, sizeof(cl_uint), &result->width));
    CHECK(clSetKernelArg(fused_grey_difference_kernel, 7, sizeof(cl_uint), &result->height));

    CHECK(launch_fused(fused_grey_difference_kernel, result));
    result->newer = IMAGE_DEVICE;
    return IMAGE_OK;
}

/*
 * blurred = convolve_3(first, blur); sharpened = convolve_3(second, sharpen);
 * result = binary(blurred, sharpened, operator)
 * Only the result is written: the other pictures are scratch.
 */
cl_int fused_difference(Image *result, ImageOperator operator,
                        Image *blurred, Image *first, Matrix *blur,
                        Image *sharpened, Image *second, Matrix *sharpen)
{
    const cl_int number = (cl_int)operator;

    CHECK(fit_convolution(blurred, first, blur));
    CHECK(fit_convolution(sharpened, second, sharpen));
    CHECK(fit_binary(result, blurred, sharpened));

    /* A kernel may not read and write one image; what is overwritten early must be one. */
    if (pictures_round() || shared(result, first) || shared(result, second)
        || shared(blurred, second) || shared(blurred, sharpened)) {
        CHECK(image_convolve_3(blurred, first, blur));
        CHECK(image_convolve_3(sharpened, second, sharpen));
        return image_binary(result, blurred, sharpened, operator);
    }

    CHECK(create_once(&fused_difference_kernel, "fused_difference"));
    CHECK(image_to_device(first));
    CHECK(matrix_to_device(blur));
    CHECK(image_to_device(second));
    CHECK(matrix_to_device(sharpen));

    CHECK(clSetKernelArg(fused_difference_kernel, 0, sizeof(cl_mem), &result->device));
    CHECK(clSetKernelArg(fused_difference_kernel, 1, sizeof(cl_int), &number));
    CHECK(clSetKernelArg(fused_difference_kernel, 2, sizeof(cl_mem), &first->device));
    CHECK(clSetKernelArg(fused_difference_kernel, 3, sizeof(cl_mem), &blur->device));
    CHECK(clSetKernelArg(fused_difference_kernel, 4, sizeof(cl_mem), &second->device));
    CHECK(clSetKernelArg(fused_difference_kernel, 5, sizeof(cl_mem), &sharpen->device));
    CHECK(clSetKernelArg(fused_difference_kernel, 6, sizeof(cl_uint), &result->width));
    CHECK(clSetKernelArg(fused_difference_kernel, 7, sizeof(cl_uint), &result->height));

    CHECK(launch_fused(fused_difference_kernel, result));
    result->newer = IMAGE_DEVICE;
    return IMAGE_OK;
}
