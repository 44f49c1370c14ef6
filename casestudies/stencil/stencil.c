/* The host side of the stencil library: see stencil.h for what it promises. */
#include "stencil.h"

#ifndef STENCIL_CL
#define STENCIL_CL "stencil.cl"
#endif

/* Items of a work-group: rows are long, so that neighbours read neighbours. */
#define GROUP_WIDTH 32
#define GROUP_HEIGHT 8

static cl_kernel kernels[STENCIL_KERNELS];

static cl_int create(StencilKind kind, const char *name)
{
    cl_int status;

    kernels[kind] = clCreateKernel(planes_program, name, &status);
    return status;
}

cl_int stencil_init(void)
{
    CHECK(planes_init("STENCIL_CL", STENCIL_CL));
    CHECK(create(STENCIL_JACOBI, "jacobi"));
    CHECK(create(STENCIL_GAUSSIAN, "gaussian"));
    CHECK(create(STENCIL_SOBEL_X, "sobel_x"));
    CHECK(create(STENCIL_SOBEL_Y, "sobel_y"));
    CHECK(create(STENCIL_MAGNITUDE, "magnitude"));
    CHECK(create(STENCIL_THIN, "thin"));
    CHECK(create(STENCIL_LIFE, "life"));
    CHECK(create(STENCIL_HOTSPOT, "hotspot"));
    CHECK(create(STENCIL_STAR_2D_1, "star_2d_1"));
    CHECK(create(STENCIL_STAR_2D_2, "star_2d_2"));
    CHECK(create(STENCIL_BOX_2D_1, "box_2d_1"));
    CHECK(create(STENCIL_BOX_2D_2, "box_2d_2"));
    CHECK(create(STENCIL_GRADIENT, "gradient"));
    CHECK(create(STENCIL_HEAT_3D, "heat_3d"));
    CHECK(create(STENCIL_JACOBI_3D, "jacobi_3d"));
    CHECK(create(STENCIL_STAR_3D_1, "star_3d_1"));
    CHECK(create(STENCIL_STAR_3D_2, "star_3d_2"));
    CHECK(create(STENCIL_BOX_3D_1, "box_3d_1"));
    return PLANES_OK;
}

void stencil_shutdown(void)
{
    for (int i = 0; i < STENCIL_KERNELS; i++)
        clReleaseKernel(kernels[i]);
    planes_shutdown();
}

Chip stencil_chip(void)
{
    const float cell = 0.016f / 512, thickness = 0.0005f; /* metres */
    const float heat = 0.5f * 1.75e6f * thickness;        /* joules per kelvin and square metre */
    const float conductivity = 100.0f;                    /* watts per metre and kelvin */
    const float step = 0.001f / (3.0e6f / heat);          /* seconds */
    Chip chip;

    chip.step_over_capacity = step / (heat * cell * cell);
    chip.rx = cell / (2.0f * conductivity * thickness * cell);
    chip.ry = cell / (2.0f * conductivity * thickness * cell);
    chip.rz = thickness / (conductivity * cell * cell);
    chip.air = 80.0f;
    return chip;
}

static int same_size(const Plane *a, const Plane *b)
{
    return a->width == b->width && a->height == b->height && a->depth == b->depth
           && a->element == b->element;
}

/* The size comes behind the other arguments, from `next` on. */
static cl_int launch(cl_kernel kernel, cl_uint next, cl_uint dimensions, const Plane *result)
{
    const size_t global[3] = {
        ((size_t)result->width + GROUP_WIDTH - 1) / GROUP_WIDTH * GROUP_WIDTH,
        ((size_t)result->height + GROUP_HEIGHT - 1) / GROUP_HEIGHT * GROUP_HEIGHT,
        (size_t)result->depth,
    };
    const size_t local[3] = {GROUP_WIDTH, GROUP_HEIGHT, 1};

    CHECK(clSetKernelArg(kernel, next, sizeof(cl_int), &result->width));
    CHECK(clSetKernelArg(kernel, next + 1, sizeof(cl_int), &result->height));
    if (dimensions == 3)
        CHECK(clSetKernelArg(kernel, next + 2, sizeof(cl_int), &result->depth));
    return clEnqueueNDRangeKernel(planes_queue, kernel, dimensions, NULL, global, local, 0, NULL,
                                  NULL);
}

cl_int stencil_apply(StencilKind kind, Plane *result, Plane *source)
{
    const cl_uint dimensions = kind >= STENCIL_HEAT_3D ? 3 : 2;

    if (!same_size(result, source))
        return PLANES_BAD_SIZE;
    if (result->device == source->device)
        return PLANES_ALIASED;
    CHECK(clSetKernelArg(kernels[kind], 0, sizeof(cl_mem), &result->device));
    CHECK(clSetKernelArg(kernels[kind], 1, sizeof(cl_mem), &source->device));
    return launch(kernels[kind], 2, dimensions, result);
}

cl_int stencil_magnitude(Plane *result, Plane *dx, Plane *dy)
{
    cl_kernel kernel = kernels[STENCIL_MAGNITUDE];

    if (!same_size(result, dx) || !same_size(result, dy))
        return PLANES_BAD_SIZE;
    CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &result->device));
    CHECK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &dx->device));
    CHECK(clSetKernelArg(kernel, 2, sizeof(cl_mem), &dy->device));
    return launch(kernel, 3, 2, result);
}

cl_int stencil_thin(Plane *result, Plane *steep, Plane *dx, Plane *dy)
{
    cl_kernel kernel = kernels[STENCIL_THIN];

    if (!same_size(result, steep) || !same_size(result, dx) || !same_size(result, dy))
        return PLANES_BAD_SIZE;
    if (result->device == steep->device)
        return PLANES_ALIASED;
    CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &result->device));
    CHECK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &steep->device));
    CHECK(clSetKernelArg(kernel, 2, sizeof(cl_mem), &dx->device));
    CHECK(clSetKernelArg(kernel, 3, sizeof(cl_mem), &dy->device));
    return launch(kernel, 4, 2, result);
}

cl_int stencil_hotspot(Plane *result, Plane *source, Plane *power, const Chip *chip)
{
    cl_kernel kernel = kernels[STENCIL_HOTSPOT];

    if (!same_size(result, source) || !same_size(result, power))
        return PLANES_BAD_SIZE;
    if (result->device == source->device)
        return PLANES_ALIASED;
    CHECK(clSetKernelArg(kernel, 0, sizeof(cl_mem), &result->device));
    CHECK(clSetKernelArg(kernel, 1, sizeof(cl_mem), &source->device));
    CHECK(clSetKernelArg(kernel, 2, sizeof(cl_mem), &power->device));
    CHECK(clSetKernelArg(kernel, 3, sizeof(cl_float), &chip->step_over_capacity));
    CHECK(clSetKernelArg(kernel, 4, sizeof(cl_float), &chip->rx));
    CHECK(clSetKernelArg(kernel, 5, sizeof(cl_float), &chip->ry));
    CHECK(clSetKernelArg(kernel, 6, sizeof(cl_float), &chip->rz));
    CHECK(clSetKernelArg(kernel, 7, sizeof(cl_float), &chip->air));
    return launch(kernel, 8, 2, result);
}
