#include "lib.h"

static cl_command_queue queue;
static cl_kernel square, root, gather;
static int failures;

void start(cl_program program)
{
    square = clCreateKernel(program, "square", NULL);
    root = clCreateKernel(program, "root", NULL);
    gather = clCreateKernel(program, "gather", NULL);
}

cl_int square_of(buf *y, const buf *x)
{
    size_t items = y->bytes / sizeof(cl_float);

    clSetKernelArg(square, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(square, 1, sizeof(cl_mem), &x->mem);
    return clEnqueueNDRangeKernel(queue, square, 1, NULL, &items, NULL, 0, NULL, NULL);
}

cl_int counted(buf *y, const buf *x)
{
    size_t items = y->bytes / sizeof(cl_float);
    cl_int err;

    err = clSetKernelArg(square, 0, sizeof(cl_mem), &y->mem);
    err |= clSetKernelArg(square, 1, sizeof(cl_mem), &x->mem);
    failures += err != CL_SUCCESS;
    return clEnqueueNDRangeKernel(queue, square, 1, NULL, &items, NULL, 0, NULL, NULL);
}

cl_int root_of_half(buf *y, const buf *x)
{
    size_t items = y->bytes / 2;

    clSetKernelArg(root, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(root, 1, sizeof(cl_mem), &x->mem);
    return clEnqueueNDRangeKernel(queue, root, 1, NULL, &items, NULL, 0, NULL, NULL);
}

cl_int gather_of(buf *y, const buf *x, const buf *index)
{
    size_t items = y->bytes / sizeof(cl_float);

    clSetKernelArg(gather, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(gather, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(gather, 2, sizeof(cl_mem), &index->mem);
    return clEnqueueNDRangeKernel(queue, gather, 1, NULL, &items, NULL, 0, NULL, NULL);
}
