#ifndef LIB_H
#define LIB_H
#include <CL/cl.h>

struct engine {
    cl_command_queue queue;
    cl_program program;
    cl_kernel square_kernel;
};

typedef struct {
    struct engine *engine;
    cl_mem mem;
    unsigned n;
} vec;

void engine_start(struct engine *e, cl_command_queue queue, cl_program program);
void engine_stop(struct engine *e);
void vec_new(vec *v, struct engine *e, const float *data, unsigned n);
void vec_free(vec *v);
void vec_show(const char *name, const vec *v);
void vec_square(vec *y, const vec *x);

#endif
