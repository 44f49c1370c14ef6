#include "rig.h"
#include "lib.h"

#include <stdio.h>

#define TRY(call) \
    do { \
        cl_int status_ = (call); \
        if (status_ != CL_SUCCESS) { \
            fprintf(stderr, "%s: OpenCL status %d\n", __func__, (int)status_); \
            return status_; \
        } \
    } while (0)

/* the arguments in order: `next` says which one is */
#define PUSH(kernel, next, value) TRY(clSetKernelArg(kernel, (next)++, sizeof(value), &(value)))

static cl_command_queue queue;
static cl_program program;
static cl_kernel square_kernel, add_kernel, root_kernel, scale_kernel;

void vec_start(void)
{
    queue = rig_queue();
    program = rig_program("");
    square_kernel = clCreateKernel(program, "square", NULL);
    add_kernel = clCreateKernel(program, "add", NULL);
    root_kernel = clCreateKernel(program, "root", NULL);
    scale_kernel = clCreateKernel(program, "scale", NULL);
}

void vec_stop(void)
{
    clReleaseKernel(square_kernel);
    clReleaseKernel(add_kernel);
    clReleaseKernel(root_kernel);
    clReleaseKernel(scale_kernel);
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
int vec_square(vec *y, const vec *x)
{
    size_t items = x->n;
    cl_uint next = 0;

    PUSH(square_kernel, next, y->mem);
    PUSH(square_kernel, next, x->mem);
    TRY(clEnqueueNDRangeKernel(queue, square_kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    return 0;
}

/* z = x + y */
int vec_add(vec *z, const vec *x, const vec *y)
{
    size_t items = x->n;
    cl_uint next = 0;

    PUSH(add_kernel, next, z->mem);
    PUSH(add_kernel, next, x->mem);
    PUSH(add_kernel, next, y->mem);
    TRY(clEnqueueNDRangeKernel(queue, add_kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    return 0;
}

/* y = sqrt(x) */
int vec_root(vec *y, const vec *x)
{
    size_t items = x->n;
    cl_uint next = 0;

    PUSH(root_kernel, next, y->mem);
    PUSH(root_kernel, next, x->mem);
    TRY(clEnqueueNDRangeKernel(queue, root_kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    return 0;
}

/* y = factor * x */
int vec_scale(vec *y, const vec *x, float factor)
{
    size_t items = x->n;
    cl_uint next = 0;

    PUSH(scale_kernel, next, y->mem);
    PUSH(scale_kernel, next, x->mem);
    PUSH(scale_kernel, next, factor);
    TRY(clEnqueueNDRangeKernel(queue, scale_kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    return 0;
}
