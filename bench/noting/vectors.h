#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

int set_up(const char *text);
cl_mem vector(void);
int scale(cl_mem c, cl_mem a, float f);
int add(cl_mem c, cl_mem a, cl_mem b);
