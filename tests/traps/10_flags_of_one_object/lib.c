#include "rig.h"
#include "lib.h"

#include <stdlib.h>
#include <string.h>

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel square_kernel, add_kernel;

void vec_start(void)
{
    context = rig_context();
    queue = rig_queue();
    program = rig_program("");
    square_kernel = clCreateKernel(program, "square", NULL);
    add_kernel = clCreateKernel(program, "add", NULL);
}

void vec_stop(void)
{
    clReleaseKernel(square_kernel);
    clReleaseKernel(add_kernel);
    clReleaseProgram(program);
}

void vec_new(vec *v, const float *data, unsigned n)
{
    v->n = n;
    v->host = calloc(n, sizeof(float));
    memcpy(v->host, data, n * sizeof(float));
    v->mem = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
    v->host_newer = 1;
    v->gpu_newer = 0;
}

void vec_get(vec *v, float *data)
{
    if (v->gpu_newer) {
        clEnqueueReadBuffer(queue, v->mem, CL_TRUE, 0, v->n * sizeof(float), v->host, 0, NULL, NULL);
        v->gpu_newer = 0;
    }
    memcpy(data, v->host, v->n * sizeof(float));
}

void vec_free(vec *v)
{
    clReleaseMemObject(v->mem);
    free(v->host);
}

void vec_show(const char *name, vec *v)
{
    float *data = malloc(v->n * sizeof(float));

    vec_get(v, data);
    rig_dump(name, data, v->n * sizeof(float));
    free(data);
}

static void to_gpu(vec *v)
{
    if (v->host_newer) {
        clEnqueueWriteBuffer(queue, v->mem, CL_TRUE, 0, v->n * sizeof(float), v->host, 0, NULL, NULL);
        v->host_newer = 0;
    }
}

/* y = x * x */
void vec_square(vec *y, vec *x)
{
    size_t items = y->n;

    to_gpu(x);
    clSetKernelArg(square_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(square_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(square_kernel, 2, sizeof(unsigned), &y->n);
    clEnqueueNDRangeKernel(queue, square_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    y->host_newer = 0;
    y->gpu_newer = 1;
}

/* z = x + y */
void vec_add(vec *z, vec *x, vec *y)
{
    size_t items = z->n;

    to_gpu(x);
    to_gpu(y);
    clSetKernelArg(add_kernel, 0, sizeof(cl_mem), &z->mem);
    clSetKernelArg(add_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(add_kernel, 2, sizeof(cl_mem), &y->mem);
    clSetKernelArg(add_kernel, 3, sizeof(unsigned), &z->n);
    clEnqueueNDRangeKernel(queue, add_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    z->host_newer = 0;
    z->gpu_newer = 1;
}

/* x[0] = first, where the host has it; y = x * x */
void vec_first(vec *y, vec *x, float first)
{
    size_t items = y->n;

    x->host[0] = first;
    x->host_newer = 1;
    to_gpu(x);
    clSetKernelArg(square_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(square_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(square_kernel, 2, sizeof(unsigned), &y->n);
    clEnqueueNDRangeKernel(queue, square_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    y->host_newer = 0;
    y->gpu_newer = 1;
}
