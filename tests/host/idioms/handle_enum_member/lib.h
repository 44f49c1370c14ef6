#ifndef LIB_H
#define LIB_H
#include <CL/cl.h>

enum { SQUARE, ADD, ROOT, KERNELS };

typedef struct {
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernels[KERNELS];
} gpu;

typedef struct {
    cl_mem mem;
    unsigned n;
} vec;

void vec_start(gpu *g);
void vec_stop(gpu *g);
void vec_new(gpu *g, vec *v, const float *data, unsigned n);
void vec_get(gpu *g, const vec *v, float *data);
void vec_free(vec *v);

void vec_square(gpu *g, vec *y, const vec *x);
void vec_add(gpu *g, vec *z, const vec *x, const vec *y);
void vec_root(gpu *g, vec *y, const vec *x);

#endif
