#include "vec.h"
#include <stdio.h>
#include <stdlib.h>

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel k_square, k_add;

void vec_start(void)
{
    static char text[20000];
    const char *start = text;
    cl_platform_id platform;
    cl_device_id device;
    FILE *file = fopen(getenv("KERNELS"), "rb");

    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, 0, NULL);
    program = clCreateProgramWithSource(context, 1, &start, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    k_square = clCreateKernel(program, "square", NULL);
    k_add = clCreateKernel(program, "add", NULL);
}

void vec_new(vec *v, int n, float start)
{
    v->n = n;
    v->mem = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
    clEnqueueFillBuffer(queue, v->mem, &start, sizeof start, 0, n * sizeof(float), 0, NULL, NULL);
}

void vec_free(vec *v)
{
    clReleaseMemObject(v->mem);
}

int vec_get(const vec *v, float *data)
{
    size_t bytes = v->n * sizeof(float);

    return clEnqueueReadBuffer(queue, v->mem, CL_TRUE, 0, bytes, data, 0, NULL, NULL);
}

int vec_square(vec *y, const vec *x)
{
    size_t items = x->n;

    clSetKernelArg(k_square, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(k_square, 1, sizeof(cl_mem), &x->mem);
    return clEnqueueNDRangeKernel(queue, k_square, 1, NULL, &items, NULL, 0, NULL, NULL);
}

int vec_add(vec *z, const vec *x, const vec *y)
{
    size_t items = x->n;

    clSetKernelArg(k_add, 0, sizeof(cl_mem), &z->mem);
    clSetKernelArg(k_add, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(k_add, 2, sizeof(cl_mem), &y->mem);
    return clEnqueueNDRangeKernel(queue, k_add, 1, NULL, &items, NULL, 0, NULL, NULL);
}

vec vec_view(const vec *v)
{
    return *v;
}

void vec_pair(vec *v, vec *w, int n)
{
    v->n = w->n = n;
    v->mem = w->mem = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
}

size_t vec_handle(const vec *v)
{
    return (size_t)v->mem;
}

size_t vec_bytes(const vec *v)
{
    return v->n * sizeof(float);
}

int vec_get_handle(size_t handle, float *data)
{
    size_t bytes = N * sizeof(float);

    return clEnqueueReadBuffer(queue, (cl_mem)handle, CL_TRUE, 0, bytes, data, 0, NULL, NULL);
}
