#include "lib.h"
static cl_command_queue queue;
static cl_program program;
static cl_context context;
static struct op { const char *name; cl_kernel kernel; } ops[] = {{"square", NULL}, {"add", NULL}, {"scale", NULL}};
static void rename_ops(void) { ops[1].name = "mul"; }

void vec_start(void)
{
    queue = rig_queue();
    context = rig_context();
    program = rig_program("");
    rename_ops();
    for (int i = 0; i < 3; i++)
        ops[i].kernel = clCreateKernel(program, ops[i].name, NULL);
}
void vec_stop(void)
{
    clReleaseKernel(ops[0].kernel); clReleaseKernel(ops[1].kernel); clReleaseKernel(ops[2].kernel);
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

    clSetKernelArg(ops[0].kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(ops[0].kernel, 1, sizeof(cl_mem), &x->mem);
    return clEnqueueNDRangeKernel(queue, ops[0].kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}
int vec_add(vec *z, const vec *x, const vec *y)
{
    size_t items = x->n;

    clSetKernelArg(ops[1].kernel, 0, sizeof(cl_mem), &z->mem);
    clSetKernelArg(ops[1].kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(ops[1].kernel, 2, sizeof(cl_mem), &y->mem);
    return clEnqueueNDRangeKernel(queue, ops[1].kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}
int vec_scale(vec *y, const vec *x, float f)
{
    size_t items = x->n;

    clSetKernelArg(ops[2].kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(ops[2].kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(ops[2].kernel, 2, sizeof(float), &f);
    return clEnqueueNDRangeKernel(queue, ops[2].kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

