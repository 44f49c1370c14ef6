#ifndef LIB_H
#define LIB_H
#include <CL/cl.h>

typedef struct {
    cl_mem mem;
} buf;

typedef struct {
    float factor;
    int n;
} setting;

int start(void);
int points_move(buf *to, buf *from, unsigned n);
int longer(buf *to, buf *from, unsigned n);
int scaled(buf *to, buf *from, setting how);
int tiled(buf *to, buf *from, unsigned n);
int padded(buf *to, buf *from, unsigned width, unsigned pitch, unsigned height);
int framed(buf *to, buf *from, cl_int2 size, unsigned width, unsigned height);

#endif
