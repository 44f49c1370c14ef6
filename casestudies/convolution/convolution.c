/* The host side of the convolution library: see convolution.h for what it promises. */
#include "convolution.h"

#ifndef CONVOLUTION_CL
#define CONVOLUTION_CL "convolution.cl"
#endif

/* Items of a work-group: rows are long, so that neighbours read neighbours. */
#define GROUP_WIDTH 32
#define GROUP_HEIGHT 8
#define TILE_GROUP 16 /* on both sides, where a group loads a tile */

static cl_kernel row_kernel;
static cl_kernel column_kernel;
static cl_kernel full_kernel;
static cl_kernel full_tile_kernel;
static cl_kernel row_tile_kernel;
static cl_kernel column_tile_kernel;
static cl_kernel derivative_x_kernel;
static cl_kernel derivative_y_kernel;
static cl_kernel product_kernel;
static cl_kernel box_kernel;
static cl_kernel response_kernel;
static cl_kernel blur_x_kernel;
static cl_kernel blur_y_kernel;
static cl_kernel sharpen_kernel;
static cl_kernel mask_kernel;

cl_int convolution_init(void)
{
    cl_int status;

    CHECK(planes_init("CONVOLUTION_CL", CONVOLUTION_CL));
    row_kernel = clCreateKernel(planes_program, "row", &status);
    CHECK(status);
    column_kernel = clCreateKernel(planes_program, "column", &status);
    CHECK(status);
    full_kernel = clCreateKernel(planes_program, "full", &status);
    CHECK(status);
    full_tile_kernel = clCreateKernel(planes_program, "full_tile", &status);
    CHECK(status);
    row_tile_kernel = clCreateKernel(planes_program, "row_tile", &status);
    CHECK(status);
    column_tile_kernel = clCreateKernel(planes_program, "column_tile", &status);
    CHECK(status);
    derivative_x_kernel = clCreateKernel(planes_program, "derivative_x", &status);
    CHECK(status);
    derivative_y_kernel = clCreateKernel(planes_program, "derivative_y", &status);
    CHECK(status);
    product_kernel = clCreateKernel(planes_program, "product", &status);
    CHECK(status);
    box_kernel = clCreateKernel(planes_program, "box", &status);
    CHECK(status);
    response_kernel = clCreateKernel(planes_program, "response", &status);
    CHECK(status);
    blur_x_kernel = clCreateKernel(planes_program, "blur_x", &status);
    CHECK(status);
    blur_y_kernel = clCreateKernel(planes_program, "blur_y", &status);
    CHECK(status);
    sharpen_kernel = clCreateKernel(planes_program, "sharpen", &status);
    CHECK(status);
    mask_kernel = clCreateKernel(planes_program, "mask", &status);
    return status;
}

void convolution_shutdown(void)
{
    clReleaseKernel(row_kernel);
    clReleaseKernel(column_kernel);
    clReleaseKernel(full_kernel);
    clReleaseKernel(full_tile_kernel);
    clReleaseKernel(row_tile_kernel);
    clReleaseKernel(column_tile_kernel);
    clReleaseKernel(derivative_x_kernel);
    clReleaseKernel(derivative_y_kernel);
    clReleaseKernel(product_kernel);
    clReleaseKernel(box_kernel);
    clReleaseKernel(response_kernel);
    clReleaseKernel(blur_x_kernel);
    clReleaseKernel(blur_y_kernel);
    clReleaseKernel(sharpen_kernel);
    clReleaseKernel(mask_kernel);
    planes_shutdown();
}

static void bell(float *weights)
{
    double next = 1.0 / 65536;

    for (int i = 0; i < CONVOLUTION_WEIGHTS; i++) {
        weights[i] = (float)next;
        next = next * (CONVOLUTION_WEIGHTS - 1 - i) / (i + 1);
    }
}

cl_int convolution_bell(Plane *weights)
{
    float row[CONVOLUTION_WEIGHTS];

    bell(row);
    CHECK(plane_create(weights, CONVOLUTION_WEIGHTS, 1, 1, sizeof(cl_float)));
    return plane_write(weights, row);
}

cl_int convolution_bell_2d(Plane *weights)
{
    float row[CONVOLUTION_WEIGHTS], all[CONVOLUTION_WEIGHTS * CONVOLUTION_WEIGHTS];

    bell(row);
    for (int i = 0; i < CONVOLUTION_WEIGHTS * CONVOLUTION_WEIGHTS; i++)
        all[i] = row[i / CONVOLUTION_WEIGHTS] * row[i % CONVOLUTION_WEIGHTS];
    CHECK(plane_create(weights, CONVOLUTION_WEIGHTS, CONVOLUTION_WEIGHTS, 1, sizeof(cl_float)));
    return plane_write(weights, all);
}

/* ---- Operations ---- */

static int same_size(const Plane *a, const Plane *b)
{
    return a->width == b->width && a->height == b->height && a->element == b->element;
}

static cl_int launch_in_groups(cl_kernel kernel, cl_uint next, const Plane *result,
                               size_t group_width, size_t group_height)
{
    const size_t global[2] = {
        ((size_t)result->width + group_width - 1) / group_width * group_width,
        ((size_t)result->height + group_height - 1) / group_height * group_height,
    };
    const size_t local[2] = {group_width, group_height};

    CHECK(clSetKernelArg(kernel, next, sizeof(cl_int), &result->width));
    CHECK(clSetKernelArg(kernel, next + 1, sizeof(cl_int), &result->height));
    return clEnqueueNDRangeKernel(planes_queue, kernel, 2, NULL, global, local, 0, NULL, NULL);
}

/* The size comes behind the planes, as arguments `next` and `next + 1`. */
static cl_int launch(cl_kernel kernel, cl_uint next, const Plane *result)
{
    return launch_in_groups(kernel, next, result, GROUP_WIDTH, GROUP_HEIGHT);
}

/* One operation with one source, whose neighbours it reads. */
static cl_int of_neighbours(cl_kernel kernel, Plane *result, Plane *source)
{
    if (!same_size(result, source))
        return PLANES_BAD_SIZE;
    if (result->device == source->device)
        return PLANES_ALIASED;
    CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &result->device));
    CHECK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &source->device));
    return launch(kernel, 2, result);
}

static cl_int set_weighted(cl_kernel kernel, Plane *result, Plane *source, Plane *weights,
                           cl_int weights_height)
{
    if (!same_size(result, source) || weights->width != CONVOLUTION_WEIGHTS
        || weights->height != weights_height)
        return PLANES_BAD_SIZE;
    if (result->device == source->device)
        return PLANES_ALIASED;
    CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &result->device));
    CHECK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &source->device));
    return clSetKernelArg(kernel, 2, sizeof(cl_mem), &weights->device);
}

static cl_int of_two(cl_kernel kernel, Plane *result, Plane *a, Plane *b)
{
    if (!same_size(result, a) || !same_size(result, b))
        return PLANES_BAD_SIZE;
    CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &result->device));
    CHECK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &a->device));
    CHECK(clSetKernelArg(kernel, 2, sizeof(cl_mem), &b->device));
    return launch(kernel, 3, result);
}

static cl_int of_three(cl_kernel kernel, Plane *result, Plane *a, Plane *b, Plane *c)
{
    if (!same_size(result, a) || !same_size(result, b) || !same_size(result, c))
        return PLANES_BAD_SIZE;
    CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &result->device));
    CHECK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &a->device));
    CHECK(clSetKernelArg(kernel, 2, sizeof(cl_mem), &b->device));
    CHECK(clSetKernelArg(kernel, 3, sizeof(cl_mem), &c->device));
    return launch(kernel, 4, result);
}

cl_int convolution_row(Plane *result, Plane *source, Plane *weights)
{
    CHECK(set_weighted(row_kernel, result, source, weights, 1));
    return launch(row_kernel, 3, result);
}

cl_int convolution_column(Plane *result, Plane *source, Plane *weights)
{
    CHECK(set_weighted(column_kernel, result, source, weights, 1));
    return launch(column_kernel, 3, result);
}

cl_int convolution_full(Plane *result, Plane *source, Plane *weights)
{
    CHECK(set_weighted(full_kernel, result, source, weights, CONVOLUTION_WEIGHTS));
    return launch(full_kernel, 3, result);
}

cl_int convolution_full_tile(Plane *result, Plane *source, Plane *weights)
{
    CHECK(set_weighted(full_tile_kernel, result, source, weights, CONVOLUTION_WEIGHTS));
    return launch_in_groups(full_tile_kernel, 3, result, TILE_GROUP, TILE_GROUP);
}

cl_int convolution_row_tile(Plane *result, Plane *source, Plane *weights)
{
    CHECK(set_weighted(row_tile_kernel, result, source, weights, 1));
    return launch_in_groups(row_tile_kernel, 3, result, TILE_GROUP, TILE_GROUP);
}

cl_int convolution_column_tile(Plane *result, Plane *source, Plane *weights)
{
    CHECK(set_weighted(column_tile_kernel, result, source, weights, 1));
    return launch_in_groups(column_tile_kernel, 3, result, TILE_GROUP, TILE_GROUP);
}

cl_int convolution_derivative_x(Plane *result, Plane *source)
{
    return of_neighbours(derivative_x_kernel, result, source);
}

cl_int convolution_derivative_y(Plane *result, Plane *source)
{
    return of_neighbours(derivative_y_kernel, result, source);
}

cl_int convolution_product(Plane *result, Plane *a, Plane *b)
{
    return of_two(product_kernel, result, a, b);
}

cl_int convolution_box(Plane *result, Plane *source)
{
    return of_neighbours(box_kernel, result, source);
}

cl_int convolution_response(Plane *result, Plane *xx, Plane *yy, Plane *xy)
{
    return of_three(response_kernel, result, xx, yy, xy);
}

cl_int convolution_blur_x(Plane *result, Plane *source)
{
    return of_neighbours(blur_x_kernel, result, source);
}

cl_int convolution_blur_y(Plane *result, Plane *source)
{
    return of_neighbours(blur_y_kernel, result, source);
}

cl_int convolution_sharpen(Plane *result, Plane *source, Plane *blurred)
{
    return of_two(sharpen_kernel, result, source, blurred);
}

cl_int convolution_mask(Plane *result, Plane *source, Plane *blurred, Plane *sharp)
{
    return of_three(mask_kernel, result, source, blurred, sharp);
}
