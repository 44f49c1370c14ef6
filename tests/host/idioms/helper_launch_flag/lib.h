#ifndef LIB_H
#define LIB_H
#include <stdbool.h>
#include <CL/cl.h>

typedef struct {
    float *host;
    cl_mem gpu;
    size_t n;
    enum newer { NONE, HOST, GPU } newer;
    bool failed;
} vec;

void vec_start(void);
void vec_stop(void);
void vec_new(vec *v, const float *data, unsigned n);
void vec_get(const vec *v, float *data);
void vec_free(vec *v);

int vec_square(vec *y, vec *x);
int vec_add(vec *z, vec *x, vec *y);
int vec_root(vec *y, vec *x);

#endif
