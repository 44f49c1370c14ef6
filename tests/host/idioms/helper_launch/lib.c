#include "rig.h"
#include "lib.h"

static cl_command_queue queue;
static cl_program program;
static cl_kernel square_kernel, add_kernel, root_kernel;

void vec_start(void)
{
    queue = rig_queue();
    program = rig_program("");
    square_kernel = clCreateKernel(program, "square", NULL);
    add_kernel = clCreateKernel(program, "add", NULL);
    root_kernel = clCreateKernel(program, "root", NULL);
}

void vec_stop(void)
{
    clReleaseKernel(square_kernel);
    clReleaseKernel(add_kernel);
    clReleaseKernel(root_kernel);
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

/* y = f(x) */
static cl_int run2(cl_kernel kernel, cl_mem y, cl_mem x, size_t n)
{
    clSetKernelArg(kernel, 0, sizeof(cl_mem), &y);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &x);
    return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
}

/* z = f(x, y) */
static cl_int run3(cl_kernel kernel, cl_mem z, cl_mem x, cl_mem y, size_t n)
{
    clSetKernelArg(kernel, 2, sizeof(cl_mem), &y);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &x);
    clSetKernelArg(kernel, 0, sizeof(cl_mem), &z);
    return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
}

/* y = x * x */
cl_int vec_square(vec *y, const vec *x)
{
    return run2(square_kernel, y->mem, x->mem, x->n);
}

/* z = x + y */
cl_int vec_add(vec *z, const vec *x, const vec *y)
{
    return run3(add_kernel, z->mem, x->mem, y->mem, x->n);
}

/* y = sqrt(x) */
cl_int vec_root(vec *y, const vec *x)
{
    return run2(root_kernel, y->mem, x->mem, x->n);
}
