#ifndef LIB_H
#define LIB_H
#include <CL/cl.h>
#include <stdbool.h>

typedef struct {
    cl_mem mem;
    unsigned n;
} vec;

void vec_start(void);
void vec_stop(void);
void vec_new(vec *v, const float *data, unsigned n);
void vec_get(const vec *v, float *data);
void vec_free(vec *v);

bool vec_square(vec *y, const vec *x);
bool vec_add(vec *z, const vec *x, const vec *y);

#endif
