#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
typedef struct { int n; cl_mem buf; float s; } Vec;
int lib_init(void);
int vec_new(Vec *v, int n, float start);
int vec_scale(Vec *y, Vec *x, float s);
int vec_add(Vec *z, Vec *x, Vec *y);
int vec_read(Vec *v, float *out);
void vec_free(Vec *v);
