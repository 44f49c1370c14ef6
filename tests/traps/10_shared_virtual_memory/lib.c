#include "rig.h"
#include "lib.h"

static cl_kernel produce_kernel, consume_kernel;
static cl_command_queue queue;
static cl_program program;
static float *given[8];
static int count;

void shared_start(void)
{
    queue = rig_queue();
    program = rig_program("");
    produce_kernel = clCreateKernel(program, "produce", NULL);
    consume_kernel = clCreateKernel(program, "consume", NULL);
}

void shared_stop(void)
{
    while (count > 0)
        clSVMFree(rig_context(), given[--count]);
    clReleaseKernel(produce_kernel);
    clReleaseKernel(consume_kernel);
    clReleaseProgram(program);
}

float *shared_new(unsigned n, int seed)
{
    float *data = clSVMAlloc(rig_context(), CL_MEM_READ_WRITE, n * sizeof(float), 0);

    clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, data, n * sizeof(float), 0, NULL, NULL);
    rig_fill(data, n, seed);
    clEnqueueSVMUnmap(queue, data, 0, NULL, NULL);
    return given[count++] = data;
}

void shared_show(const char *name, float *data, unsigned n)
{
    clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, data, n * sizeof(float), 0, NULL, NULL);
    rig_dump(name, data, n * sizeof(float));
    clEnqueueSVMUnmap(queue, data, 0, NULL, NULL);
}

void produce(float *y, const float *x, unsigned n)
{
    size_t items = n;

    clSetKernelArgSVMPointer(produce_kernel, 0, y);
    clSetKernelArgSVMPointer(produce_kernel, 1, x);
    clEnqueueNDRangeKernel(queue, produce_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}

void consume(float *y, const float *x, unsigned n)
{
    size_t items = n;

    clSetKernelArgSVMPointer(consume_kernel, 0, y);
    clSetKernelArgSVMPointer(consume_kernel, 1, x);
    clEnqueueNDRangeKernel(queue, consume_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}
