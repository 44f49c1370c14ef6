#include "rig.h"
#include "lib.h"

gpu vec_start(void)
{
    gpu g = {0};

    g.queue = rig_queue();
    g.program = rig_program("");
    g.square = clCreateKernel(g.program, "square", NULL);
    g.add = clCreateKernel(g.program, "add", NULL);
    g.root = clCreateKernel(g.program, "root", NULL);
    return g;
}

void vec_stop(gpu *g)
{
    clReleaseKernel(g->square);
    clReleaseKernel(g->add);
    clReleaseKernel(g->root);
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

    clSetKernelArg(g->square, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(g->square, 1, sizeof(cl_mem), &x->mem);
    clEnqueueNDRangeKernel(g->queue, g->square, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* z = x + y */
void vec_add(gpu *g, vec *z, const vec *x, const vec *y)
{
    size_t items = x->n;

    clSetKernelArg(g->add, 0, sizeof(cl_mem), &z->mem);
    clSetKernelArg(g->add, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(g->add, 2, sizeof(cl_mem), &y->mem);
    clEnqueueNDRangeKernel(g->queue, g->add, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* y = sqrt(x) */
void vec_root(gpu *g, vec *y, const vec *x)
{
    size_t items = x->n;

    clSetKernelArg(g->root, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(g->root, 1, sizeof(cl_mem), &x->mem);
    clEnqueueNDRangeKernel(g->queue, g->root, 1, NULL, &items, NULL, 0, NULL, NULL);
}
