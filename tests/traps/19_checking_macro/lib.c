#include "rig.h"
#include "lib.h"

#define CHECK(call)                  \
    do {                             \
        cl_int status = (call);      \
        if (status != CL_SUCCESS)    \
            return status;           \
    } while (0)

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

cl_int produce(vec *y, const vec *x)
{
    size_t items = y->n;

    CHECK(clSetKernelArg(produce_kernel, 0, sizeof(cl_mem), &y->mem));
    CHECK(clSetKernelArg(produce_kernel, 1, sizeof(cl_mem), &x->mem));
    CHECK(clEnqueueNDRangeKernel(queue, produce_kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    return CL_SUCCESS;
}

cl_int consume(vec *y, const vec *x)
{
    size_t items = y->n;

    CHECK(clSetKernelArg(consume_kernel, 0, sizeof(cl_mem), &y->mem));
    CHECK(clSetKernelArg(consume_kernel, 1, sizeof(cl_mem), &x->mem));
    CHECK(clEnqueueNDRangeKernel(queue, consume_kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    return CL_SUCCESS;
}
