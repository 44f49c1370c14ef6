/* OpenCL as a program sees it: with the run time, or (PLAIN) without; or (APART) the file has no
   region, for that is in region.c. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#ifdef PLAIN
#define KFUSION_REGION(name)
#elif defined APART
#include "kfusion_calls.h"
#else
#include "kfusion_fused.h"
#endif

void standin_mark(const char *text);
