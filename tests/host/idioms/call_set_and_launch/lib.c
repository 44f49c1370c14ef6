#include "rig.h"
#include "lib.h"
#include <stdio.h>

static cl_command_queue queue;
static cl_program program;
static cl_kernel inc, dbl, inc_n, dbl_n;

void vec_start(void)
{
    queue = rig_queue();
    program = rig_program("");
    inc = clCreateKernel(program, "inc", NULL);
    inc_n = clCreateKernel(program, "inc_n", NULL);
    dbl = clCreateKernel(program, "dbl", NULL);
    dbl_n = clCreateKernel(program, "dbl_n", NULL);
}

void vec_stop(void)
{
    clReleaseKernel(inc);
    clReleaseKernel(inc_n);
    clReleaseKernel(dbl);
    clReleaseKernel(dbl_n);
    clReleaseProgram(program);
}

void vec_new(vec *v, const float *data, int n)
{
    v->n = n;
    v->mem = clCreateBuffer(rig_context(), CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
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

static int well(cl_int err, const char *what)
{
    if (err != CL_SUCCESS)
        fprintf(stderr, "%s: %d\n", what, err);
    return err == CL_SUCCESS;
}

cl_int vec_inc_or(vec *v)
{
    size_t items = v->n;

    return clSetKernelArg(inc, 0, sizeof(cl_mem), &v->mem)
        || clEnqueueNDRangeKernel(queue, inc, 1, NULL, &items, NULL, 0, NULL, NULL);
}

cl_int vec_dbl_or(vec *v)
{
    size_t items = v->n;

    return clSetKernelArg(dbl, 0, sizeof(cl_mem), &v->mem)
        || clEnqueueNDRangeKernel(queue, dbl, 1, NULL, &items, NULL, 0, NULL, NULL);
}

cl_int vec_inc_and(vec *v)
{
    size_t items = v->n;

    if (well(clSetKernelArg(inc, 0, sizeof(cl_mem), &v->mem), "argument")
        && well(clEnqueueNDRangeKernel(queue, inc, 1, NULL, &items, NULL, 0, NULL, NULL), "launch"))
        return 0;
    return 1;
}

cl_int vec_dbl_and(vec *v)
{
    size_t items = v->n;

    if (well(clSetKernelArg(dbl, 0, sizeof(cl_mem), &v->mem), "argument")
        && well(clEnqueueNDRangeKernel(queue, dbl, 1, NULL, &items, NULL, 0, NULL, NULL), "launch"))
        return 0;
    return 1;
}

cl_int vec_inc_if(vec *v)
{
    size_t items = v->n;
    cl_int err;

    if ((err = clSetKernelArg(inc, 0, sizeof(cl_mem), &v->mem)) == CL_SUCCESS)
        err = clEnqueueNDRangeKernel(queue, inc, 1, NULL, &items, NULL, 0, NULL, NULL);
    return err;
}

cl_int vec_dbl_if(vec *v)
{
    size_t items = v->n;
    cl_int err;

    if ((err = clSetKernelArg(dbl, 0, sizeof(cl_mem), &v->mem)) == CL_SUCCESS)
        err = clEnqueueNDRangeKernel(queue, dbl, 1, NULL, &items, NULL, 0, NULL, NULL);
    return err;
}

cl_int vec_inc_two(vec *v)
{
    size_t items = v->n;

    if (clSetKernelArg(inc_n, 0, sizeof(cl_mem), &v->mem)
        || clSetKernelArg(inc_n, 1, sizeof v->n, &v->n))
        return 1;
    return clEnqueueNDRangeKernel(queue, inc_n, 1, NULL, &items, NULL, 0, NULL, NULL);
}

cl_int vec_dbl_two(vec *v)
{
    size_t items = v->n;

    if (clSetKernelArg(dbl_n, 0, sizeof(cl_mem), &v->mem)
        || clSetKernelArg(dbl_n, 1, sizeof v->n, &v->n))
        return 1;
    return clEnqueueNDRangeKernel(queue, dbl_n, 1, NULL, &items, NULL, 0, NULL, NULL);
}
