#include "rig.h"
#include "lib.h"

static cl_command_queue queue;
static cl_program program;

enum op { SQUARE, ADD, ROOT, KERNELS };
static cl_kernel kernels[KERNELS];

void vec_start(void)
{
    queue = rig_queue();
    program = rig_program("");
    kernels[SQUARE] = clCreateKernel(program, "square", NULL);
    kernels[ADD] = clCreateKernel(program, "add", NULL);
    kernels[ROOT] = clCreateKernel(program, "root", NULL);
}

void vec_stop(void)
{
    for (int i = 0; i < KERNELS; i++)
        clReleaseKernel(kernels[i]);
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

/* y = op(x) */
static cl_int run1(enum op k, cl_mem y, cl_mem x, size_t n)
{
    cl_int err;

    err = clSetKernelArg(kernels[k], 0, sizeof(cl_mem), &y);
    err |= clSetKernelArg(kernels[k], 1, sizeof(cl_mem), &x);
    if (err != CL_SUCCESS)
        return err;
    return clEnqueueNDRangeKernel(queue, kernels[k], 1, NULL, &n, NULL, 0, NULL, NULL);
}

/* z = op(x, y) */
static cl_int run2(enum op k, cl_mem z, cl_mem x, cl_mem y, size_t n)
{
    const cl_kernel kernel = kernels[k];
    cl_int err;

    err = clSetKernelArg(kernel, 0, sizeof(cl_mem), &z);
    err |= clSetKernelArg(kernel, 1, sizeof(cl_mem), &x);
    err |= clSetKernelArg(kernel, 2, sizeof(cl_mem), &y);
    if (err != CL_SUCCESS)
        return err;
    return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
}

/* y = x * x */
cl_int vec_square(vec *y, const vec *x)
{
    return run1(SQUARE, y->mem, x->mem, x->n);
}

/* z = x + y */
cl_int vec_add(vec *z, const vec *x, const vec *y)
{
    return run2(ADD, z->mem, x->mem, y->mem, x->n);
}

/* y = sqrt(x) */
cl_int vec_root(vec *y, const vec *x)
{
    return run1(ROOT, y->mem, x->mem, x->n);
}
