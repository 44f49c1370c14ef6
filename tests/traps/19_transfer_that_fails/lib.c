#include "rig.h"
#include "lib.h"

static cl_kernel produce_kernel, consume_kernel;
static cl_context context;
static cl_command_queue queue;
static cl_program program;

void vec_start(void)
{
    context = rig_context();
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

void vec_show(const char *name, const vec *v)
{
    if (v->mem == NULL)
        return;
    clEnqueueReadBuffer(queue, v->mem, CL_TRUE, 0, v->n * sizeof(float), v->host, 0, NULL, NULL);
    rig_dump(name, v->host, v->n * sizeof(float));
}

void vec_free(vec *v)
{
    if (v->mem != NULL)
        clReleaseMemObject(v->mem);
}

/* The first condition is known before the call; whether there is memory is not. */
static int to_device(vec *v)
{
    cl_int status;

    if (v->host == NULL)
        return -10;
    if (v->on_device)
        return 0;
    if (v->mem == NULL) {
        v->mem = clCreateBuffer(context, CL_MEM_READ_WRITE, v->n * sizeof(float), NULL, &status);
        if (status != CL_SUCCESS)
            return -20;
    }
    clEnqueueWriteBuffer(queue, v->mem, CL_TRUE, 0, v->n * sizeof(float), v->host, 0, NULL, NULL);
    v->on_device = 1;
    return 0;
}

int produce(vec *y, vec *x)
{
    int status = to_device(x);
    if (status)
        return status;
    status = to_device(y);
    if (status != 0)
        return status;
    clSetKernelArg(produce_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(produce_kernel, 1, sizeof(cl_mem), &x->mem);
    clEnqueueNDRangeKernel(queue, produce_kernel, 1, NULL, &y->n, NULL, 0, NULL, NULL);
    y->on_device = 1;
    return 0;
}

int consume(vec *y, vec *x)
{
    int status = to_device(x);
    if (status)
        return status;
    status = to_device(y);
    if (status != 0)
        return status;
    clSetKernelArg(consume_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(consume_kernel, 1, sizeof(cl_mem), &x->mem);
    clEnqueueNDRangeKernel(queue, consume_kernel, 1, NULL, &y->n, NULL, 0, NULL, NULL);
    y->on_device = 1;
    return 0;
}
