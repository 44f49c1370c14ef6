#include "lib.h"
static cl_command_queue queue;
static cl_program program;
static cl_context context;
static cl_kernel k_square, k_add;

void vec_start(void)
{
    queue = rig_queue();
    context = rig_context();
    program = rig_program("");
    k_square = clCreateKernel(program, "square", NULL);
    k_add = clCreateKernel(program, "add", NULL);
}
void vec_stop(void)
{
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
int vec_square(vec *y, const vec *x, window *w)
{
    size_t items = y->n;
    clSetKernelArg(k_square, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(k_square, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(k_square, 2, sizeof(cl_int2), &w->s0);
    clEnqueueNDRangeKernel(queue, k_square, 1, NULL, &items, NULL, 0, NULL, NULL);
    w->s1 = 3;
    return 0;
}

int vec_add(vec *z, const vec *x, const vec *y, window *w)
{
    size_t items = z->n;
    clSetKernelArg(k_add, 0, sizeof(cl_mem), &z->mem);
    clSetKernelArg(k_add, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(k_add, 2, sizeof(cl_mem), &y->mem);
    clSetKernelArg(k_add, 3, sizeof(cl_int2), &w->s0);
    return clEnqueueNDRangeKernel(queue, k_add, 1, NULL, &items, NULL, 0, NULL, NULL);
}
