#include "rig.h"
#include "lib.h"

#include <string.h>

static cl_command_queue queue;
static cl_program program;

#define MOST 16

/* Kernels by name, each created when it is first asked for. */
static struct {
    char name[32];
    cl_kernel kernel;
} cache[MOST];
static int cached;

static cl_kernel get_kernel(const char *name)
{
    int i;

    for (i = 0; i < cached; i++)
        if (strcmp(cache[i].name, name) == 0)
            return cache[i].kernel;
    strncpy(cache[cached].name, name, sizeof cache[cached].name - 1);
    cache[cached].kernel = clCreateKernel(program, name, NULL);
    return cache[cached++].kernel;
}

void vec_start(void)
{
    queue = rig_queue();
    program = rig_program("");
}

void vec_stop(void)
{
    while (cached > 0)
        clReleaseKernel(cache[--cached].kernel);
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
    cl_kernel kernel = get_kernel("square");
    size_t items = x->n;

    clSetKernelArg(kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &x->mem);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* z = x + y */
void vec_add(vec *z, const vec *x, const vec *y)
{
    cl_kernel kernel = get_kernel("add");
    size_t items = x->n;

    clSetKernelArg(kernel, 0, sizeof(cl_mem), &z->mem);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(kernel, 2, sizeof(cl_mem), &y->mem);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* y = sqrt(x) */
void vec_root(vec *y, const vec *x)
{
    cl_kernel kernel = get_kernel("root");
    size_t items = x->n;

    clSetKernelArg(kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &x->mem);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}
