#ifndef LIB_H
#define LIB_H
#include <CL/cl.h>

typedef struct {
    cl_mem mem;
    size_t bytes;
} vec;

typedef struct {
    cl_mem mem;
    int n;
} counted;

void vec_start(void);
void vec_stop(void);
void vec_new(vec *v, const float *data, unsigned n);
void vec_get(const vec *v, float *data);
void vec_free(vec *v);

void counted_new(counted *v, int n);
void counted_free(counted *v);

void vec_square(counted *y, const vec *x);
void vec_add(vec *z, const vec *x, const counted *y);
void vec_root(vec *y, const vec *x);

#endif
