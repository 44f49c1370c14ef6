#ifndef LIB_H
#define LIB_H
#include <CL/cl.h>

typedef struct {
    cl_mem mem;
    unsigned n;
} vec;

extern size_t vec_group; /* items in the groups of vec_shift */

void vec_start(void);
void vec_stop(void);
void vec_new(vec *v, const float *data, unsigned n);
void vec_get(const vec *v, float *data);
void vec_free(vec *v);
void vec_show(const char *name, const vec *v); /* all elements, as bytes on stdout */

cl_int vec_square(vec *y, const vec *x);
cl_int vec_add(vec *z, const vec *x, const vec *y);
cl_int vec_root(vec *y, const vec *x);
cl_int vec_scale(vec *y, const vec *x, float factor);
cl_int vec_shift(vec *y, const vec *x); /* y is x, one element further */

#endif
