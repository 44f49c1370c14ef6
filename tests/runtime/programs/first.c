/* The first of two files, and threads that each have their own queue, kernels and memory. */
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include "kernels.h"
#include "kfusion_fused.h"
#include "two.h"

enum { N = 64, THREADS = 4 };
static cl_device_id device;
static cl_context context;
static cl_program program;

void launch_square(struct pair *p)
{
    const cl_uint n = N;
    const size_t items = N;
    clSetKernelArg(p->square, 0, sizeof(cl_mem), &p->t);
    clSetKernelArg(p->square, 1, sizeof(cl_mem), &p->x);
    clSetKernelArg(p->square, 2, sizeof n, &n);
    clEnqueueNDRangeKernel(p->queue, p->square, 1, NULL, &items, NULL, 0, NULL, NULL);
}

static cl_mem memory(float first)
{
    float values[N];
    int i;
    for (i = 0; i < N; i++)
        values[i] = first + (float)i;
    return clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof values, values, NULL);
}

static void set_up(struct pair *p, float first)
{
    p->queue = clCreateCommandQueue(context, device, 0, NULL);
    p->square = clCreateKernel(program, "square", NULL);
    p->add = clCreateKernel(program, "add", NULL);
    p->t = memory(0), p->x = memory(first), p->c = memory(0), p->b = memory(1);
}

static void show(struct pair *p)
{
    float values[N];
    clEnqueueReadBuffer(p->queue, p->c, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL);
    printf("%g %g\n", values[0], values[N - 1]);
    clReleaseMemObject(p->t), clReleaseMemObject(p->x), clReleaseMemObject(p->c);
    clReleaseMemObject(p->b);
    clReleaseKernel(p->square), clReleaseKernel(p->add), clReleaseCommandQueue(p->queue);
}

int main(void)
{
    const char *text[2];
    struct pair pairs[THREADS + 1];
    pthread_t threads[THREADS];
    cl_platform_id platform;
    int i;

    text[0] = kernels_text;
    text[1] = fused_text;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    program = clCreateProgramWithSource(context, 2, text, NULL, NULL);
    clBuildProgram(program, 1, &device, "", NULL, NULL);
    for (i = 0; i <= THREADS; i++)
        set_up(&pairs[i], (float)i);
    { KFUSION_REGION(whole); launch_square(&pairs[THREADS]); launch_add(&pairs[THREADS]); }
    for (i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, in_thread, &pairs[i]);
    for (i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (i = 0; i <= THREADS; i++)
        show(&pairs[i]);
    clReleaseProgram(program), clReleaseContext(context);
    return 0;
}
