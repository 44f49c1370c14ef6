/* The run time of fused programs. Every host file with a region includes this file and compiles
   all of it; kfusion_calls.h is for the others that call OpenCL. The functions are static; the
   little data that the files of a program share is weak and has a name of its own, so the linker
   keeps one copy of it.

   KFUSION_REGION(name); begins a region and ends it on every way out of the block. In a region,
   launches that are the next ones of a pattern are *noted*: not made, but kept with their
   arguments and range. A complete pattern is made by fewer kernels. Everything else *settles*:
   the noted launches are made, in order, as they were written. Settling is never wrong.

   The environment variable KFUSION: off, trace, check, record. */

#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#if !defined(__GNUC__) || defined(_WIN32)

/* No cleanup attribute: the region is a declaration that does nothing, and nothing is redirected. */
#define KFUSION_REGION(name) struct kfusion_no_region
#define KFUSION_REGION_OUT(name, ...) struct kfusion_no_region
#define KFUSION_REGION_TEMP(name, temporaries, ...) struct kfusion_no_region
#define KFUSION_READS(name, type, member)
#define kfusion_settle() ((void)0)
#define KFUSION_LEAVE(function, ...) function(__VA_ARGS__)

#else

#define KFUSION_LINE_PASTED(line) kfusion_region_of_line_##line
#define KFUSION_LINE(line) KFUSION_LINE_PASTED(line)

#define KFUSION_PRINTF(format, first) __attribute__((__format__(__printf__, format, first)))
#define KFUSION_LIKELY(condition) __builtin_expect(!!(condition), 1)

/* Tests switch protections off, one at a time, to see that each is missed: KFUSION_PROTECTS(NAME)
   is 1, but 0 if -DKFUSION_WITHOUT_NAME is given. */
#define KFUSION_PROTECTS(name) KFUSION_IS_NOT_OFF(KFUSION_WITHOUT_##name)
#define KFUSION_IS_NOT_OFF(value) KFUSION_IS_NOT_OFF_PASTED(value)
#define KFUSION_IS_NOT_OFF_PASTED(value) KFUSION_IS_NOT_OFF_LISTED(KFUSION_OFF_##value)
#define KFUSION_OFF_1 0, 0
#define KFUSION_IS_NOT_OFF_LISTED(values) KFUSION_SECOND(values, 1, 0)
#define KFUSION_SECOND(first, second, ...) second
