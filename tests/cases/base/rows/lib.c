#include "rig.h"
#include "lib.h"

#include <stdlib.h>

#define ELEMENTS 200

static cl_kernel produce_kernel, consume_kernel;
static cl_command_queue queue;
static cl_program program;

void plane_start(void)
{
    queue = rig_queue();
    program = rig_program(rig_options());
    produce_kernel = clCreateKernel(program, "produce", NULL);
    consume_kernel = clCreateKernel(program, "consume", NULL);
}

void plane_stop(void)
{
    clReleaseKernel(produce_kernel);
    clReleaseKernel(consume_kernel);
    clReleaseProgram(program);
}

void plane_new(plane *p, int width, int height, int pitch, int seed)
{
    float data[ELEMENTS];

    rig_fill(data, ELEMENTS, seed);
    p->width = width;
    p->height = height;
    p->pitch = pitch;
    p->mem = clCreateBuffer(rig_context(), CL_MEM_READ_WRITE, sizeof data, NULL, NULL);
    clEnqueueWriteBuffer(queue, p->mem, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL);
}

void plane_show(const char *name, const plane *p)
{
    float data[ELEMENTS];

    clEnqueueReadBuffer(queue, p->mem, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL);
    rig_dump(name, data, sizeof data);
}

void plane_free(plane *p)
{
    clReleaseMemObject(p->mem);
}

void produce(plane *y, plane *x)
{
    const size_t items[2] = {16, 16};

    clSetKernelArg(produce_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(produce_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(produce_kernel, 2, sizeof(int), &x->width);
    clSetKernelArg(produce_kernel, 3, sizeof(int), &x->height);
    clSetKernelArg(produce_kernel, 4, sizeof(int), &x->pitch);
    clEnqueueNDRangeKernel(queue, produce_kernel, 2, NULL, items, NULL, 0, NULL, NULL);
}

void consume(plane *y, plane *x)
{
    const size_t items[2] = {16, 16};

    clSetKernelArg(consume_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(consume_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(consume_kernel, 2, sizeof(int), &x->width);
    clSetKernelArg(consume_kernel, 3, sizeof(int), &x->height);
    clSetKernelArg(consume_kernel, 4, sizeof(int), &x->pitch);
    clEnqueueNDRangeKernel(queue, consume_kernel, 2, NULL, items, NULL, 0, NULL, NULL);
}
