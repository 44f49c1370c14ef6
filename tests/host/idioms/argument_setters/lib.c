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

static int set_buffer(cl_kernel kernel, cl_uint index, const vec *v)
{
    return clSetKernelArg(kernel, index, sizeof(cl_mem), &v->mem);
}

static int set_float(cl_kernel kernel, cl_uint index, float value)
{
    return clSetKernelArg(kernel, index, sizeof(value), &value);
}

static int launch(cl_kernel kernel, size_t n)
{
    return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
}

/* y = x * x */
int vec_square(vec *y, const vec *x)
{
    TRY(set_buffer(square_kernel, 0, y));
    TRY(set_buffer(square_kernel, 1, x));
    TRY(launch(square_kernel, x->n));
    return 0;
}

/* z = x + y */
int vec_add(vec *z, const vec *x, const vec *y)
{
    TRY(set_buffer(add_kernel, 0, z));
    TRY(set_buffer(add_kernel, 1, x));
    TRY(set_buffer(add_kernel, 2, y));
    TRY(launch(add_kernel, x->n));
    return 0;
}

/* y = sqrt(x) */
int vec_root(vec *y, const vec *x)
{
    TRY(set_buffer(root_kernel, 0, y));
    TRY(set_buffer(root_kernel, 1, x));
    TRY(launch(root_kernel, x->n));
    return 0;
}

/* y = factor * x */
int vec_scale(vec *y, const vec *x, float factor)
{
    TRY(set_buffer(scale_kernel, 0, y));
    TRY(set_buffer(scale_kernel, 1, x));
    TRY(set_float(scale_kernel, 2, factor));
    TRY(launch(scale_kernel, x->n));
    return 0;
}
