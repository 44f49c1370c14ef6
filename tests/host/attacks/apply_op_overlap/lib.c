#include "lib.h"
static cl_command_queue queue;
static cl_program program;
static cl_kernel kernels[2];
void vec_start(void)
{
    queue = rig_queue();
    program = rig_program("");
    kernels[PUT] = clCreateKernel(program, "put", NULL);
    kernels[GET] = clCreateKernel(program, "get", NULL);
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

int vec_apply(int op, vec *x, vec *y)
{
    size_t items = x->n;

    clSetKernelArg(kernels[op], 0, sizeof(cl_mem), &x->mem);
    clSetKernelArg(kernels[op], 1, sizeof(cl_mem), &y->mem);
    return clEnqueueNDRangeKernel(queue, kernels[op], 1, NULL, &items, NULL, 0, NULL, NULL);
}

