#include "rig.h"
#include "lib.h"

static cl_command_queue queue;
static cl_program program;
static cl_kernel root_kernel;

void roots_start(void)
{
    queue = rig_queue();
    program = rig_program("");
    root_kernel = clCreateKernel(program, "root", NULL);
}

void roots_stop(void)
{
    clReleaseKernel(root_kernel);
    clReleaseProgram(program);
}

/* y = sqrt(x) */
void vec_root(vec *y, const vec *x)
{
    size_t items = x->n;

    clSetKernelArg(root_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(root_kernel, 1, sizeof(cl_mem), &x->mem);
    clEnqueueNDRangeKernel(queue, root_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}
