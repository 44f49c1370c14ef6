#include "rig.h"
#include "lib.h"

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel invert_kernel, half_kernel, sum_kernel, left_kernel;
static cl_kernel listed_kernel, smooth_kernel, sampled_kernel, sized_kernel;

void pic_start(void)
{
    context = rig_context();
    queue = rig_queue();
    program = rig_program("");
    invert_kernel = clCreateKernel(program, "invert", NULL);
    half_kernel = clCreateKernel(program, "half_of", NULL);
    sum_kernel = clCreateKernel(program, "sum", NULL);
    left_kernel = clCreateKernel(program, "left", NULL);
    listed_kernel = clCreateKernel(program, "listed", NULL);
    smooth_kernel = clCreateKernel(program, "smooth", NULL);
    sampled_kernel = clCreateKernel(program, "sampled", NULL);
    sized_kernel = clCreateKernel(program, "sized", NULL);
}

void pic_stop(void)
{
    clReleaseKernel(invert_kernel);
    clReleaseKernel(half_kernel);
    clReleaseKernel(sum_kernel);
    clReleaseKernel(left_kernel);
    clReleaseKernel(listed_kernel);
    clReleaseKernel(smooth_kernel);
    clReleaseKernel(sampled_kernel);
    clReleaseKernel(sized_kernel);
    clReleaseProgram(program);
}

/* A range of whole groups of eight. */
static void launch(cl_kernel kernel, const pic *p)
{
    size_t items[2] = {(p->w + 7) / 8 * 8, (p->h + 7) / 8 * 8};

    clEnqueueNDRangeKernel(queue, kernel, 2, NULL, items, NULL, 0, NULL, NULL);
}

void pic_invert(pic *y, const pic *x)
{
    clSetKernelArg(invert_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(invert_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(invert_kernel, 2, sizeof(unsigned), &y->w);
    clSetKernelArg(invert_kernel, 3, sizeof(unsigned), &y->h);
    launch(invert_kernel, y);
}

void pic_half(pic *y, const pic *x)
{
    clSetKernelArg(half_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(half_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(half_kernel, 2, sizeof(unsigned), &y->w);
    clSetKernelArg(half_kernel, 3, sizeof(unsigned), &y->h);
    launch(half_kernel, y);
}

void pic_sum(pic *z, const pic *x, const pic *y)
{
    clSetKernelArg(sum_kernel, 0, sizeof(cl_mem), &z->mem);
    clSetKernelArg(sum_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(sum_kernel, 2, sizeof(cl_mem), &y->mem);
    clSetKernelArg(sum_kernel, 3, sizeof(unsigned), &z->w);
    clSetKernelArg(sum_kernel, 4, sizeof(unsigned), &z->h);
    launch(sum_kernel, z);
}

void pic_left(pic *y, const pic *x)
{
    clSetKernelArg(left_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(left_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(left_kernel, 2, sizeof(unsigned), &y->w);
    clSetKernelArg(left_kernel, 3, sizeof(unsigned), &y->h);
    launch(left_kernel, y);
}

void pic_listed(pic *y, const pic *x)
{
    clSetKernelArg(listed_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(listed_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(listed_kernel, 2, sizeof(unsigned), &y->w);
    clSetKernelArg(listed_kernel, 3, sizeof(unsigned), &y->h);
    launch(listed_kernel, y);
}

void pic_smooth(pic *y, const pic *x)
{
    clSetKernelArg(smooth_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(smooth_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(smooth_kernel, 2, sizeof(unsigned), &y->w);
    clSetKernelArg(smooth_kernel, 3, sizeof(unsigned), &y->h);
    launch(smooth_kernel, y);
}

void pic_sampled(pic *y, const pic *x, cl_sampler s)
{
    clSetKernelArg(sampled_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(sampled_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(sampled_kernel, 2, sizeof(cl_sampler), &s);
    clSetKernelArg(sampled_kernel, 3, sizeof(unsigned), &y->w);
    clSetKernelArg(sampled_kernel, 4, sizeof(unsigned), &y->h);
    launch(sampled_kernel, y);
}

void pic_sized(pic *y, const pic *x)
{
    clSetKernelArg(sized_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(sized_kernel, 1, sizeof(cl_mem), &x->mem);
    launch(sized_kernel, y);
}
