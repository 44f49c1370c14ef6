#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

typedef struct vec vec;

void vec_start(void);
vec *vec_new(unsigned n, float value);
void vec_free(vec *v);
void vec_show(const char *name, vec *v);
void vec_square(vec *y, const vec *x);
void vec_add(vec *z, const vec *x, const vec *y);
void vec_swap(vec *x, vec *y);
