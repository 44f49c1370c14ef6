#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <string.h>

#define N 64

typedef struct {
    cl_mem mem;
    int n;
} vec;

void vec_start(void);
void vec_new(vec *v, int n, float start);
void vec_free(vec *v);
int vec_get(const vec *v, float *data);
int vec_square(vec *y, const vec *x);
int vec_add(vec *z, const vec *x, const vec *y);

vec vec_view(const vec *v);
void vec_pair(vec *v, vec *w, int n);
size_t vec_handle(const vec *v);
size_t vec_bytes(const vec *v);
int vec_get_handle(size_t handle, float *data);
