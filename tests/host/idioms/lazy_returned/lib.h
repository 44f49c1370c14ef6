#ifndef LIB_H
#define LIB_H
#include <CL/cl.h>

typedef struct {
    float *host;
    cl_mem gpu;
    size_t n;
    int host_newer, gpu_newer;
} vec;

void vec_start(void);
void vec_stop(void);
void vec_new(vec *v, const float *data, unsigned n);
void vec_get(const vec *v, float *data);
void vec_free(vec *v);

void vec_square(vec *y, vec *x);
void vec_add(vec *z, vec *x, vec *y);
void vec_root(vec *y, vec *x);

#endif
