#ifndef LIB_H
#define LIB_H
#include <CL/cl.h>

typedef struct {
    cl_mem mem;
    unsigned n;
} vec;

void vec_start(void);
void vec_stop(void);
void vec_new(vec *v, unsigned n, int seed); /* other numbers for each seed */
void vec_show(const char *name, const vec *v); /* all elements, as bytes on stdout */
void vec_free(vec *v);

/* Two functions, each with a kernel of its name: what these do is the trap.
   The queue is out of order: only events say what waits for what. */
cl_int produce(vec *y, const vec *x, cl_uint n, const cl_event *wait, cl_event *event);
cl_int consume(vec *y, const vec *x, cl_uint n, const cl_event *wait, cl_event *event);

#endif
