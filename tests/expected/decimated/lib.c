/* Three steps over n samples, and one that keeps every fourth of them. */
#include "rig.h"
#include "lib.h"

#include <stdarg.h>
#include <string.h>

#define N 300
#define KERNELS 4

static const char *const names[KERNELS] = {"halve", "differences", "smooth", "decimate"};
static cl_kernel kernels[KERNELS];
static cl_command_queue queue;

void start(void)
{
    cl_program program = rig_program("");
    int i;

    queue = rig_queue();
    for (i = 0; i < KERNELS; i++)
        kernels[i] = clCreateKernel(program, names[i], NULL);
    clReleaseProgram(program);
}

void stop(void)
{
    int i;

    for (i = 0; i < KERNELS; i++)
        clReleaseKernel(kernels[i]);
}

cl_mem scratch(void)
{
    return clCreateBuffer(rig_context(), CL_MEM_READ_WRITE, N * sizeof(float), NULL, NULL);
}

cl_mem buffer(int seed)
{
    float data[N];
    cl_mem mem = scratch();

    rig_fill(data, N, seed);
    clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL);
    return mem;
}

void show(const char *name, cl_mem mem)
{
    float data[N];

    clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL);
    rig_dump(name, data, sizeof data / 4);
}

void launch(const char *name, ...)
{
    const int few = strcmp(name, "decimate") == 0;
    const int n = few ? N / 4 : N, factor = 4;
    const size_t group = 64, items = (size_t)(n + 63) / 64 * 64;
    cl_kernel kernel = NULL;
    cl_uint position = 0;
    cl_mem mem;
    va_list buffers;
    int i;

    for (i = 0; i < KERNELS; i++)
        if (strcmp(names[i], name) == 0)
            kernel = kernels[i];
    va_start(buffers, name);
    for (mem = va_arg(buffers, cl_mem); mem != NULL; mem = va_arg(buffers, cl_mem))
        clSetKernelArg(kernel, position++, sizeof mem, &mem);
    va_end(buffers);
    if (few)
        clSetKernelArg(kernel, position++, sizeof factor, &factor);
    clSetKernelArg(kernel, position, sizeof n, &n);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL);
}
