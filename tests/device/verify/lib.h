#ifndef LIB_H
#define LIB_H
#include <CL/cl.h>

typedef struct {
    cl_mem mem;
    unsigned n;
} vec;

int vec_start(void);
void vec_stop(void);
int vec_square(vec *y, const vec *x);
int vec_scale(vec *y, const vec *x, float factor);
int vec_blur(vec *y, const vec *x);
int vec_crash(vec *y);

#endif
