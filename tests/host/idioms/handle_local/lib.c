#include "rig.h"
#include "lib.h"

static cl_command_queue queue;
static cl_program program;

typedef enum { SQUARE, ADD, ROOT } operation;
static cl_kernel kernels[ROOT + 1];

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
    for (int i = SQUARE; i <= ROOT; i++)
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

/* y = x * x */
void vec_square(vec *y, const vec *x)
{
    cl_kernel kernel = kernels[SQUARE];
    size_t items = x->n;

    clSetKernelArg(kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &x->mem);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* z = x + y */
void vec_add(vec *z, const vec *x, const vec *y)
{
    cl_kernel kernel = kernels[ADD];
    size_t items = x->n;

    clSetKernelArg(kernel, 0, sizeof(cl_mem), &z->mem);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(kernel, 2, sizeof(cl_mem), &y->mem);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* y = sqrt(x) */
void vec_root(vec *y, const vec *x)
{
    cl_kernel kernel = kernels[ROOT];
    size_t items = x->n;

    clSetKernelArg(kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &x->mem);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}
