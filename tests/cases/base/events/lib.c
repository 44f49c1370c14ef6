#include "rig.h"
#include "lib.h"

static cl_kernel produce_kernel, consume_kernel;
static cl_command_queue queue;
static cl_program program;

void vec_start(void)
{
    queue = rig_out_of_order();
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

cl_int produce(vec *y, const vec *x, cl_uint n, const cl_event *wait, cl_event *event)
{
    size_t items = y->n;

    clSetKernelArg(produce_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(produce_kernel, 1, sizeof(cl_mem), &x->mem);
    return clEnqueueNDRangeKernel(queue, produce_kernel, 1, NULL, &items, NULL, n, wait, event);
}

cl_int consume(vec *y, const vec *x, cl_uint n, const cl_event *wait, cl_event *event)
{
    size_t items = y->n;

    clSetKernelArg(consume_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(consume_kernel, 1, sizeof(cl_mem), &x->mem);
    return clEnqueueNDRangeKernel(queue, consume_kernel, 1, NULL, &items, NULL, n, wait, event);
}
