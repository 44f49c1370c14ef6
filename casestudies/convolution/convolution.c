/* The host side of the convolution library: see convolution.h for what it promises. */
#include "convolution.h"

#ifndef CONVOLUTION_CL
#define CONVOLUTION_CL "convolution.cl"
#endif

/* Items of a work-group: rows are long, so that neighbours read neighbours. */
#define GROUP_WIDTH 32
#define GROUP_HEIGHT 8

static cl_kernel row_kernel;
static cl_kernel column_kernel;
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

cl_int convolution_bell(Plane *weights)
{
    float row[CONVOLUTION_WEIGHTS];
    double next = 1.0 / 65536;

    for (int i = 0; i < CONVOLUTION_WEIGHTS; i++) {
        row[i] = (float)next;
        next = next * (CONVOLUTION_WEIGHTS - 1 - i) / (i + 1);
    }
    CHECK(plane_create(weights, CONVOLUTION_WEIGHTS, 1, 1, sizeof(cl_float)));
    return plane_write(weights, row);
}

/* ---- Operations ---- */

static int same_size(const Plane *a, const Plane *b)
{
    return a->width == b->width && a->height == b->height && a->element == b->element;
}

/* The size comes behind the planes, as arguments `next` and `next + 1`. */
static cl_int launch(cl_kernel kernel, cl_uint next, const Plane *result)
{
    const size_t global[2] = {
        ((size_t)result->width + GROUP_WIDTH - 1) / GROUP_WIDTH * GROUP_WIDTH,
        ((size_t)result->height + GROUP_HEIGHT - 1) / GROUP_HEIGHT * GROUP_HEIGHT,
    };
    const size_t local[2] = {GROUP_WIDTH, GROUP_HEIGHT};

    CHECK(clSetKernelArg(kernel, next, sizeof(cl_int), &result->width));
    CHECK(clSetKernelArg(kernel, next + 1, sizeof(cl_int), &result->height));
    return clEnqueueNDRangeKernel(planes_queue, kernel, 2, NULL, global, local, 0, NULL, NULL);
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

static cl_int weighted(cl_kernel kernel, Plane *result, Plane *source, Plane *weights)
{
    if (!same_size(result, source) || weights->width != CONVOLUTION_WEIGHTS)
        return PLANES_BAD_SIZE;
    if (result->device == source->device)
        return PLANES_ALIASED;
    CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &result->device));
    CHECK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &source->device));
    CHECK(clSetKernelArg(kernel, 2, sizeof(cl_mem), &weights->device));
    return launch(kernel, 3, result);
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
    return weighted(row_kernel, result, source, weights);
}

cl_int convolution_column(Plane *result, Plane *source, Plane *weights)
{
    return weighted(column_kernel, result, source, weights);
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
