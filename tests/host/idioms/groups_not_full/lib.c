#include "rig.h"
#include "lib.h"

static cl_command_queue queue;
static cl_program program;
static cl_kernel square_kernel, half_kernel;

void vec_start(void)
{
    queue = rig_queue();
    program = rig_program("-cl-std=CL2.0");
    square_kernel = clCreateKernel(program, "square", NULL);
    half_kernel = clCreateKernel(program, "half_of", NULL);
}

void vec_stop(void)
{
    clReleaseKernel(square_kernel);
    clReleaseKernel(half_kernel);
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

static size_t whole_groups(unsigned n)
{
    return (n + VEC_GROUP - 1) / VEC_GROUP * VEC_GROUP;
}

/* y = x * x */
void vec_square(vec *y, const vec *x)
{
    size_t items = whole_groups(x->n), group = VEC_GROUP;

    clSetKernelArg(square_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(square_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(square_kernel, 2, sizeof(unsigned), &x->n);
    clEnqueueNDRangeKernel(queue, square_kernel, 1, NULL, &items, &group, 0, NULL, NULL);
}

/* y = x / 2 */
void vec_half(vec *y, const vec *x)
{
    size_t items = whole_groups(x->n), group = VEC_GROUP;

    clSetKernelArg(half_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(half_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(half_kernel, 2, sizeof(unsigned), &x->n);
    clEnqueueNDRangeKernel(queue, half_kernel, 1, NULL, &items, &group, 0, NULL, NULL);
}
