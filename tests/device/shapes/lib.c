#include "lib.h"

#define ITEMS 16

static cl_command_queue queue;
static cl_program program;
static cl_kernel points_kernel, longer_kernel, scaled_kernel, tiled_kernel, framed_kernel;
static cl_kernel padded_kernel;

int start(void)
{
    points_kernel = clCreateKernel(program, "points_move", NULL);
    longer_kernel = clCreateKernel(program, "longer", NULL);
    scaled_kernel = clCreateKernel(program, "scaled", NULL);
    tiled_kernel = clCreateKernel(program, "tiled", NULL);
    framed_kernel = clCreateKernel(program, "framed", NULL);
    padded_kernel = clCreateKernel(program, "padded", NULL);
    return 0;
}

int points_move(buf *to, buf *from, unsigned n)
{
    const size_t items = n;

    clSetKernelArg(points_kernel, 0, sizeof(cl_mem), &to->mem);
    clSetKernelArg(points_kernel, 1, sizeof(cl_mem), &from->mem);
    return clEnqueueNDRangeKernel(queue, points_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* Fewer items than elements. */
int longer(buf *to, buf *from, unsigned n)
{
    const size_t items = ITEMS;

    clSetKernelArg(longer_kernel, 0, sizeof(cl_mem), &to->mem);
    clSetKernelArg(longer_kernel, 1, sizeof(cl_mem), &from->mem);
    clSetKernelArg(longer_kernel, 2, sizeof(unsigned), &n);
    return clEnqueueNDRangeKernel(queue, longer_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

int scaled(buf *to, buf *from, setting how)
{
    const size_t items = ITEMS;

    clSetKernelArg(scaled_kernel, 0, sizeof(cl_mem), &to->mem);
    clSetKernelArg(scaled_kernel, 1, sizeof(cl_mem), &from->mem);
    clSetKernelArg(scaled_kernel, 2, sizeof(setting), &how);
    return clEnqueueNDRangeKernel(queue, scaled_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

int tiled(buf *to, buf *from, unsigned n)
{
    const size_t items = n;

    clSetKernelArg(tiled_kernel, 0, sizeof(cl_mem), &to->mem);
    clSetKernelArg(tiled_kernel, 1, sizeof(cl_mem), &from->mem);
    return clEnqueueNDRangeKernel(queue, tiled_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

int framed(buf *to, buf *from, cl_int2 size, unsigned width, unsigned height)
{
    const size_t items[2] = {width, height};

    clSetKernelArg(framed_kernel, 0, sizeof(cl_mem), &to->mem);
    clSetKernelArg(framed_kernel, 1, sizeof(cl_mem), &from->mem);
    clSetKernelArg(framed_kernel, 2, sizeof(cl_int2), &size);
    return clEnqueueNDRangeKernel(queue, framed_kernel, 2, NULL, items, NULL, 0, NULL, NULL);
}

int padded(buf *to, buf *from, unsigned width, unsigned pitch, unsigned height)
{
    const size_t items[2] = {width, height};

    clSetKernelArg(padded_kernel, 0, sizeof(cl_mem), &to->mem);
    clSetKernelArg(padded_kernel, 1, sizeof(cl_mem), &from->mem);
    clSetKernelArg(padded_kernel, 2, sizeof width, &width);
    clSetKernelArg(padded_kernel, 3, sizeof pitch, &pitch);
    return clEnqueueNDRangeKernel(queue, padded_kernel, 2, NULL, items, NULL, 0, NULL, NULL);
}
