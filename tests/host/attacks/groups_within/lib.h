#ifndef LIB_H
#define LIB_H
#include <CL/cl.h>
typedef struct { int w, n0, n1; cl_mem mem; } img;
void img_start(void); void img_stop(void);
void img_new(img *v, int w, int n0, int n1, unsigned n, const float *data);
void img_get(const img *v, float *data, unsigned n);
void img_rows(img *t, const img *a);
void img_apply(img *c, const img *t);
#endif
