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

cl_int vec_inc_part(vec *v, float part);
cl_int vec_dbl_part(vec *v, float part);
cl_int vec_inc_rows(vec *v, int rows);
cl_int vec_dbl_rows(vec *v, int rows);
cl_int vec_inc_up(vec *v);
cl_int vec_dbl_up(vec *v);

#endif
