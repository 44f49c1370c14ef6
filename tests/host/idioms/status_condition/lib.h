#ifndef LIB_H
#define LIB_H
#include <CL/cl.h>

typedef struct {
    cl_mem mem;
    int n;
    size_t width; /* of n */
} vec;

extern int vec_launches; /* that were counted */

void vec_start(void);
void vec_stop(void);
void vec_new(vec *v, const float *data, int n);
void vec_get(const vec *v, float *data);
void vec_free(vec *v);

cl_int vec_inc_flush(vec *v);
cl_int vec_dbl_flush(vec *v);
cl_int vec_inc_else(vec *v);
cl_int vec_dbl_else(vec *v);
cl_int vec_inc_assert(vec *v);
cl_int vec_dbl_assert(vec *v);
cl_int vec_inc_count(vec *v);
cl_int vec_dbl_count(vec *v);

#endif
