#ifndef LIB_H
#define LIB_H
#include "rig.h"
typedef struct { cl_mem mem; unsigned n; } vec;
void vec_start(void); void vec_stop(void);
void vec_new(vec *v, const float *data, unsigned n);
void vec_get(const vec *v, float *data);
void vec_free(vec *v);
int vec_tint(vec *y, const vec *x, cl_float2 f);
#endif
