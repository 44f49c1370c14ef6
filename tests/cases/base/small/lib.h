#ifndef LIB_H
#define LIB_H
#include "rig.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct { cl_mem mem; unsigned n; } vec;
void vec_start(void); void vec_stop(void);
void vec_new(vec *v, const float *data, unsigned n);
void vec_get(const vec *v, float *data);
void vec_free(vec *v);
int vec_square(vec *y, const vec *x);
int vec_add(vec *z, const vec *x, const vec *y);
int vec_scale(vec *y, const vec *x, float f);

#endif
