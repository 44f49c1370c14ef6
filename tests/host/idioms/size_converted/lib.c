#include "rig.h"
#include "lib.h"

static cl_command_queue queue;
static cl_program program;
static cl_kernel inc, dbl;

void vec_start(void)
{
    queue = rig_queue();
    program = rig_program("");
    inc = clCreateKernel(program, "inc", NULL);
    dbl = clCreateKernel(program, "dbl", NULL);
}

void vec_stop(void)
{
    clReleaseKernel(inc);
    clReleaseKernel(dbl);
    clReleaseProgram(program);
}

void vec_new(vec *v, const float *data, int n)
{
    v->n = n;
    v->mem = clCreateBuffer(rig_context(), CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
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

static cl_int run(cl_kernel k, vec *v, size_t global)
{
    cl_int err = clSetKernelArg(k, 0, sizeof(cl_mem), &v->mem);

    if (err)
        return err;
    return clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, NULL, 0, NULL, NULL);
}

/* float to int in an initialiser: whole groups only */
static cl_int run_part(cl_kernel k, vec *v, float part)
{
    int groups = v->n * part;

    return run(k, v, groups * 16);
}

/* int to unsigned char, by a parameter and by a result */
static cl_uchar more(int rows)
{
    return rows + 200;
}

static size_t items(unsigned char rows)
{
    return rows * 3;
}

/* int to float and back, and a constant that becomes a float */
static size_t round_up(size_t n, size_t m)
{
    float k = n, one = 1;
    int blocks = k / m + one - 0.001f;

    return blocks * m;
}

cl_int vec_inc_part(vec *v, float part)
{
    return run_part(inc, v, part);
}

cl_int vec_dbl_part(vec *v, float part)
{
    return run_part(dbl, v, part);
}

cl_int vec_inc_rows(vec *v, int rows)
{
    return run(inc, v, items(rows) + more(rows));
}

cl_int vec_dbl_rows(vec *v, int rows)
{
    return run(dbl, v, items(rows) + more(rows));
}

cl_int vec_inc_up(vec *v)
{
    return run(inc, v, round_up(v->n, 16));
}

cl_int vec_dbl_up(vec *v)
{
    return run(dbl, v, round_up(v->n, 16));
}
