#include "vectors.h"

enum { N = 1024 };

static cl_context context;
static cl_command_queue queue;
static cl_kernel scale_kernel, add_kernel;
static const cl_uint n = N;
static const size_t items = N;

int set_up(const char *text)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_program program;
    cl_int status;

    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    queue = clCreateCommandQueue(context, device, 0, &status);
    program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS)
        return 1;
    scale_kernel = clCreateKernel(program, "scale", &status);
    add_kernel = clCreateKernel(program, "add", &status);
    return status;
}

cl_mem vector(void)
{
    return clCreateBuffer(context, CL_MEM_READ_WRITE, N * sizeof(float), NULL, NULL);
}

int scale(cl_mem c, cl_mem a, float f)
{
    clSetKernelArg(scale_kernel, 0, sizeof c, &c);
    clSetKernelArg(scale_kernel, 1, sizeof a, &a);
    clSetKernelArg(scale_kernel, 2, sizeof f, &f);
    clSetKernelArg(scale_kernel, 3, sizeof n, &n);
    return clEnqueueNDRangeKernel(queue, scale_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

int add(cl_mem c, cl_mem a, cl_mem b)
{
    clSetKernelArg(add_kernel, 0, sizeof c, &c);
    clSetKernelArg(add_kernel, 1, sizeof a, &a);
    clSetKernelArg(add_kernel, 2, sizeof b, &b);
    clSetKernelArg(add_kernel, 3, sizeof n, &n);
    return clEnqueueNDRangeKernel(queue, add_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}
