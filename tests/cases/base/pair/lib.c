#include "rig.h"
#include "lib.h"

static cl_kernel produce_kernel, consume_kernel;
static cl_command_queue queue;
static cl_program program;

void vec_start(void)
{
    queue = rig_queue();
    program = rig_program(rig_options());
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
