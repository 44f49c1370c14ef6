#ifndef LIB_H
#define LIB_H
#include <CL/cl.h>

typedef struct {
    cl_mem mem;
    int n;
} vec;

void vec_start(void);
void vec_stop(void);
void vec_new(vec *v, const float *data, int n);
void vec_get(const vec *v, float *data);
void vec_free(vec *v);

extern void (*vec_failed)(const char *what, cl_int err);

cl_int vec_inc(vec *v);
cl_int vec_dbl(vec *v);
cl_int vec_inc_loud(vec *v);
cl_int vec_dbl_loud(vec *v);
cl_int vec_inc_own(vec *v);
cl_int vec_dbl_own(vec *v);

#endif
