/* Launches the kernels named as arguments, one after another, on a vector of
 * N floats, and prints the vector's sum. A first argument "-u" leaves the
 * vector uninitialised; the name "fail" enqueues a launch that must fail, and
 * "task:NAME" enqueues with clEnqueueTask. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef N
#define N 100
#endif
#define ITEMS ((N + 63) / 64 * 64)

static void check(cl_int status, const char *what)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "%s: OpenCL status %d\n", what, (int)status);
        exit(3);
    }
}

static cl_program load(cl_context context, cl_device_id device, const char *path)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(3);
    }
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    const char *source = text;
    cl_int status;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    return program;
}

static void launch(cl_command_queue queue, cl_program program, cl_mem vector, const char *name)
{
    int task = strncmp(name, "task:", 5) == 0;
    int fail = strcmp(name, "fail") == 0;
    cl_int status;
    cl_kernel kernel =
        clCreateKernel(program, task ? name + 5 : fail ? "scale" : name, &status);
    check(status, name);
    if (fail) { /* no argument is set */
        size_t items = 1;
        if (!clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL))
            exit(4);
        return;
    }
    check(clSetKernelArg(kernel, 0, sizeof vector, &vector), name);
    size_t items = N;
    if (!strcmp(name, "scale")) {
        cl_float a = 2.0f;
        cl_uint n = N;
        check(clSetKernelArg(kernel, 1, sizeof a, &a), name);
        check(clSetKernelArg(kernel, 2, sizeof n, &n), name);
        items = ITEMS;
    }
    if (task)
        check(clEnqueueTask(queue, kernel, 0, NULL, NULL), name);
    else
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), name);
    check(clReleaseKernel(kernel), name);
}

int main(int argc, char **argv)
{
    static float values[N];
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    cl_program program = load(context, device, getenv("KERNELS"));
    cl_mem vector = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof values, NULL, &status);
    check(status, "clCreateBuffer");

    int first = argc > 1 && !strcmp(argv[1], "-u") ? 2 : 1;
    for (int i = 0; i < N; i++)
        values[i] = 1.0f;
    if (first == 1)
        check(clEnqueueWriteBuffer(queue, vector, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL),
              "clEnqueueWriteBuffer");
    for (int i = first; i < argc; i++)
        launch(queue, program, vector, argv[i]);
    check(clEnqueueReadBuffer(queue, vector, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += values[i];
    printf("sum %g\n", sum);
    return 0;
}
