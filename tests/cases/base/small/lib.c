#include "lib.h"
static cl_command_queue queue;
static cl_program program;
static cl_context context;
static cl_kernel k_square, k_add, k_scale;

void vec_start(void)
{
    queue = rig_queue();
    context = rig_context();
    program = rig_program("");
    k_square = clCreateKernel(program, "square", NULL);
    k_add = clCreateKernel(program, "add", NULL);
    k_scale = clCreateKernel(program, "scale", NULL);
}
void vec_stop(void)
{
    clReleaseKernel(k_square); clReleaseKernel(k_add); clReleaseKernel(k_scale);
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

    clSetKernelArg(k_square, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(k_square, 1, sizeof(cl_mem), &x->mem);
    return clEnqueueNDRangeKernel(queue, k_square, 1, NULL, &items, NULL, 0, NULL, NULL);
}
int vec_add(vec *z, const vec *x, const vec *y)
{
    size_t items = x->n;

    clSetKernelArg(k_add, 0, sizeof(cl_mem), &z->mem);
    clSetKernelArg(k_add, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(k_add, 2, sizeof(cl_mem), &y->mem);
    return clEnqueueNDRangeKernel(queue, k_add, 1, NULL, &items, NULL, 0, NULL, NULL);
}
int vec_scale(vec *y, const vec *x, float f)
{
    size_t items = x->n;

    clSetKernelArg(k_scale, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(k_scale, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(k_scale, 2, sizeof(float), &f);
    return clEnqueueNDRangeKernel(queue, k_scale, 1, NULL, &items, NULL, 0, NULL, NULL);
}
