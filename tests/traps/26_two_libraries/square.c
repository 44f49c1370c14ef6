#include "rig.h"
#include "lib.h"

static cl_command_queue queue;
static cl_kernel square_kernel;

void square_start(cl_command_queue q, cl_program p);
void square_stop(void);

void square_start(cl_command_queue q, cl_program p)
{
    queue = q;
    square_kernel = clCreateKernel(p, "square", NULL);
}

void square_stop(void)
{
    clReleaseKernel(square_kernel);
}

/* y = x * x */
void vec_square(vec *y, const vec *x)
{
    size_t items = y->n;

    clSetKernelArg(square_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(square_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(square_kernel, 2, sizeof(unsigned), &y->n);
    clEnqueueNDRangeKernel(queue, square_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}
