#include "rig.h"
#include "lib.h"
static cl_command_queue queue;
static cl_program program;
static cl_kernel rows_kernel, apply_kernel;
void img_start(void)
{
    queue = rig_queue();
    program = rig_program("");
    rows_kernel = clCreateKernel(program, "rows", NULL);
    apply_kernel = clCreateKernel(program, "apply", NULL);
}
void img_stop(void)
{
    clReleaseKernel(rows_kernel);
    clReleaseKernel(apply_kernel);
    clReleaseProgram(program);
}
void img_new(img *v, int w, int n0, int n1, unsigned n, const float *data)
{
    v->w = w; v->n0 = n0; v->n1 = n1;
    v->mem = clCreateBuffer(rig_context(), CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
    clEnqueueWriteBuffer(queue, v->mem, CL_TRUE, 0, n * sizeof(float), data, 0, NULL, NULL);
}
void img_get(const img *v, float *data, unsigned n)
{
    clEnqueueReadBuffer(queue, v->mem, CL_TRUE, 0, n * sizeof(float), data, 0, NULL, NULL);
}
void img_rows(img *t, const img *a)
{
    const size_t global[2] = {a->n0, a->n1}, local[2] = {16, 4};
    clSetKernelArg(rows_kernel, 0, sizeof(cl_mem), &t->mem);
    clSetKernelArg(rows_kernel, 1, sizeof(cl_mem), &a->mem);
    clSetKernelArg(rows_kernel, 2, sizeof(int), &a->w);
    clEnqueueNDRangeKernel(queue, rows_kernel, 2, NULL, global, local, 0, NULL, NULL);
}
void img_apply(img *c, const img *t)
{
    const size_t global[2] = {t->n0, t->n1}, local[2] = {16, 4};
    clSetKernelArg(apply_kernel, 0, sizeof(cl_mem), &c->mem);
    clSetKernelArg(apply_kernel, 1, sizeof(cl_mem), &t->mem);
    clSetKernelArg(apply_kernel, 2, sizeof(int), &t->w);
    clEnqueueNDRangeKernel(queue, apply_kernel, 2, NULL, global, local, 0, NULL, NULL);
}
