#include "rig.h"
#include "lib.h"

static cl_command_queue queue;
static cl_program program;

enum { SQUARE, ADD, ROOT };
static struct {
    const char *name;
    cl_kernel kernel;
} ops[] = {[SQUARE] = {"square", NULL}, [ADD] = {"add", NULL}, {.name = "root"}};

void vec_start(void)
{
    queue = rig_queue();
    program = rig_program("");
    for (unsigned i = 0; i < sizeof ops / sizeof ops[0]; i++)
        ops[i].kernel = clCreateKernel(program, ops[i].name, NULL);
}

void vec_stop(void)
{
    for (int i = SQUARE; i <= ROOT; i++)
        clReleaseKernel(ops[i].kernel);
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

    clSetKernelArg(ops[SQUARE].kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(ops[SQUARE].kernel, 1, sizeof(cl_mem), &x->mem);
    clEnqueueNDRangeKernel(queue, ops[SQUARE].kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* z = x + y */
void vec_add(vec *z, const vec *x, const vec *y)
{
    size_t items = x->n;

    clSetKernelArg(ops[ADD].kernel, 0, sizeof(cl_mem), &z->mem);
    clSetKernelArg(ops[ADD].kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(ops[ADD].kernel, 2, sizeof(cl_mem), &y->mem);
    clEnqueueNDRangeKernel(queue, ops[ADD].kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* y = sqrt(x) */
void vec_root(vec *y, const vec *x)
{
    size_t items = x->n;

    clSetKernelArg(ops[ROOT].kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(ops[ROOT].kernel, 1, sizeof(cl_mem), &x->mem);
    clEnqueueNDRangeKernel(queue, ops[ROOT].kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}
