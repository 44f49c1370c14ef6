#include "rig.h"
#include "lib.h"

#include <stdio.h>
#include <stdlib.h>

static cl_kernel produce_kernel, consume_kernel;
static cl_command_queue queue;
static cl_program program;

static cl_program linked(void)
{
    static char text[1 << 16];
    const char *source = text;
    FILE *file = fopen(getenv("KERNELS"), "r");
    cl_program compiled;

    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    compiled = clCreateProgramWithSource(rig_context(), 1, &source, NULL, NULL);
    clCompileProgram(compiled, 0, NULL, "", 0, NULL, NULL, NULL, NULL);
    return clLinkProgram(rig_context(), 0, NULL, "", 1, &compiled, NULL, NULL, NULL);
}

void vec_start(void)
{
    queue = rig_queue();
    program = linked();
    produce_kernel = clCreateKernel(program, "produce", NULL);
    consume_kernel = clCreateKernel(program, "consume", NULL);
}

void vec_stop(void)
{
    clReleaseKernel(produce_kernel);
    clReleaseKernel(consume_kernel);
    clReleaseProgram(program);
}

void produce(vec *y, const vec *x)
{
    size_t items = y->n;

    clSetKernelArg(produce_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(produce_kernel, 1, sizeof(cl_mem), &x->mem);
    clEnqueueNDRangeKernel(queue, produce_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

void consume(vec *y, const vec *x)
{
    size_t items = y->n;

    clSetKernelArg(consume_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(consume_kernel, 1, sizeof(cl_mem), &x->mem);
    clEnqueueNDRangeKernel(queue, consume_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}
