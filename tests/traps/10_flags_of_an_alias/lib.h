#ifndef LIB_H
#define LIB_H
#include <CL/cl.h>

/* A vector on the host, copied to the device when the host's copy is newer. */
typedef struct {
    float *host;
    cl_mem mem;
    unsigned n;
    int host_newer, gpu_newer;
} vec;

void vec_start(void);
void vec_stop(void);
void vec_new(vec *v, const float *data, unsigned n);
void vec_get(vec *v, float *data);
void vec_free(vec *v);
void vec_show(const char *name, vec *v);

void vec_square(vec *y, vec *x);
void vec_add(vec *z, vec *x, vec *y);
void vec_first(vec *y, vec *x, float first); /* y = x * x; x[0] = first on the host */
extern int vec_uploads;

#endif
