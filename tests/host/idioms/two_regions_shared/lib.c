#include "rig.h"
#include "lib.h"

static cl_command_queue queue;
static cl_program program;
static cl_kernel scale_kernel, add_kernel;

void vec_start(void)
{
    queue = rig_queue();
    program = rig_program("");
    scale_kernel = clCreateKernel(program, "scale", NULL);
    add_kernel = clCreateKernel(program, "add", NULL);
}

void vec_stop(void)
{
    clReleaseKernel(scale_kernel);
    clReleaseKernel(add_kernel);
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

/* y = by * x */
void vec_scale(vec *y, const vec *x, float by)
{
    size_t items = x->n;

    clSetKernelArg(scale_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(scale_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(scale_kernel, 2, sizeof by, &by);
    clEnqueueNDRangeKernel(queue, scale_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* z = x + y */
void vec_add(vec *z, const vec *x, const vec *y)
{
    size_t items = x->n;

    clSetKernelArg(add_kernel, 0, sizeof(cl_mem), &z->mem);
    clSetKernelArg(add_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(add_kernel, 2, sizeof(cl_mem), &y->mem);
    clEnqueueNDRangeKernel(queue, add_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}
