#ifndef IMG_H
#define IMG_H
#include <CL/cl.h>

typedef struct img img;

void img_start(void);
void img_stop(void);
void img_new(img *v, const float *data, unsigned n);
void img_get(const img *v, float *data);
void img_free(img *v);
void img_show(const char *name, const img *v); /* all elements, as bytes on stdout */

void img_square(img *y, const img *x);
void img_add(img *z, const img *x, const img *y);
void img_root(img *y, const img *x);
void img_scale(img *y, const img *x, float factor);
void img_shift(img *y, const img *x); /* y is x, one element further */

img *img_make(const float *data, unsigned n);
#endif
