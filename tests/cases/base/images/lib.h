#ifndef LIB_H
#define LIB_H
#include <CL/cl.h>

/* A picture on the device: four numbers for each of w * h texels. */
typedef struct {
    cl_mem mem;
    unsigned w, h;
} pic;

void pic_start(void);
void pic_stop(void);
void pic_new(pic *p, unsigned w, unsigned h, int seed); /* of floats */
cl_mem image_of(unsigned w, unsigned h, cl_channel_type type);
void pic_free(pic *p);
void pic_show(const char *name, const pic *p); /* all texels, as bytes on stdout */

/* Each gives y the size of x, or less. */
void pic_invert(pic *y, const pic *x);
void pic_half(pic *y, const pic *x);
void pic_sum(pic *z, const pic *x, const pic *y);
void pic_left(pic *y, const pic *x);      /* from one texel to the right */
void pic_listed(pic *y, const pic *x);    /* at gid / size, nearest */
void pic_smooth(pic *y, const pic *x);    /* linear filtering between four texels */
void pic_sampled(pic *y, const pic *x, cl_sampler s);
void pic_sized(pic *y, const pic *x);     /* the size is asked of y */

#endif
