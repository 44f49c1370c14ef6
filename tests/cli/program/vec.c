#include "vec.h"

static cl_command_queue queue;
static cl_program program;
static cl_kernel scale_kernel;
static cl_kernel add_kernel;

cl_int vec_init(cl_context context, cl_device_id device, const char *source)
{
    cl_int status;

    queue = clCreateCommandQueue(context, device, 0, &status);
    program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    clBuildProgram(program, 1, &device, NULL, NULL, NULL);
    scale_kernel = clCreateKernel(program, "scale", &status);
    add_kernel = clCreateKernel(program, "add", &status);
    return status;
}

/* y = factor x */
cl_int vec_scale(cl_mem y, cl_mem x, cl_float factor, size_t n)
{
    clSetKernelArg(scale_kernel, 0, sizeof y, &y);
    clSetKernelArg(scale_kernel, 1, sizeof x, &x);
    clSetKernelArg(scale_kernel, 2, sizeof factor, &factor);
    return clEnqueueNDRangeKernel(queue, scale_kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
}

/* c = a + b */
cl_int vec_add(cl_mem c, cl_mem a, cl_mem b, size_t n)
{
    clSetKernelArg(add_kernel, 0, sizeof c, &c);
    clSetKernelArg(add_kernel, 1, sizeof a, &a);
    clSetKernelArg(add_kernel, 2, sizeof b, &b);
    return clEnqueueNDRangeKernel(queue, add_kernel, 1, NULL, &n, NULL, 0, NULL, NULL);
}

size_t vec_bytes(size_t n)
{
    return n * sizeof(cl_float);
}
