#ifndef LIB_H
#define LIB_H
#include <CL/cl.h>

/* Rows of `width` elements, each `pitch` elements behind the one before. */
typedef struct {
    cl_mem mem;
    int width, height, pitch;
} plane;

void plane_start(void);
void plane_stop(void);
void plane_new(plane *p, int width, int height, int pitch, int seed);
void plane_show(const char *name, const plane *p); /* all elements, as bytes on stdout */
void plane_free(plane *p);

/* Two functions, each with a kernel of its name: what these do is the trap. */
void produce(plane *y, plane *x);
void consume(plane *y, plane *x);

#endif
