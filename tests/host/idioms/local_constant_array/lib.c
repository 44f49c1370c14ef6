#include "rig.h"
#include "lib.h"

static cl_command_queue queue;
static cl_program program;
static cl_kernel square_kernel, add_kernel, root_kernel;
static const size_t group[2] = {4, 5};

static void launch(cl_kernel kernel, const vec *x)
{
    const size_t global[2] = {x->width, x->height};

    clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, group, 0, NULL, NULL);
}

void vec_start(void)
{
    queue = rig_queue();
    program = rig_program("");
    square_kernel = clCreateKernel(program, "square", NULL);
    add_kernel = clCreateKernel(program, "add", NULL);
    root_kernel = clCreateKernel(program, "root", NULL);
}

void vec_stop(void)
{
    clReleaseKernel(square_kernel);
    clReleaseKernel(add_kernel);
    clReleaseKernel(root_kernel);
    clReleaseProgram(program);
}

void vec_new(vec *v, const float *data, unsigned n)
{
    v->n = n;
    v->width = 20;
    v->height = (int)n / 20;
    v->mem = clCreateBuffer(rig_context(), CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
    if (data != NULL)
        clEnqueueWriteBuffer(queue, v->mem, CL_TRUE, 0, n * sizeof(float), data, 0, NULL, NULL);
}

void vec_get(const vec *v, float *data)
{
    clEnqueueReadBuffer(queue, v->mem, CL_TRUE, 0, v->n * sizeof(float), data, 0, NULL, NULL);
}

void vec_free(vec *v)
{
    clReleaseMemObject(v->mem);
}

/* y = x * x */
void vec_square(vec *y, const vec *x)
{
    clSetKernelArg(square_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(square_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(square_kernel, 2, sizeof(cl_int), &x->width);
    launch(square_kernel, x);
}

/* z = x + y */
void vec_add(vec *z, const vec *x, const vec *y)
{
    clSetKernelArg(add_kernel, 0, sizeof(cl_mem), &z->mem);
    clSetKernelArg(add_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(add_kernel, 2, sizeof(cl_mem), &y->mem);
    clSetKernelArg(add_kernel, 3, sizeof(cl_int), &x->width);
    launch(add_kernel, x);
}

/* y = sqrt(x) */
void vec_root(vec *y, const vec *x)
{
    clSetKernelArg(root_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(root_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(root_kernel, 2, sizeof(cl_int), &x->width);
    launch(root_kernel, x);
}
