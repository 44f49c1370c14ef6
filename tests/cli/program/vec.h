/* Vectors on the device. */
#ifndef VEC_H
#define VEC_H

#include <CL/cl.h>

cl_int vec_init(cl_context context, cl_device_id device, const char *source);
cl_int vec_scale(cl_mem y, cl_mem x, cl_float factor, size_t n);
cl_int vec_add(cl_mem c, cl_mem a, cl_mem b, size_t n);
size_t vec_bytes(size_t n);

#endif
