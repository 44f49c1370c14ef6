#include "rig.h"
#include "lib.h"

#include <stdlib.h>

typedef struct {
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel square, add;
} engine;

static engine engines[2], *now = engines;

static void engine_start(engine *e)
{
    e->context = rig_new_context();
    e->queue = rig_new_queue(e->context);
    e->program = rig_program_in(e->context, "");
    e->square = clCreateKernel(e->program, "square", NULL);
    e->add = clCreateKernel(e->program, "add", NULL);
}

static void engine_stop(engine *e)
{
    clReleaseKernel(e->square);
    clReleaseKernel(e->add);
    clReleaseProgram(e->program);
    clReleaseCommandQueue(e->queue);
    clReleaseContext(e->context);
}

void vec_start(void)
{
    engine_start(&engines[0]);
    engine_start(&engines[1]);
}

void vec_stop(void)
{
    engine_stop(&engines[0]);
    engine_stop(&engines[1]);
}

/* What follows is done in the other context. */
void vec_switch(void)
{
    now = now == &engines[0] ? &engines[1] : &engines[0];
}

void vec_new(vec *v, const float *data, unsigned n)
{
    v->n = n;
    v->mem = clCreateBuffer(now->context, CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
    if (data != NULL)
        clEnqueueWriteBuffer(now->queue, v->mem, CL_TRUE, 0, n * sizeof(float), data, 0, NULL, NULL);
}

void vec_get(const vec *v, float *data)
{
    clEnqueueReadBuffer(now->queue, v->mem, CL_TRUE, 0, v->n * sizeof(float), data, 0, NULL, NULL);
}

void vec_free(vec *v)
{
    clReleaseMemObject(v->mem);
}

void vec_show(const char *name, const vec *v)
{
    float *data = malloc(v->n * sizeof(float));

    vec_get(v, data);
    rig_dump(name, data, v->n * sizeof(float));
    free(data);
}

/* y = x * x */
void vec_square(vec *y, const vec *x)
{
    size_t items = y->n;

    clSetKernelArg(now->square, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(now->square, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(now->square, 2, sizeof(unsigned), &y->n);
    clEnqueueNDRangeKernel(now->queue, now->square, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* z = x + y */
void vec_add(vec *z, const vec *x, const vec *y)
{
    size_t items = z->n;

    clSetKernelArg(now->add, 0, sizeof(cl_mem), &z->mem);
    clSetKernelArg(now->add, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(now->add, 2, sizeof(cl_mem), &y->mem);
    clSetKernelArg(now->add, 3, sizeof(unsigned), &z->n);
    clEnqueueNDRangeKernel(now->queue, now->add, 1, NULL, &items, NULL, 0, NULL, NULL);
}
