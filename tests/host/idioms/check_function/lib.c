#include "rig.h"
#include "lib.h"

#include <stdio.h>
#include <stdlib.h>

static void check(cl_int status, int line)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "lib.c:%d: OpenCL status %d\n", line, (int)status);
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

    check(clSetKernelArg(square_kernel, 0, sizeof(cl_mem), &y->mem), __LINE__);
    check(clSetKernelArg(square_kernel, 1, sizeof(cl_mem), &x->mem), __LINE__);
    check(clEnqueueNDRangeKernel(queue, square_kernel, 1, NULL, &items, NULL, 0, NULL, NULL), __LINE__);
}

/* z = x + y */
void vec_add(vec *z, const vec *x, const vec *y)
{
    size_t items = x->n;

    check(clSetKernelArg(add_kernel, 0, sizeof(cl_mem), &z->mem), __LINE__);
    check(clSetKernelArg(add_kernel, 1, sizeof(cl_mem), &x->mem), __LINE__);
    check(clSetKernelArg(add_kernel, 2, sizeof(cl_mem), &y->mem), __LINE__);
    check(clEnqueueNDRangeKernel(queue, add_kernel, 1, NULL, &items, NULL, 0, NULL, NULL), __LINE__);
}

/* y = sqrt(x) */
void vec_root(vec *y, const vec *x)
{
    size_t items = x->n;

    check(clSetKernelArg(root_kernel, 0, sizeof(cl_mem), &y->mem), __LINE__);
    check(clSetKernelArg(root_kernel, 1, sizeof(cl_mem), &x->mem), __LINE__);
    check(clEnqueueNDRangeKernel(queue, root_kernel, 1, NULL, &items, NULL, 0, NULL, NULL), __LINE__);
}
