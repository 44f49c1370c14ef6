#include "rig.h"
#include "lib.h"

#include <stdio.h>

static cl_command_queue queue;
static cl_program program;

enum { ROOT, SQUARE, ADD, KERNELS };
static cl_kernel kernels[KERNELS];

#define OR_LEAVE(call)                                        \
    do {                                                      \
        err = (call);                                         \
        if (err != CL_SUCCESS) {                              \
            fprintf(stderr, "%s: %d\n", #call, (int)err);     \
            goto leave;                                       \
        }                                                     \
    } while (0)

static const char *const names[KERNELS] = {[SQUARE] = "square", [ADD] = "add", [ROOT] = "root"};

void vec_start(void)
{
    cl_int err;
    int i;

    queue = rig_queue();
    program = rig_program("");
    for (i = 0; i < KERNELS; i++) {
        kernels[i] = clCreateKernel(program, names[i], &err);
        OR_LEAVE(err);
    }
leave:
    return;
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

/* z = x + y */
void vec_add(vec *z, const vec *x, const vec *y)
{
    size_t items = x->n;

    clSetKernelArg(kernels[ADD], 0, sizeof(cl_mem), &z->mem);
    clSetKernelArg(kernels[ADD], 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(kernels[ADD], 2, sizeof(cl_mem), &y->mem);
    clEnqueueNDRangeKernel(queue, kernels[ADD], 1, NULL, &items, NULL, 0, NULL, NULL);
}

/* y = sqrt(x) */
void vec_root(vec *y, const vec *x)
{
    size_t items = x->n;

    clSetKernelArg(kernels[ROOT], 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(kernels[ROOT], 1, sizeof(cl_mem), &x->mem);
    clEnqueueNDRangeKernel(queue, kernels[ROOT], 1, NULL, &items, NULL, 0, NULL, NULL);
}
