#include "rig.h"
#include "lib.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 300u
#define KERNELS 3

static const char *const names[KERNELS] = {"square", "add", "root"};
static cl_kernel kernels[KERNELS];
static cl_program program;
static cl_context context;
static cl_command_queue queue;

#ifdef COMPOSED
static const char *const bodies[KERNELS] = {
    "void square(__global float *y, __global const float *x, unsigned n)\n"
    "{ size_t i = get_global_id(0); if (i < n) y[i] = x[i] * x[i]; }\n",
    "void add(__global float *z, __global const float *x, __global const float *y, unsigned n)\n"
    "{ size_t i = get_global_id(0); if (i < n) z[i] = x[i] + y[i]; }\n",
    "void root(__global float *y, __global const float *x, unsigned n)\n"
    "{ size_t i = get_global_id(0); if (i < n) y[i] = sqrt(x[i]); }\n",
};

static cl_program composed(void)
{
    static char text[4096];
    const char *source = text;
    cl_program made;
    size_t i;

    for (i = 0; i < KERNELS; i++)
        sprintf(text + strlen(text), "%s%s %s", "__ker", "nel", bodies[i]);
    made = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(made, 0, NULL, "", NULL, NULL);
    return made;
}
#endif

void start(void)
{
    int i;

    context = rig_context();
    queue = rig_queue();
#ifdef COMPOSED
    program = composed();
#else
    program = rig_program("");
#endif
    for (i = 0; i < KERNELS; i++)
        kernels[i] = clCreateKernel(program, names[i], NULL);
}

void stop(void)
{
    int i;

    for (i = 0; i < KERNELS; i++)
        clReleaseKernel(kernels[i]);
    clReleaseProgram(program);
}

cl_mem scratch(void)
{
    return clCreateBuffer(context, CL_MEM_READ_WRITE, N * sizeof(float), NULL, NULL);
}

cl_mem buffer(int seed)
{
    float data[N];
    cl_mem mem = scratch();

    rig_fill(data, N, seed);
    clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL);
    return mem;
}

void fetch(cl_mem mem)
{
    static float data[N];

    clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL);
}

void show(const char *name, cl_mem mem)
{
    float data[N];

    clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL);
    rig_dump(name, data, sizeof data);
}

static void launch_with(const char *name, va_list buffers)
{
    const unsigned n = N;
    const size_t items = N;
    cl_kernel kernel = NULL;
    cl_uint position = 0;
    cl_mem mem;
    int i;

    for (i = 0; i < KERNELS; i++)
        if (strcmp(names[i], name) == 0)
            kernel = kernels[i];
    for (mem = va_arg(buffers, cl_mem); mem != NULL; mem = va_arg(buffers, cl_mem))
        clSetKernelArg(kernel, position++, sizeof mem, &mem);
    clSetKernelArg(kernel, position, sizeof n, &n);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

void launch(const char *name, ...)
{
    va_list buffers;

    va_start(buffers, name);
    launch_with(name, buffers);
    va_end(buffers);
}

/* Not fused with others. */
#pragma sync in
void launch_last(const char *name, ...)
{
    va_list buffers;

    va_start(buffers, name);
    launch_with(name, buffers);
    va_end(buffers);
}
