#include "rig.h"
#include "lib.h"

#include <stdlib.h>

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel square_kernel, add_kernel, root_kernel, scale_kernel, head_kernel;

void vec_start(void)
{
    context = rig_context();
    queue = rig_queue();
    program = rig_program("");
    square_kernel = clCreateKernel(program, "square", NULL);
    add_kernel = clCreateKernel(program, "add", NULL);
    root_kernel = clCreateKernel(program, "root", NULL);
    scale_kernel = clCreateKernel(program, "scale", NULL);
    head_kernel = clCreateKernel(program, "head", NULL);
}

void vec_stop(void)
{
    clReleaseKernel(square_kernel);
    clReleaseKernel(add_kernel);
    clReleaseKernel(root_kernel);
    clReleaseKernel(scale_kernel);
    clReleaseKernel(head_kernel);
    clReleaseProgram(program);
}

void vec_new(vec *v, const float *data, unsigned n)
{
    v->n = n;
    v->mem = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
    if (data != NULL)
        clEnqueueWriteBuffer(queue, v->mem, CL_TRUE, 0, n * sizeof(float), data, 0, NULL, NULL);
}

void vec_get(const vec *v, float *data)
{
    clEnqueueReadBuffer(queue, v->mem, CL_TRUE, 0, v->n * sizeof(float), data, 0, NULL, NULL);
}

void vec_free(vec *v)
{
    clReleaseMemObject(v->mem);
}

void vec_show(const char *name, const vec *v)
{
    float *data = malloc(v->n * sizeof(float));

    vec_get(v, data);
    rig_dump(name, data, v->n * sizeof(float));
    free(data);
}

/* y = x * x */
void vec_square(vec *y, const vec *x)
{
    size_t items = y->n;

    clSetKernelArg(square_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(square_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(square_kernel, 2, sizeof(unsigned), &y->n);
    clEnqueueNDRangeKernel(queue, square_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* z = x + y */
void vec_add(vec *z, const vec *x, const vec *y)
{
    size_t items = z->n;

    clSetKernelArg(add_kernel, 0, sizeof(cl_mem), &z->mem);
    clSetKernelArg(add_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(add_kernel, 2, sizeof(cl_mem), &y->mem);
    clSetKernelArg(add_kernel, 3, sizeof(unsigned), &z->n);
    clEnqueueNDRangeKernel(queue, add_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* y = sqrt(x) */
void vec_root(vec *y, const vec *x)
{
    size_t items = y->n;

    clSetKernelArg(root_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(root_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(root_kernel, 2, sizeof(unsigned), &y->n);
    clEnqueueNDRangeKernel(queue, root_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* y = factor * x */
void vec_scale(vec *y, const vec *x, float factor)
{
    size_t items = y->n;

    clSetKernelArg(scale_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(scale_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(scale_kernel, 2, sizeof(float), &factor);
    clSetKernelArg(scale_kernel, 3, sizeof(unsigned), &y->n);
    clEnqueueNDRangeKernel(queue, scale_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* y[0..n) = -x[0..n); one item for each element of y */
void vec_head(vec *y, const vec *x, unsigned n)
{
    size_t items = y->n;

    clSetKernelArg(head_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(head_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(head_kernel, 2, sizeof(unsigned), &n);
    clEnqueueNDRangeKernel(queue, head_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}
