#include "rig.h"
#include "lib.h"

#include <stdlib.h>
#include <string.h>

static cl_command_queue queue;
static cl_program program;
static cl_kernel fall_kernel, drag_kernel;

void sim_start(void)
{
    queue = rig_queue();
    program = rig_program("");
    fall_kernel = clCreateKernel(program, "fall", NULL);
    drag_kernel = clCreateKernel(program, "drag", NULL);
}

void sim_stop(void)
{
    clReleaseKernel(fall_kernel);
    clReleaseKernel(drag_kernel);
    clReleaseProgram(program);
}

static cl_mem filled(const float *data, unsigned n)
{
    size_t bytes = n * sizeof(float);
    cl_mem mem = clCreateBuffer(rig_context(), CL_MEM_READ_WRITE, bytes, NULL, NULL);

    clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, bytes, data, 0, NULL, NULL);
    return mem;
}

void sim_new(sim *s, const float *force, const float *mass, unsigned n)
{
    s->n = n;
    s->gravity = 9.81f;
    s->force.host = calloc(n, sizeof(float));
    s->force.dev = filled(force, n);
    s->force.newer = 1;
    s->mass = filled(mass, n);
}

void sim_get(sim *s, float *force)
{
    size_t bytes = s->n * sizeof(float);

    if (s->force.newer)
        clEnqueueReadBuffer(queue, s->force.dev, CL_TRUE, 0, bytes, s->force.host, 0, NULL, NULL);
    s->force.newer = 0;
    memcpy(force, s->force.host, bytes);
}

void sim_free(sim *s)
{
    clReleaseMemObject(s->force.dev);
    clReleaseMemObject(s->mass);
    free(s->force.host);
}

void sim_fall(sim *s)
{
    size_t items = (s->n + 63) / 64 * 64;
    cl_mem step = s->force.dev; /* the application has a function of this name */

    clSetKernelArg(fall_kernel, 0, sizeof(cl_mem), &step);
    clSetKernelArg(fall_kernel, 1, sizeof(cl_mem), &s->mass);
    clSetKernelArg(fall_kernel, 2, sizeof s->gravity, &s->gravity);
    clSetKernelArg(fall_kernel, 3, sizeof(cl_uint), &s->n);
    clEnqueueNDRangeKernel(queue, fall_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    s->force.newer = 1;
}

void sim_drag(sim *s, float k)
{
    size_t items = (s->n + 63) / 64 * 64;

    clSetKernelArg(drag_kernel, 0, sizeof(cl_mem), &s->force.dev);
    clSetKernelArg(drag_kernel, 1, sizeof(cl_mem), &s->mass);
    clSetKernelArg(drag_kernel, 2, sizeof k, &k);
    clSetKernelArg(drag_kernel, 3, sizeof(cl_uint), &s->n);
    clEnqueueNDRangeKernel(queue, drag_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    s->force.newer = 1;
}
