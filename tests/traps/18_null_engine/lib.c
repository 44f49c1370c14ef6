#include "rig.h"
#include "lib.h"

#include <stdlib.h>

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static engine the_engine;
static cl_kernel root_kernel, scale_kernel, head_kernel;

void vec_start(void)
{
    context = rig_context();
    queue = rig_queue();
    program = rig_program("");
    the_engine.queue = queue;
    the_engine.square = clCreateKernel(program, "square", NULL);
    the_engine.add = clCreateKernel(program, "add", NULL);
    root_kernel = clCreateKernel(program, "root", NULL);
    scale_kernel = clCreateKernel(program, "scale", NULL);
    head_kernel = clCreateKernel(program, "head", NULL);
}

engine *vec_engine(void)
{
    return &the_engine;
}

void vec_stop(void)
{
    clReleaseKernel(the_engine.square);
    clReleaseKernel(the_engine.add);
    clReleaseKernel(root_kernel);
    clReleaseKernel(scale_kernel);
    clReleaseKernel(head_kernel);
    clReleaseProgram(program);
}

void vec_new(vec *v, const float *data, unsigned n)
{
    v->n = n;
    v->mem = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
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

void vec_show(const char *name, const vec *v)
{
    float *data = malloc(v->n * sizeof(float));

    vec_get(v, data);
    rig_dump(name, data, v->n * sizeof(float));
    free(data);
}

/* y = x * x */
int vec_square(engine *e, vec *y, const vec *x)
{
    size_t items = y->n;

    if (e == NULL)
        return -1;
    clSetKernelArg(e->square, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(e->square, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(e->square, 2, sizeof(unsigned), &y->n);
    return clEnqueueNDRangeKernel(e->queue, e->square, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* z = x + y */
int vec_add(engine *e, vec *z, const vec *x, const vec *y)
{
    size_t items = z->n;

    if (e == NULL)
        return -1;
    clSetKernelArg(e->add, 0, sizeof(cl_mem), &z->mem);
    clSetKernelArg(e->add, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(e->add, 2, sizeof(cl_mem), &y->mem);
    clSetKernelArg(e->add, 3, sizeof(unsigned), &z->n);
    return clEnqueueNDRangeKernel(e->queue, e->add, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* y = sqrt(x) */
void vec_root(vec *y, const vec *x)
{
    size_t items = y->n;

    clSetKernelArg(root_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(root_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(root_kernel, 2, sizeof(unsigned), &y->n);
    clEnqueueNDRangeKernel(queue, root_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* y = factor * x */
void vec_scale(vec *y, const vec *x, float factor)
{
    size_t items = y->n;

    clSetKernelArg(scale_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(scale_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(scale_kernel, 2, sizeof(float), &factor);
    clSetKernelArg(scale_kernel, 3, sizeof(unsigned), &y->n);
    clEnqueueNDRangeKernel(queue, scale_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* y[0..n) = -x[0..n); one item for each element of y */
void vec_head(vec *y, const vec *x, unsigned n)
{
    size_t items = y->n;

    clSetKernelArg(head_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(head_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(head_kernel, 2, sizeof(unsigned), &n);
    clEnqueueNDRangeKernel(queue, head_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}
