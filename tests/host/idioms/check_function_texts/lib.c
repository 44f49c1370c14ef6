#include "rig.h"
#include "lib.h"

#include <stdio.h>
#include <stdlib.h>

static void check(cl_int status, const char *what)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "%s: OpenCL status %d\n", what, (int)status);
        exit(EXIT_FAILURE);
    }
}

static cl_command_queue queue;
static cl_program program;
static cl_kernel square_kernel, add_kernel, root_kernel;

void vec_start(void)
{
    queue = rig_queue();
    program = rig_program("");
    square_kernel = clCreateKernel(program, "square", NULL);
    add_kernel = clCreateKernel(program, "add", NULL);
    root_kernel = clCreateKernel(program, "root", NULL);
}

void vec_stop(void)
{
    clReleaseKernel(square_kernel);
    clReleaseKernel(add_kernel);
    clReleaseKernel(root_kernel);
    clReleaseProgram(program);
}

void vec_new(vec *v, const float *data, unsigned n)
{
    v->n = n;
    v->mem = clCreateBuffer(rig_context(), CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
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

/* y = x * x */
void vec_square(vec *y, const vec *x)
{
    size_t items = x->n;

    check(clSetKernelArg(square_kernel, 0, sizeof(cl_mem), &y->mem), "square: y");
    check(clSetKernelArg(square_kernel, 1, sizeof(cl_mem), &x->mem), "square: x");
    check(clEnqueueNDRangeKernel(queue, square_kernel, 1, NULL, &items, NULL, 0, NULL, NULL), "square");
}

/* z = x + y */
void vec_add(vec *z, const vec *x, const vec *y)
{
    size_t items = x->n;

    check(clSetKernelArg(add_kernel, 0, sizeof(cl_mem), &z->mem), "add: z");
    check(clSetKernelArg(add_kernel, 1, sizeof(cl_mem), &x->mem), "add: x");
    check(clSetKernelArg(add_kernel, 2, sizeof(cl_mem), &y->mem), "add: y");
    check(clEnqueueNDRangeKernel(queue, add_kernel, 1, NULL, &items, NULL, 0, NULL, NULL), "add");
}

/* y = sqrt(x) */
void vec_root(vec *y, const vec *x)
{
    size_t items = x->n;

    check(clSetKernelArg(root_kernel, 0, sizeof(cl_mem), &y->mem), "root: y");
    check(clSetKernelArg(root_kernel, 1, sizeof(cl_mem), &x->mem), "root: x");
    check(clEnqueueNDRangeKernel(queue, root_kernel, 1, NULL, &items, NULL, 0, NULL, NULL), "root");
}
