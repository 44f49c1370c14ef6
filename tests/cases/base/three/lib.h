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

/* Functions, each with a kernel of its name: what these do is the trap. */
void produce(vec *y, const vec *x);
void total(vec *s, const vec *x);
void consume(vec *y, const vec *x, const vec *s);

#endif
