/* A program as libraries are written: it stops at the first failure, says which call it was, and
   lets go of all it has. `both` runs twice, with memory of its own that lives in the region. */
#include "opencl.h"

#include <stdio.h>
#include <string.h>

enum { ITEMS = 16, HALF = ITEMS / 2 * sizeof(float) };

static const char *source =
    "kernel void first(global float *t, global const float *a, uint n)\n"
    "{ size_t i = get_global_id(0); if (i < n) t[i] = 2.0f * a[i] + 1.0f; }\n"
    "kernel void second(global float *c, global const float *t, global const float *b, uint n)\n"
    "{ size_t i = get_global_id(0); if (i < n) c[i] = t[i] * b[i]; }\n"
    "kernel void first_second(global float *t, global const float *a, global float *c,\n"
    "                         global const float *b, uint n)\n"
    "{ size_t i = get_global_id(0);\n"
    "  if (i < n) { float x = 2.0f * a[i] + 1.0f; t[i] = x; c[i] = x * b[i]; } }\n"
    "kernel void step(global float *to, global const float *from)\n"
    "{ size_t i = get_global_id(0); to[i] = 3.0f * from[i]; }\n"
    "kernel void step_3(global float *to, global const float *from)\n"
    "{ size_t i = get_global_id(0); to[i] = 27.0f * from[i]; }\n"
    "kernel void other(global float *u)\n"
    "{ size_t i = get_global_id(0); u[i] = u[i] + 1.0f; }\n";

static cl_platform_id platform;
static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_mem a, b, c, u, v, w;
static cl_program program;
static cl_kernel first, second, step, other;
static float host[ITEMS];
static const size_t items = ITEMS;

/* The status, which is told if it is a failure. */
static cl_int told(const char *what, cl_int status)
{
    if (status != CL_SUCCESS)
        printf("%.*s: %d\n", (int)strcspn(what, "("), what, status);
    return status;
}

#define TRY(call)                                                                                  \
    do                                                                                             \
        if ((status = told(#call, (call))) != CL_SUCCESS)                                          \
            goto out;                                                                              \
    while (0)
#define TRY_TO_MAKE(object, call)                                                                  \
    do {                                                                                           \
        (object) = (call);                                                                         \
        if (told(#call, status) != CL_SUCCESS)                                                     \
            goto out;                                                                              \
    } while (0)
#define LAUNCH(kernel) TRY(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL))

static cl_int launch_first(cl_mem t, cl_mem from)
{
    cl_int status;
    const cl_uint n = ITEMS;
    TRY(clSetKernelArg(first, 0, sizeof t, &t));
    TRY(clSetKernelArg(first, 1, sizeof from, &from));
    TRY(clSetKernelArg(first, 2, sizeof n, &n));
    LAUNCH(first);
out:
    return status;
}

static cl_int launch_second(cl_mem t)
{
    cl_int status;
    const cl_uint n = ITEMS;
    TRY(clSetKernelArg(second, 0, sizeof c, &c));
    TRY(clSetKernelArg(second, 1, sizeof t, &t));
    TRY(clSetKernelArg(second, 2, sizeof b, &b));
    TRY(clSetKernelArg(second, 3, sizeof n, &n));
    LAUNCH(second);
out:
    return status;
}

/* Each launch has a part in what is shown at the end. The calls between the first two pass. */
static cl_int both(void)
{
    cl_int status;
    cl_mem t = NULL, more = NULL;
    size_t size;
    const float one = 1;
    KFUSION_REGION(pair);
    TRY_TO_MAKE(t, clCreateBuffer(context, 0, sizeof host, NULL, &status));
    if ((status = launch_first(t, a)) != CL_SUCCESS)
        goto out;
    TRY_TO_MAKE(more, clCreateBuffer(context, 0, sizeof host, NULL, &status));
    TRY(clEnqueueWriteBuffer(queue, w, CL_FALSE, 0, HALF, host, 0, NULL, NULL));
    TRY(clEnqueueFillBuffer(queue, w, &one, sizeof one, HALF, HALF, 0, NULL, NULL));
    TRY(clGetMemObjectInfo(t, CL_MEM_SIZE, sizeof size, &size, NULL));
    TRY(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
    TRY(clFlush(queue));
    TRY(clFinish(queue));
    TRY(clRetainMemObject(u));
    TRY(clReleaseMemObject(u));
    if ((status = launch_second(t)) != CL_SUCCESS) /* fused */
        goto out;
    TRY(clEnqueueCopyBuffer(queue, c, u, 0, 0, sizeof host, 0, NULL, NULL));
    TRY(clSetKernelArg(other, 0, sizeof u, &u));
    if ((status = launch_first(t, u)) != CL_SUCCESS)
        goto out;
    LAUNCH(other); /* settles */
    if ((status = launch_second(t)) != CL_SUCCESS || (status = launch_first(t, c)) != CL_SUCCESS)
        goto out;
    TRY(clEnqueueCopyBuffer(queue, c, b, 0, 0, sizeof host, 0, NULL, NULL)); /* settles */
    if ((status = launch_second(t)) != CL_SUCCESS || (status = launch_first(v, c)) != CL_SUCCESS)
        goto out;
out:
    if (more != NULL)
        told("clReleaseMemObject", clReleaseMemObject(more));
    if (t != NULL)
        told("clReleaseMemObject", clReleaseMemObject(t));
    return status;
}

/* Steps between two buffers: three are made by one kernel, which leaves the last two states. */
static cl_int turns(void)
{
    cl_int status = CL_SUCCESS;
    KFUSION_REGION(turns);
    for (int i = 0; i < 5; i++) {
        TRY(clSetKernelArg(step, 0, sizeof u, i % 2 ? &u : &v));
        TRY(clSetKernelArg(step, 1, sizeof u, i % 2 ? &v : &u));
        LAUNCH(step);
    }
out:
    return status;
}

static cl_int make_buffers(void)
{
    cl_int status;
    cl_mem *const buffers[] = {&a, &b, &c, &u, &v, &w};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        for (size_t j = 0; j < ITEMS; j++)
            host[j] = (float)(i + j);
        TRY_TO_MAKE(*buffers[i],
                    clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof host, host, &status));
    }
out:
    return status;
}

static cl_int show(const char *name, cl_mem mem)
{
    cl_int status;
    TRY(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof host, host, 0, NULL, NULL));
    printf("%s", name);
    for (size_t i = 0; i < ITEMS; i++)
        printf(" %a", host[i]);
    printf("\n");
out:
    return status;
}

static cl_int run(void)
{
    cl_int status;
    TRY(clGetPlatformIDs(1, &platform, NULL));
    TRY(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    TRY_TO_MAKE(context, clCreateContext(NULL, 1, &device, NULL, NULL, &status));
    TRY_TO_MAKE(queue, clCreateCommandQueue(context, device, 0, &status));
    TRY_TO_MAKE(program, clCreateProgramWithSource(context, 1, &source, NULL, &status));
    TRY(clBuildProgram(program, 1, &device, "", NULL, NULL));
    TRY_TO_MAKE(first, clCreateKernel(program, "first", &status));
    TRY_TO_MAKE(second, clCreateKernel(program, "second", &status));
    TRY_TO_MAKE(step, clCreateKernel(program, "step", &status));
    TRY_TO_MAKE(other, clCreateKernel(program, "other", &status));
    if ((status = make_buffers()) != CL_SUCCESS || (status = both()) != CL_SUCCESS ||
        (status = both()) != CL_SUCCESS || (status = turns()) != CL_SUCCESS)
        goto out;
    TRY(clFinish(queue));
    if ((status = show("b", b)) != CL_SUCCESS || (status = show("c", c)) != CL_SUCCESS ||
        (status = show("u", u)) != CL_SUCCESS || (status = show("v", v)) != CL_SUCCESS ||
        (status = show("w", w)) != CL_SUCCESS)
        goto out;
out:
    return status;
}

int main(void)
{
    cl_int status = run();
    cl_mem buffers[] = {a, b, c, u, v, w};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        if (buffers[i] != NULL)
            clReleaseMemObject(buffers[i]);
    cl_kernel kernels[] = {first, second, step, other};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        if (kernels[i] != NULL)
            clReleaseKernel(kernels[i]);
    if (program != NULL)
        clReleaseProgram(program);
    if (queue != NULL)
        clReleaseCommandQueue(queue);
    if (context != NULL)
        clReleaseContext(context);
    return status != CL_SUCCESS;
}
