#include "rig.h"
#include "lib.h"

#include <stdio.h>
#include <stdlib.h>

static void die(cl_int status, const char *what)
{
    fprintf(stderr, "%s: %d\n", what, status);
    abort();
}

#define CL(call)                       \
    do {                               \
        cl_int status_ = (call);       \
        if (status_ != CL_SUCCESS)     \
            die(status_, #call);       \
    } while (0)

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

static void launch(cl_kernel kernel, size_t n)
{
    const size_t group = 4, items = (n + group - 1) / group * group;

    CL(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
}

/* y = x * x */
void vec_square(vec *y, const vec *x)
{
    CL(clSetKernelArg(square_kernel, 0, sizeof(cl_mem), &y->mem));
    CL(clSetKernelArg(square_kernel, 1, sizeof(cl_mem), &x->mem));
    launch(square_kernel, x->n);
}

/* z = x + y */
void vec_add(vec *z, const vec *x, const vec *y)
{
    CL(clSetKernelArg(add_kernel, 0, sizeof(cl_mem), &z->mem));
    CL(clSetKernelArg(add_kernel, 1, sizeof(cl_mem), &x->mem));
    CL(clSetKernelArg(add_kernel, 2, sizeof(cl_mem), &y->mem));
    launch(add_kernel, x->n);
}

/* y = sqrt(x) */
void vec_root(vec *y, const vec *x)
{
    CL(clSetKernelArg(root_kernel, 0, sizeof(cl_mem), &y->mem));
    CL(clSetKernelArg(root_kernel, 1, sizeof(cl_mem), &x->mem));
    launch(root_kernel, x->n);
}
