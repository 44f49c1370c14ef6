#ifndef LIB_H
#define LIB_H
#include <CL/cl.h>

typedef struct vec vec;

void vec_start(void);
void vec_stop(void);
void vec_new(vec *v, const float *data, unsigned n);
void vec_get(const vec *v, float *data);
void vec_free(vec *v);
void vec_show(const char *name, const vec *v); /* all elements, as bytes on stdout */

void vec_square(vec *y, const vec *x);
void vec_add(vec *z, const vec *x, const vec *y);
void vec_root(vec *y, const vec *x);
void vec_scale(vec *y, const vec *x, float factor);
void vec_shift(vec *y, const vec *x); /* y is x, one element further */

vec *vec_make(const float *data, unsigned n);
#endif
