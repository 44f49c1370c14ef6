#include "rig.h"
#include "lib.h"

#include <stdio.h>
#include <stdlib.h>

#define CHECK(call) do { \
        cl_int status_ = (call); \
        if (status_ != CL_SUCCESS) { \
            fprintf(stderr, "%s:%d: OpenCL status %d\n", __FILE__, __LINE__, (int)status_); \
            exit(EXIT_FAILURE); \
        } \
    } while (0)

#define TARGET 0
#define SOURCE (TARGET + 1)
#define ADDRESS(v) (&(v)->mem)
#define FLAT 1, NULL

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
int vec_square(vec *y, const vec *x, unsigned n)
{
    size_t items = n;

    CHECK(clSetKernelArg(square_kernel, TARGET, sizeof(cl_mem), ADDRESS(y)));
    CHECK(clSetKernelArg(square_kernel, SOURCE, sizeof(cl_mem), ADDRESS(x)));
    CHECK(clEnqueueNDRangeKernel(queue, square_kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    return 0;
}

/* z = x + y */
int vec_add(vec *z, const vec *x, const vec *y, unsigned n)
{
    size_t items = n;

    CHECK(clSetKernelArg(add_kernel, 0, sizeof(cl_mem), &z->mem));
    CHECK(clSetKernelArg(add_kernel, 1, sizeof(cl_mem), &x->mem));
    CHECK(clSetKernelArg(add_kernel, 2, sizeof(cl_mem), &y->mem));
    CHECK(clEnqueueNDRangeKernel(queue, add_kernel, FLAT, &items, NULL, 0, NULL, NULL));
    return 0;
}

/* y = sqrt(x) */
int vec_root(vec *y, const vec *x, unsigned n)
{
    size_t items = n;

    CHECK(clSetKernelArg(root_kernel, TARGET, sizeof(cl_mem), &y->mem));
    CHECK(clSetKernelArg(root_kernel, 1, sizeof(cl_mem), &x->mem));
    CHECK(clEnqueueNDRangeKernel(queue, root_kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    return 0;
}
