#ifndef LIB_H
#define LIB_H
#include <CL/cl.h>
#include <stddef.h>
typedef struct { unsigned n; size_t group; cl_mem mem; } vec;
extern size_t shared_group;
void vec_start(void); void vec_stop(void);
void vec_new(vec *v, unsigned n, const float *data);
void vec_get(const vec *v, float *data);
void vec_sq(vec *y, const vec *x);
void vec_mir(vec *y, const vec *x);
void vec_set(size_t g);
#endif
