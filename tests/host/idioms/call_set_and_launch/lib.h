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

cl_int vec_inc_or(vec *v);
cl_int vec_dbl_or(vec *v);
cl_int vec_inc_and(vec *v);
cl_int vec_dbl_and(vec *v);
cl_int vec_inc_if(vec *v);
cl_int vec_dbl_if(vec *v);
cl_int vec_inc_two(vec *v);
cl_int vec_dbl_two(vec *v);

#endif
