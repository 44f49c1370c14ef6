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

/* Bring the device's copy up to date. */
static void to_gpu(vec *v)
{
    if (v->host_newer) {
        clEnqueueWriteBuffer(queue, v->gpu, CL_TRUE, 0, v->n * sizeof(float), v->host, 0, NULL, NULL);
        v->host_newer = 0;
    }
}

/* y = x * x */
void vec_square(vec *y, vec *x)
{
    size_t items = x->n;

    to_gpu(x);
    clSetKernelArg(square_kernel, 0, sizeof(cl_mem), &y->gpu);
    clSetKernelArg(square_kernel, 1, sizeof(cl_mem), &x->gpu);
    clEnqueueNDRangeKernel(queue, square_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    y->host_newer = 0;
    y->gpu_newer = 1;
}

/* z = x + y */
void vec_add(vec *z, vec *x, vec *y)
{
    size_t items = x->n;

    to_gpu(x);
    to_gpu(y);
    clSetKernelArg(add_kernel, 0, sizeof(cl_mem), &z->gpu);
    clSetKernelArg(add_kernel, 1, sizeof(cl_mem), &x->gpu);
    clSetKernelArg(add_kernel, 2, sizeof(cl_mem), &y->gpu);
    clEnqueueNDRangeKernel(queue, add_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    z->host_newer = 0;
    z->gpu_newer = 1;
}

/* y = sqrt(x) * by */
void vec_root(vec *y, vec *x, float by)
{
    size_t items = x->n;

    to_gpu(x);
    clSetKernelArg(root_kernel, 0, sizeof *(&y->gpu), &y->gpu);
    clSetKernelArg(root_kernel, 1, sizeof *(&x->gpu), &x->gpu);
    clSetKernelArg(root_kernel, 2, sizeof by, &by);
    clEnqueueNDRangeKernel(queue, root_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    y->host_newer = 0;
    y->gpu_newer = 1;
}
