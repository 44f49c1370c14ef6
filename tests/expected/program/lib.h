/* Launches by the kernel's name, which no execution of this code predicts. */
#ifndef LIB_H
#define LIB_H
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

void start(void);
void stop(void);
cl_mem buffer(int seed);
cl_mem scratch(void);
void fetch(cl_mem mem);
void show(const char *name, cl_mem mem);

/* The kernel's buffers, then NULL. */
void launch(const char *kernel, ...);
void launch_last(const char *kernel, ...);

#ifdef __cplusplus
}
#endif
#endif
