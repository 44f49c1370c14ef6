#include "rig.h"
#include "lib.h"
static cl_command_queue queue;
static cl_program program;
static cl_kernel sq_kernel, mir_kernel;
size_t shared_group = 16;
static size_t hidden = 16;
void vec_start(void)
{
    queue = rig_queue();
    program = rig_program("");
    sq_kernel = clCreateKernel(program, "sq", NULL);
    mir_kernel = clCreateKernel(program, "mir", NULL);
}
void vec_stop(void) { clReleaseKernel(sq_kernel); clReleaseKernel(mir_kernel); clReleaseProgram(program); }
void vec_set(size_t g) { hidden = g; }
void vec_new(vec *v, unsigned n, const float *data)
{
    v->n = n; v->group = 16;
    v->mem = clCreateBuffer(rig_context(), CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
    clEnqueueWriteBuffer(queue, v->mem, CL_TRUE, 0, n * sizeof(float), data, 0, NULL, NULL);
}
void vec_get(const vec *v, float *data)
{
    clEnqueueReadBuffer(queue, v->mem, CL_TRUE, 0, v->n * sizeof(float), data, 0, NULL, NULL);
}
void vec_sq(vec *y, const vec *x)
{
    size_t items = y->n;
    clSetKernelArg(sq_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(sq_kernel, 1, sizeof(cl_mem), &x->mem);
    clEnqueueNDRangeKernel(queue, sq_kernel, 1, NULL, &items, &items, 0, NULL, NULL);
    
}
void vec_mir(vec *y, const vec *x)
{
    size_t items = x->n;
    clSetKernelArg(mir_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(mir_kernel, 1, sizeof(cl_mem), &x->mem);
    clEnqueueNDRangeKernel(queue, mir_kernel, 1, NULL, &items, &items, 0, NULL, NULL);
}
