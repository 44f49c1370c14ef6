#include "rig.h"
#include "lib.h"

#include <stdlib.h>
#include <string.h>

void vec_new(vec *v, unsigned n, int seed)
{
    float *data = malloc(n * sizeof(float));

    rig_fill(data, n, seed);
    v->n = n;
    v->mem = clCreateBuffer(rig_context(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                            n * sizeof(float), data, NULL);
    free(data);
}

void vec_show(const char *name, const vec *v)
{
    float *data = malloc(v->n * sizeof(float));

    clEnqueueReadBuffer(rig_queue(), v->mem, CL_TRUE, 0, v->n * sizeof(float), data, 0, NULL,
                        NULL);
    rig_dump(name, data, v->n * sizeof(float));
    free(data);
}

void vec_free(vec *v)
{
    clReleaseMemObject(v->mem);
}

cl_mem view_of(const vec *v)
{
    const cl_image_format format = {CL_R, CL_FLOAT};
    cl_image_desc description;

    memset(&description, 0, sizeof description);
    description.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
    description.image_width = v->n;
    description.buffer = v->mem;
    return clCreateImage(rig_context(), CL_MEM_READ_WRITE, &format, &description, NULL, NULL);
}

void show_view(const char *name, cl_mem view, unsigned n)
{
    const size_t origin[3] = {0, 0, 0}, region[3] = {n, 1, 1};
    float *data = malloc(n * sizeof(float));

    clEnqueueReadImage(rig_queue(), view, CL_TRUE, origin, region, 0, 0, data, 0, NULL, NULL);
    rig_dump(name, data, n * sizeof(float));
    free(data);
}
