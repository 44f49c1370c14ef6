/* The calls of OpenCL in a file without a region, in a program with regions in others: in the
   files that have them, kfusion_fused.h enters its own functions in a table, and those are called
   here. If no such file is linked, all calls are made as they were written. */

#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif
#include <stddef.h>

#if !defined(__GNUC__) || defined(_WIN32)
#define KFUSION_READS(name, type, member)
#else
