#include "rig.h"
#include "lib.h"

#include <stdlib.h>

void engine_start(struct engine *e, cl_command_queue queue, cl_program program)
{
    e->queue = queue;
    e->program = program;
    e->square_kernel = clCreateKernel(program, "square", NULL);
}

void engine_stop(struct engine *e)
{
    clReleaseKernel(e->square_kernel);
}

void vec_new(vec *v, struct engine *e, const float *data, unsigned n)
{
    v->engine = e;
    v->n = n;
    v->mem = clCreateBuffer(rig_context(), CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
    clEnqueueWriteBuffer(e->queue, v->mem, CL_TRUE, 0, n * sizeof(float), data, 0, NULL, NULL);
}

void vec_free(vec *v)
{
    clReleaseMemObject(v->mem);
}

void vec_show(const char *name, const vec *v)
{
    float *data = malloc(v->n * sizeof(float));

    clEnqueueReadBuffer(v->engine->queue, v->mem, CL_TRUE, 0, v->n * sizeof(float), data,
                        0, NULL, NULL);
    rig_dump(name, data, v->n * sizeof(float));
    free(data);
}

/* y = x * x, on the engine of y */
void vec_square(vec *y, const vec *x)
{
    struct engine *e = y->engine;
    size_t items = x->n;

    clSetKernelArg(e->square_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(e->square_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(e->square_kernel, 2, sizeof(unsigned), &x->n);
    clEnqueueNDRangeKernel(e->queue, e->square_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}
