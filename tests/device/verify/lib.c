#include "lib.h"

#define GROUP 64

static cl_command_queue queue;
static cl_program program;
static cl_kernel square_kernel, scale_kernel, blur_kernel, crash_kernel;

int vec_start(void)
{
    square_kernel = clCreateKernel(program, "square", NULL);
    scale_kernel = clCreateKernel(program, "scale", NULL);
    blur_kernel = clCreateKernel(program, "blur", NULL);
    crash_kernel = clCreateKernel(program, "crash", NULL);
    return 0;
}

void vec_stop(void)
{
    clReleaseKernel(square_kernel);
    clReleaseKernel(scale_kernel);
    clReleaseKernel(blur_kernel);
    clReleaseKernel(crash_kernel);
}

static int launch(cl_kernel kernel, unsigned n)
{
    const size_t local = GROUP, global = (n + GROUP - 1) / GROUP * GROUP;

    return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
}

int vec_square(vec *y, const vec *x)
{
    clSetKernelArg(square_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(square_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(square_kernel, 2, sizeof(unsigned), &y->n);
    return launch(square_kernel, y->n);
}

int vec_scale(vec *y, const vec *x, float factor)
{
    clSetKernelArg(scale_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(scale_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(scale_kernel, 2, sizeof(float), &factor);
    clSetKernelArg(scale_kernel, 3, sizeof(unsigned), &y->n);
    return launch(scale_kernel, y->n);
}

int vec_blur(vec *y, const vec *x)
{
    clSetKernelArg(blur_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(blur_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(blur_kernel, 2, sizeof(unsigned), &y->n);
    return launch(blur_kernel, y->n);
}

int vec_crash(vec *y)
{
    clSetKernelArg(crash_kernel, 0, sizeof(cl_mem), &y->mem);
    return launch(crash_kernel, y->n);
}
