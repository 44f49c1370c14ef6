#include "rig.h"
#include "lib.h"

#include <stdlib.h>
#include <string.h>

#define CHECK(call)                  \
    do {                             \
        cl_int status_ = (call);     \
        if (status_ != CL_SUCCESS)   \
            return status_;          \
    } while (0)

static cl_command_queue queue;
static cl_program program;
static cl_kernel square_kernel, add_kernel, root_kernel;

void vec_start(void)
{
    queue = rig_queue();
    program = rig_program("");
    square_kernel = clCreateKernel(program, "square", NULL);
    add_kernel = clCreateKernel(program, "add", NULL);
    root_kernel = clCreateKernel(program, "root", NULL);
}

void vec_stop(void)
{
    clReleaseKernel(square_kernel);
    clReleaseKernel(add_kernel);
    clReleaseKernel(root_kernel);
    clReleaseProgram(program);
}

void vec_new(vec *v, const float *data, unsigned n)
{
    v->n = n;
    v->host = calloc(n, sizeof(float));
    if (data != NULL)
        memcpy(v->host, data, n * sizeof(float));
    v->gpu = clCreateBuffer(rig_context(), CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
    v->newer = HOST;
    v->failed = true;
}

void vec_get(const vec *v, float *data)
{
    if (v->newer == GPU)
        clEnqueueReadBuffer(queue, v->gpu, CL_TRUE, 0, v->n * sizeof(float), v->host, 0, NULL, NULL);
    memcpy(data, v->host, v->n * sizeof(float));
}

void vec_free(vec *v)
{
    clReleaseMemObject(v->gpu);
    free(v->host);
}

/* Bring the device's copy up to date. */
static cl_int to_gpu(vec *v)
{
    if (v->newer == HOST) {
        CHECK(clEnqueueWriteBuffer(queue, v->gpu, CL_TRUE, 0, v->n * sizeof(float), v->host, 0,
                                   NULL, NULL));
        v->newer = NONE;
    }
    return CL_SUCCESS;
}

static cl_int launch(cl_kernel kernel, vec *result, bool failed)
{
    size_t items = (result->n + 31) / 32 * 32;

    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    result->newer = GPU;
    result->failed = failed;
    return CL_SUCCESS;
}

/* y = x * x */
int vec_square(vec *y, vec *x)
{
    cl_uint n = (cl_uint)x->n;

    CHECK(to_gpu(x));
    CHECK(clSetKernelArg(square_kernel, 0, sizeof(cl_mem), &y->gpu));
    CHECK(clSetKernelArg(square_kernel, 1, sizeof(cl_mem), &x->gpu));
    CHECK(clSetKernelArg(square_kernel, 2, sizeof n, &n));
    return launch(square_kernel, y, false);
}

/* z = x + y */
int vec_add(vec *z, vec *x, vec *y)
{
    cl_uint n = (cl_uint)x->n;

    CHECK(to_gpu(x));
    CHECK(to_gpu(y));
    CHECK(clSetKernelArg(add_kernel, 0, sizeof(cl_mem), &z->gpu));
    CHECK(clSetKernelArg(add_kernel, 1, sizeof(cl_mem), &x->gpu));
    CHECK(clSetKernelArg(add_kernel, 2, sizeof(cl_mem), &y->gpu));
    CHECK(clSetKernelArg(add_kernel, 3, sizeof n, &n));
    return launch(add_kernel, z, false);
}

/* y = sqrt(x) */
int vec_root(vec *y, vec *x)
{
    cl_uint n = (cl_uint)x->n;

    CHECK(to_gpu(x));
    CHECK(clSetKernelArg(root_kernel, 0, sizeof(cl_mem), &y->gpu));
    CHECK(clSetKernelArg(root_kernel, 1, sizeof(cl_mem), &x->gpu));
    CHECK(clSetKernelArg(root_kernel, 2, sizeof n, &n));
    return launch(root_kernel, y, false);
}
