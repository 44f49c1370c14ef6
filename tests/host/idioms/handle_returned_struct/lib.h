#ifndef LIB_H
#define LIB_H
#include <CL/cl.h>

typedef struct {
    cl_command_queue queue;
    cl_program program;
    cl_kernel square, add, root;
} gpu;

typedef struct {
    cl_mem mem;
    unsigned n;
} vec;

gpu vec_start(void);
void vec_stop(gpu *g);
void vec_new(gpu *g, vec *v, const float *data, unsigned n);
void vec_get(gpu *g, const vec *v, float *data);
void vec_free(vec *v);

void vec_square(gpu *g, vec *y, const vec *x);
void vec_add(gpu *g, vec *z, const vec *x, const vec *y);
void vec_root(gpu *g, vec *y, const vec *x);

#endif
