#ifndef LIB_H
#define LIB_H
#include <CL/cl.h>

typedef struct {
    float *host; /* it is copied to the device when a function needs it there */
    cl_mem mem;
    size_t n;
    int on_device;
} vec;

void vec_start(void);
void vec_stop(void);
void vec_show(const char *name, const vec *v);
void vec_free(vec *v);

/* 0, or what went wrong. */
int produce(vec *y, vec *x);
int consume(vec *y, vec *x);

#endif
