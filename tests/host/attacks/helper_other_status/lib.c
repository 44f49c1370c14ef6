#include "rig.h"
#include "lib.h"

/* tells whoever wants to know */
#define CHECK(call) \
    do { \
        cl_int err_ = (call); \
        if (err_ != CL_SUCCESS) { \
            if (vec_failed) \
                vec_failed(#call, err_); \
            return err_; \
        } \
    } while (0)

void (*vec_failed)(const char *what, cl_int err);

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

static cl_int run(cl_kernel k, const vec *v)
{
    size_t global = v->n, local = 64;

    CHECK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &local, 0, NULL, NULL));
    return CL_SUCCESS;
}

/* a helper that tells in its own words */
static cl_int run_loud(cl_kernel k, const vec *v)
{
    size_t global = v->n, local = 64;
    cl_int err = clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &local, 0, NULL, NULL);

    if (err != CL_SUCCESS && vec_failed)
        vec_failed("run", err);
    return err;
}

/* a helper with statuses of its own */
static int run_own(cl_kernel k, const vec *v)
{
    size_t global = v->n, local = 64;

    return clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &local, 0, NULL, NULL) ? 7 : 0;
}

cl_int vec_inc(vec *v)
{
    CHECK(clSetKernelArg(inc, 0, sizeof(cl_mem), &v->mem));
    CHECK(clSetKernelArg(inc, 1, sizeof v->n, &v->n));
    return run(inc, v);
}

cl_int vec_dbl(vec *v)
{
    CHECK(clSetKernelArg(dbl, 0, sizeof(cl_mem), &v->mem));
    CHECK(clSetKernelArg(dbl, 1, sizeof v->n, &v->n));
    return run(dbl, v);
}

cl_int vec_inc_loud(vec *v)
{
    CHECK(clSetKernelArg(inc, 0, sizeof(cl_mem), &v->mem));
    CHECK(clSetKernelArg(inc, 1, sizeof v->n, &v->n));
    return run_loud(inc, v);
}

cl_int vec_dbl_loud(vec *v)
{
    CHECK(clSetKernelArg(dbl, 0, sizeof(cl_mem), &v->mem));
    CHECK(clSetKernelArg(dbl, 1, sizeof v->n, &v->n));
    return run_loud(dbl, v);
}

cl_int vec_inc_own(vec *v)
{
    CHECK(clSetKernelArg(inc, 0, sizeof(cl_mem), &v->mem));
    CHECK(clSetKernelArg(inc, 1, sizeof v->n, &v->n));
    return run_own(inc, v);
}

cl_int vec_dbl_own(vec *v)
{
    CHECK(clSetKernelArg(dbl, 0, sizeof(cl_mem), &v->mem));
    CHECK(clSetKernelArg(dbl, 1, sizeof v->n, &v->n));
    return run_own(dbl, v);
}
