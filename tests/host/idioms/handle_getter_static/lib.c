#include "rig.h"
#include "lib.h"

static cl_command_queue queue;
static cl_program program;

void vec_start(void)
{
    queue = rig_queue();
    program = rig_program("");
}

void vec_stop(void)
{
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

static cl_kernel square_kernel(void)
{
    static cl_kernel kernel;

    if (kernel == NULL)
        kernel = clCreateKernel(program, "square", NULL);
    return kernel;
}

static cl_kernel add_kernel(void)
{
    static cl_kernel kernel;

    if (kernel == NULL)
        kernel = clCreateKernel(program, "add", NULL);
    return kernel;
}

static cl_kernel root_kernel(void)
{
    static cl_kernel kernel;

    if (kernel == NULL)
        kernel = clCreateKernel(program, "root", NULL);
    return kernel;
}

/* y = x * x */
void vec_square(vec *y, const vec *x)
{
    cl_kernel kernel = square_kernel();
    size_t items = x->n;

    clSetKernelArg(kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &x->mem);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* z = x + y */
void vec_add(vec *z, const vec *x, const vec *y)
{
    cl_kernel kernel = add_kernel();
    size_t items = x->n;

    clSetKernelArg(kernel, 0, sizeof(cl_mem), &z->mem);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(kernel, 2, sizeof(cl_mem), &y->mem);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* y = sqrt(x) */
void vec_root(vec *y, const vec *x)
{
    cl_kernel kernel = root_kernel();
    size_t items = x->n;

    clSetKernelArg(kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &x->mem);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}
