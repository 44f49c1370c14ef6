#include "rig.h"
#include "lib.h"

static cl_command_queue queue;
static cl_program program;

enum { SQUARE, JOIN, ROOT, KERNELS };
static cl_kernel kernels[KERNELS];

void vec_start(void)
{
    queue = rig_queue();
    program = rig_program("");
    kernels[SQUARE] = clCreateKernel(program, "square", NULL);
    kernels[JOIN] = clCreateKernel(program, "join", NULL);
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

/* y = x * x */
void vec_square(vec *y, const vec *x)
{
    size_t items = x->n;

    clSetKernelArg(kernels[SQUARE], 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(kernels[SQUARE], 1, sizeof(cl_mem), &x->mem);
    clEnqueueNDRangeKernel(queue, kernels[SQUARE], 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* z = x + y, or the half of it */
void vec_join(vec *z, const vec *x, const vec *y, how join)
{
    const float factor = join == MEAN ? 0.5f : 1.0f;
    size_t items = x->n;

    clSetKernelArg(kernels[JOIN], 0, sizeof(cl_mem), &z->mem);
    clSetKernelArg(kernels[JOIN], 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(kernels[JOIN], 2, sizeof(cl_mem), &y->mem);
    clSetKernelArg(kernels[JOIN], 3, sizeof factor, &factor);
    clEnqueueNDRangeKernel(queue, kernels[JOIN], 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* y = sqrt(x) */
void vec_root(vec *y, const vec *x)
{
    size_t items = x->n;

    clSetKernelArg(kernels[ROOT], 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(kernels[ROOT], 1, sizeof(cl_mem), &x->mem);
    clEnqueueNDRangeKernel(queue, kernels[ROOT], 1, NULL, &items, NULL, 0, NULL, NULL);
}
