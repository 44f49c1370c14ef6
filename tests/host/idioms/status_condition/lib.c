#include "rig.h"
#include "lib.h"
#include <assert.h>

int vec_launches;

static cl_command_queue queue;
static cl_program program;
static cl_kernel inc, dbl;

void vec_start(void)
{
    queue = rig_queue();
    program = rig_program("");
    inc = clCreateKernel(program, "inc", NULL);
    dbl = clCreateKernel(program, "dbl", NULL);
}

void vec_stop(void)
{
    clReleaseKernel(inc);
    clReleaseKernel(dbl);
    clReleaseProgram(program);
}

void vec_new(vec *v, const float *data, int n)
{
    v->n = n;
    v->width = sizeof n;
    vec_launches = 0;
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

cl_int vec_inc_flush(vec *v)
{
    size_t items = v->n;
    cl_int err = clSetKernelArg(inc, 0, sizeof(cl_mem), &v->mem);

    err |= clSetKernelArg(inc, 1, v->width, &v->n);
    if (err == CL_SUCCESS) {
        err = clEnqueueNDRangeKernel(queue, inc, 1, NULL, &items, NULL, 0, NULL, NULL);
        if (err == CL_SUCCESS)
            err = clFlush(queue);
    }
    return err;
}

cl_int vec_dbl_flush(vec *v)
{
    size_t items = v->n;
    cl_int err = clSetKernelArg(dbl, 0, sizeof(cl_mem), &v->mem);

    err |= clSetKernelArg(dbl, 1, v->width, &v->n);
    if (err == CL_SUCCESS) {
        err = clEnqueueNDRangeKernel(queue, dbl, 1, NULL, &items, NULL, 0, NULL, NULL);
        if (err == CL_SUCCESS)
            err = clFlush(queue);
    }
    return err;
}

cl_int vec_inc_else(vec *v)
{
    size_t items = v->n;
    int err;

    if (v->n > 0) {
        err = clSetKernelArg(inc, 0, sizeof(cl_mem), &v->mem);
        err |= clSetKernelArg(inc, 1, v->width, &v->n);
        if (err == 0)
            err = clEnqueueNDRangeKernel(queue, inc, 1, NULL, &items, NULL, 0, NULL, NULL);
    } else {
        err = -7;
    }
    return err;
}

cl_int vec_dbl_else(vec *v)
{
    size_t items = v->n;
    int err;

    if (v->n > 0) {
        err = clSetKernelArg(dbl, 0, sizeof(cl_mem), &v->mem);
        err |= clSetKernelArg(dbl, 1, v->width, &v->n);
        if (err == 0)
            err = clEnqueueNDRangeKernel(queue, dbl, 1, NULL, &items, NULL, 0, NULL, NULL);
    } else {
        err = -7;
    }
    return err;
}

cl_int vec_inc_assert(vec *v)
{
    size_t items = v->n;
    cl_int err;

    assert(v->n > 0);
    err = clSetKernelArg(inc, 0, sizeof(cl_mem), &v->mem);
    assert(err == CL_SUCCESS);
    err = clSetKernelArg(inc, 1, v->width, &v->n);
    assert(err == CL_SUCCESS);
    err = clEnqueueNDRangeKernel(queue, inc, 1, NULL, &items, NULL, 0, NULL, NULL);
    assert(err == CL_SUCCESS);
    clFlush(queue);
    return err;
}

cl_int vec_dbl_assert(vec *v)
{
    size_t items = v->n;
    cl_int err;

    assert(v->n > 0);
    err = clSetKernelArg(dbl, 0, sizeof(cl_mem), &v->mem);
    assert(err == CL_SUCCESS);
    err = clSetKernelArg(dbl, 1, v->width, &v->n);
    assert(err == CL_SUCCESS);
    err = clEnqueueNDRangeKernel(queue, dbl, 1, NULL, &items, NULL, 0, NULL, NULL);
    assert(err == CL_SUCCESS);
    clFlush(queue);
    return err;
}

cl_int vec_inc_count(vec *v)
{
    size_t items = v->n;
    cl_int err = clSetKernelArg(inc, 0, sizeof(cl_mem), &v->mem);

    err |= clSetKernelArg(inc, 1, v->width, &v->n);
    if (err == CL_SUCCESS) {
        err = clEnqueueNDRangeKernel(queue, inc, 1, NULL, &items, NULL, 0, NULL, NULL);
        vec_launches++;
    }
    return err;
}

cl_int vec_dbl_count(vec *v)
{
    size_t items = v->n;
    cl_int err = clSetKernelArg(dbl, 0, sizeof(cl_mem), &v->mem);

    err |= clSetKernelArg(dbl, 1, v->width, &v->n);
    if (err == CL_SUCCESS) {
        err = clEnqueueNDRangeKernel(queue, dbl, 1, NULL, &items, NULL, 0, NULL, NULL);
        vec_launches++;
    }
    return err;
}
