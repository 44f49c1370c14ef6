#include "rig.h"
#include "lib.h"

void vec_start(gpu *g)
{
    g->queue = rig_queue();
    g->program = rig_program("");
    g->kernels[SQUARE] = clCreateKernel(g->program, "square", NULL);
    g->kernels[ADD] = clCreateKernel(g->program, "add", NULL);
    g->kernels[ROOT] = clCreateKernel(g->program, "root", NULL);
}

void vec_stop(gpu *g)
{
    clReleaseKernel(g->kernels[SQUARE]);
    clReleaseKernel(g->kernels[ADD]);
    clReleaseKernel(g->kernels[ROOT]);
    clReleaseProgram(g->program);
}

void vec_new(gpu *g, vec *v, const float *data, unsigned n)
{
    v->n = n;
    v->mem = clCreateBuffer(rig_context(), CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
    if (data != NULL)
        clEnqueueWriteBuffer(g->queue, v->mem, CL_TRUE, 0, n * sizeof(float), data, 0, NULL, NULL);
}

void vec_get(gpu *g, const vec *v, float *data)
{
    clEnqueueReadBuffer(g->queue, v->mem, CL_TRUE, 0, v->n * sizeof(float), data, 0, NULL, NULL);
}

void vec_free(vec *v)
{
    clReleaseMemObject(v->mem);
}

/* y = x * x */
void vec_square(gpu *g, vec *y, const vec *x)
{
    size_t items = x->n;

    clSetKernelArg(g->kernels[SQUARE], 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(g->kernels[SQUARE], 1, sizeof(cl_mem), &x->mem);
    clEnqueueNDRangeKernel(g->queue, g->kernels[SQUARE], 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* z = x + y */
void vec_add(gpu *g, vec *z, const vec *x, const vec *y)
{
    size_t items = x->n;

    clSetKernelArg(g->kernels[ADD], 0, sizeof(cl_mem), &z->mem);
    clSetKernelArg(g->kernels[ADD], 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(g->kernels[ADD], 2, sizeof(cl_mem), &y->mem);
    clEnqueueNDRangeKernel(g->queue, g->kernels[ADD], 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* y = sqrt(x) */
void vec_root(gpu *g, vec *y, const vec *x)
{
    size_t items = x->n;

    clSetKernelArg(g->kernels[ROOT], 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(g->kernels[ROOT], 1, sizeof(cl_mem), &x->mem);
    clEnqueueNDRangeKernel(g->queue, g->kernels[ROOT], 1, NULL, &items, NULL, 0, NULL, NULL);
}
