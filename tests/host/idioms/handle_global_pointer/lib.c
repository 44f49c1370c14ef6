#include "rig.h"
#include "lib.h"

#include <stdlib.h>

typedef struct {
    cl_command_queue queue;
    cl_program program;
    cl_kernel square, add, root;
} state;

static state *cl;

void vec_start(void)
{
    cl = malloc(sizeof *cl);
    cl->queue = rig_queue();
    cl->program = rig_program("");
    cl->square = clCreateKernel(cl->program, "square", NULL);
    cl->add = clCreateKernel(cl->program, "add", NULL);
    cl->root = clCreateKernel(cl->program, "root", NULL);
}

void vec_stop(void)
{
    clReleaseKernel(cl->square);
    clReleaseKernel(cl->add);
    clReleaseKernel(cl->root);
    clReleaseProgram(cl->program);
    free(cl);
}

void vec_new(vec *v, const float *data, unsigned n)
{
    v->n = n;
    v->mem = clCreateBuffer(rig_context(), CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
    if (data != NULL)
        clEnqueueWriteBuffer(cl->queue, v->mem, CL_TRUE, 0, n * sizeof(float), data, 0, NULL, NULL);
}

void vec_get(const vec *v, float *data)
{
    clEnqueueReadBuffer(cl->queue, v->mem, CL_TRUE, 0, v->n * sizeof(float), data, 0, NULL, NULL);
}

void vec_free(vec *v)
{
    clReleaseMemObject(v->mem);
}

/* y = x * x */
void vec_square(vec *y, const vec *x)
{
    size_t items = x->n;

    clSetKernelArg(cl->square, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(cl->square, 1, sizeof(cl_mem), &x->mem);
    clEnqueueNDRangeKernel(cl->queue, cl->square, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* z = x + y */
void vec_add(vec *z, const vec *x, const vec *y)
{
    size_t items = x->n;

    clSetKernelArg(cl->add, 0, sizeof(cl_mem), &z->mem);
    clSetKernelArg(cl->add, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(cl->add, 2, sizeof(cl_mem), &y->mem);
    clEnqueueNDRangeKernel(cl->queue, cl->add, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* y = sqrt(x) */
void vec_root(vec *y, const vec *x)
{
    size_t items = x->n;

    clSetKernelArg(cl->root, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(cl->root, 1, sizeof(cl_mem), &x->mem);
    clEnqueueNDRangeKernel(cl->queue, cl->root, 1, NULL, &items, NULL, 0, NULL, NULL);
}
