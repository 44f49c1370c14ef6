#include "lib.h"
static cl_command_queue queue;
static cl_program program;
static cl_context context;
enum { K_SQUARE, K_TWICE, K_COUNT };
static const char *const names[2] = {"square", "twice"};
static cl_kernel kernels[K_COUNT];
void vec_start(void)
{
    queue = rig_queue();
    context = rig_context();
    program = rig_program("");
    for (int i = 0; i < 2; i++)
        kernels[i] = clCreateKernel(program, names[i], NULL);
}
void vec_stop(void)
{
    clReleaseKernel(kernels[0]); clReleaseKernel(kernels[1]);
    clReleaseProgram(program);
}
void vec_new(vec *v, const float *data, unsigned n)
{
    memset(v, 0, sizeof *v);
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
int vec_square(vec *y, const vec *x)
{
    size_t items = x->n;

    clSetKernelArg(kernels[K_SQUARE], 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(kernels[K_SQUARE], 1, sizeof(cl_mem), &x->mem);
    return clEnqueueNDRangeKernel(queue, kernels[K_SQUARE], 1, NULL, &items, NULL, 0, NULL, NULL);
}
int vec_twice(vec *y, const vec *x)
{
    size_t items = x->n;

    clSetKernelArg(kernels[K_TWICE], 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(kernels[K_TWICE], 1, sizeof(cl_mem), &x->mem);
    return clEnqueueNDRangeKernel(queue, kernels[K_TWICE], 1, NULL, &items, NULL, 0, NULL, NULL);
}

