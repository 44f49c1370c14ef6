#include "rig.h"
#include "lib.h"

#include <stdlib.h>
#include <string.h>

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
    v->host = calloc(n, sizeof(float));
    if (data != NULL)
        memcpy(v->host, data, n * sizeof(float));
    v->gpu = clCreateBuffer(rig_context(), CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
    v->host_newer = 1;
    v->gpu_newer = 0;
}

void vec_get(const vec *v, float *data)
{
    if (v->gpu_newer)
        clEnqueueReadBuffer(queue, v->gpu, CL_TRUE, 0, v->n * sizeof(float), v->host, 0, NULL, NULL);
    memcpy(data, v->host, v->n * sizeof(float));
}

void vec_free(vec *v)
{
    clReleaseMemObject(v->gpu);
    free(v->host);
}

/* The device's copy, up to date. */
static cl_mem to_gpu(vec *v)
{
    if (v->host_newer) {
        clEnqueueWriteBuffer(queue, v->gpu, CL_TRUE, 0, v->n * sizeof(float), v->host, 0, NULL, NULL);
        v->host_newer = 0;
    }
    return v->gpu;
}

/* y = x * x */
void vec_square(vec *y, vec *x)
{
    cl_mem from = to_gpu(x), to = to_gpu(y);
    size_t items = x->n;

    clSetKernelArg(square_kernel, 0, sizeof(cl_mem), &to);
    clSetKernelArg(square_kernel, 1, sizeof(cl_mem), &from);
    clEnqueueNDRangeKernel(queue, square_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    y->gpu_newer = 1;
}

/* z = x + y */
void vec_add(vec *z, vec *x, vec *y)
{
    cl_mem left, right;
    const cl_mem to = to_gpu(z);
    size_t items = x->n;

    left = to_gpu(x);
    right = x == y ? left : to_gpu(y);
    clSetKernelArg(add_kernel, 0, sizeof(cl_mem), &to);
    clSetKernelArg(add_kernel, 1, sizeof(cl_mem), &left);
    clSetKernelArg(add_kernel, 2, sizeof(cl_mem), &right);
    clEnqueueNDRangeKernel(queue, add_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    z->gpu_newer = 1;
}

/* y = sqrt(x) */
void vec_root(vec *y, vec *x)
{
    cl_mem from = to_gpu(x);
    cl_mem to = to_gpu(y);
    size_t items = x->n;

    clSetKernelArg(root_kernel, 0, sizeof(cl_mem), &to);
    clSetKernelArg(root_kernel, 1, sizeof(cl_mem), &from);
    clEnqueueNDRangeKernel(queue, root_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    y->gpu_newer = 1;
}
