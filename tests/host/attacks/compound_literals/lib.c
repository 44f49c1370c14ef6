#include "lib.h"
static cl_command_queue queue;
static cl_program program;
static cl_context context;
static cl_kernel k_tint;

void vec_start(void)
{
    queue = rig_queue();
    context = rig_context();
    program = rig_program("");
    k_tint = clCreateKernel(program, "tint", NULL);
}
void vec_stop(void)
{
    clReleaseKernel(k_tint);
    clReleaseProgram(program);
}
void vec_new(vec *v, const float *data, unsigned n)
{
    v->n = n;
    v->mem = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
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
int vec_tint(vec *y, const vec *x, cl_float2 f)
{
    size_t items = x->n;

    clSetKernelArg(k_tint, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(k_tint, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(k_tint, 2, sizeof(cl_float2), &f);
    return clEnqueueNDRangeKernel(queue, k_tint, 1, NULL, &items, NULL, 0, NULL, NULL);
}
