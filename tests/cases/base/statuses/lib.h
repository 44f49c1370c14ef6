#ifndef LIB_H
#define LIB_H
#include <CL/cl.h>

typedef struct {
    cl_mem mem;
    unsigned n;
} vec;

void vec_start(void);
void vec_stop(void);
void vec_new(vec *v, const float *data, unsigned n);
void vec_get(const vec *v, float *data);
void vec_free(vec *v);

cl_int vec_square(vec *y, const vec *x);
cl_int vec_add(vec *z, const vec *x, const vec *y);
cl_int vec_root(vec *y, const vec *x);

#endif
