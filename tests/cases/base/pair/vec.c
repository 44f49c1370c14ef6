#include "rig.h"
#include "lib.h"

#include <stdlib.h>

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
