/* The host side of the convolution library: see convolution.h for what it promises. */
#include "convolution.h"

#ifndef CONVOLUTION_CL
#define CONVOLUTION_CL "convolution.cl"
#endif

/* Items of a work-group: rows are long, so that neighbours read neighbours. */
#define GROUP_WIDTH 32
#define GROUP_HEIGHT 8
#define TILE_GROUP 16 /* on both sides, where a group loads a tile */

enum {
    ROW,
    COLUMN,
    FULL,
    FULL_TILE,
    ROW_TILE,
    COLUMN_TILE,
    DERIVATIVE_X,
    DERIVATIVE_Y,
    PRODUCT,
    BOX,
    RESPONSE,
    BLUR_X,
    BLUR_Y,
    SHARPEN,
    MASK,
    KERNELS
};
static cl_kernel kernels[KERNELS];

static cl_int create(int kind, const char *name)
{
    cl_int status;

    kernels[kind] = clCreateKernel(planes_program, name, &status);
    return status;
}

cl_int convolution_init(void)
{
    CHECK(planes_init("CONVOLUTION_CL", CONVOLUTION_CL));
    CHECK(create(ROW, "row"));
    CHECK(create(COLUMN, "column"));
    CHECK(create(FULL, "full"));
    CHECK(create(FULL_TILE, "full_tile"));
    CHECK(create(ROW_TILE, "row_tile"));
    CHECK(create(COLUMN_TILE, "column_tile"));
    CHECK(create(DERIVATIVE_X, "derivative_x"));
    CHECK(create(DERIVATIVE_Y, "derivative_y"));
    CHECK(create(PRODUCT, "product"));
    CHECK(create(BOX, "box"));
    CHECK(create(RESPONSE, "response"));
    CHECK(create(BLUR_X, "blur_x"));
    CHECK(create(BLUR_Y, "blur_y"));
    CHECK(create(SHARPEN, "sharpen"));
    CHECK(create(MASK, "mask"));
    return PLANES_OK;
}

void convolution_shutdown(void)
{
    for (int i = 0; i < KERNELS; i++)
        clReleaseKernel(kernels[i]);
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
    CHECK(set_weighted(kernels[ROW], result, source, weights, 1));
    return launch(kernels[ROW], 3, result);
}

cl_int convolution_column(Plane *result, Plane *source, Plane *weights)
{
    CHECK(set_weighted(kernels[COLUMN], result, source, weights, 1));
    return launch(kernels[COLUMN], 3, result);
}

cl_int convolution_full(Plane *result, Plane *source, Plane *weights)
{
    CHECK(set_weighted(kernels[FULL], result, source, weights, CONVOLUTION_WEIGHTS));
    return launch(kernels[FULL], 3, result);
}

cl_int convolution_full_tile(Plane *result, Plane *source, Plane *weights)
{
    CHECK(set_weighted(kernels[FULL_TILE], result, source, weights, CONVOLUTION_WEIGHTS));
    return launch_in_groups(kernels[FULL_TILE], 3, result, TILE_GROUP, TILE_GROUP);
}

cl_int convolution_row_tile(Plane *result, Plane *source, Plane *weights)
{
    CHECK(set_weighted(kernels[ROW_TILE], result, source, weights, 1));
    return launch_in_groups(kernels[ROW_TILE], 3, result, TILE_GROUP, TILE_GROUP);
}

cl_int convolution_column_tile(Plane *result, Plane *source, Plane *weights)
{
    CHECK(set_weighted(kernels[COLUMN_TILE], result, source, weights, 1));
    return launch_in_groups(kernels[COLUMN_TILE], 3, result, TILE_GROUP, TILE_GROUP);
}

cl_int convolution_derivative_x(Plane *result, Plane *source)
{
    return of_neighbours(kernels[DERIVATIVE_X], result, source);
}

cl_int convolution_derivative_y(Plane *result, Plane *source)
{
    return of_neighbours(kernels[DERIVATIVE_Y], result, source);
}

cl_int convolution_product(Plane *result, Plane *a, Plane *b)
{
    return of_two(kernels[PRODUCT], result, a, b);
}

cl_int convolution_box(Plane *result, Plane *source)
{
    return of_neighbours(kernels[BOX], result, source);
}

cl_int convolution_response(Plane *result, Plane *xx, Plane *yy, Plane *xy)
{
    return of_three(kernels[RESPONSE], result, xx, yy, xy);
}

cl_int convolution_blur_x(Plane *result, Plane *source)
{
    return of_neighbours(kernels[BLUR_X], result, source);
}

cl_int convolution_blur_y(Plane *result, Plane *source)
{
    return of_neighbours(kernels[BLUR_Y], result, source);
}

cl_int convolution_sharpen(Plane *result, Plane *source, Plane *blurred)
{
    return of_two(kernels[SHARPEN], result, source, blurred);
}

cl_int convolution_mask(Plane *result, Plane *source, Plane *blurred, Plane *sharp)
{
    return of_three(kernels[MASK], result, source, blurred, sharp);
}
