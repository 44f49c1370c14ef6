#include "rig.h"
#include "lib.h"
#include "img.h"
#include "img.h"

struct img {
    cl_mem mem;
    unsigned len;
};

#include <stdlib.h>

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel square_kernel, add_kernel, root_kernel, scale_kernel, shift_kernel;

void img_start(void)
{
    context = rig_context();
    queue = rig_queue();
    program = rig_program("");
    square_kernel = clCreateKernel(program, "square", NULL);
    add_kernel = clCreateKernel(program, "add", NULL);
    root_kernel = clCreateKernel(program, "root", NULL);
    scale_kernel = clCreateKernel(program, "scale", NULL);
    shift_kernel = clCreateKernel(program, "shift", NULL);
}

void img_stop(void)
{
    clReleaseKernel(square_kernel);
    clReleaseKernel(add_kernel);
    clReleaseKernel(root_kernel);
    clReleaseKernel(scale_kernel);
    clReleaseKernel(shift_kernel);
    clReleaseProgram(program);
}

void img_new(img *v, const float *data, unsigned n)
{
    v->len = n;
    v->mem = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
    if (data != NULL)
        clEnqueueWriteBuffer(queue, v->mem, CL_TRUE, 0, n * sizeof(float), data, 0, NULL, NULL);
}

void img_get(const img *v, float *data)
{
    clEnqueueReadBuffer(queue, v->mem, CL_TRUE, 0, v->len * sizeof(float), data, 0, NULL, NULL);
}

void img_free(img *v)
{
    clReleaseMemObject(v->mem);
}

void img_show(const char *name, const img *v)
{
    float *data = malloc(v->len * sizeof(float));

    img_get(v, data);
    rig_dump(name, data, v->len * sizeof(float));
    free(data);
}

/* y = x * x */
void img_square(img *y, const img *x)
{
    size_t items = y->len;

    clSetKernelArg(square_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(square_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(square_kernel, 2, sizeof(unsigned), &y->len);
    clEnqueueNDRangeKernel(queue, square_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* z = x + y */
void img_add(img *z, const img *x, const img *y)
{
    size_t items = z->len;

    clSetKernelArg(add_kernel, 0, sizeof(cl_mem), &z->mem);
    clSetKernelArg(add_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(add_kernel, 2, sizeof(cl_mem), &y->mem);
    clSetKernelArg(add_kernel, 3, sizeof(unsigned), &z->len);
    clEnqueueNDRangeKernel(queue, add_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* y = sqrt(x) */
void img_root(img *y, const img *x)
{
    size_t items = y->len;

    clSetKernelArg(root_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(root_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(root_kernel, 2, sizeof(unsigned), &y->len);
    clEnqueueNDRangeKernel(queue, root_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* y = factor * x */
void img_scale(img *y, const img *x, float factor)
{
    size_t items = y->len;

    clSetKernelArg(scale_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(scale_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(scale_kernel, 2, sizeof(float), &factor);
    clSetKernelArg(scale_kernel, 3, sizeof(unsigned), &y->len);
    clEnqueueNDRangeKernel(queue, scale_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* y is x, one element further */
void img_shift(img *y, const img *x)
{
    size_t items = y->len;

    clSetKernelArg(shift_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(shift_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(shift_kernel, 2, sizeof(unsigned), &y->len);
    clEnqueueNDRangeKernel(queue, shift_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

img *img_make(const float *data, unsigned n)
{
    img *v = malloc(sizeof *v);
    img_new(v, data, n);
    return v;
}
