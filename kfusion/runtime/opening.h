/* The run time of fused programs. Every host file that calls OpenCL, or has a region, includes
   this file and compiles all of it. The functions are static; the little data that the files of a
   program share is weak and has a name of its own, so the linker keeps one copy of it.

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
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined(__GNUC__) || defined(_WIN32)

/* No cleanup attribute: the region is a declaration that does nothing, and nothing is redirected. */
#define KFUSION_REGION(name) struct kfusion_no_region
#define KFUSION_REGION_OUT(name, ...) struct kfusion_no_region
#define KFUSION_REGION_TEMP(name, temporaries, ...) struct kfusion_no_region
#define kfusion_settle() ((void)0)

#else

#define KFUSION_PASTED(id, name) kfusion_##id##_##name
#define KFUSION_PASTE(id, name) KFUSION_PASTED(id, name)
#define KFUSION_N(name) KFUSION_PASTE(KFUSION_ID, name) /* a name that the linker sees */
#define KFUSION_LINE_PASTED(line) kfusion_region_of_line_##line
#define KFUSION_LINE(line) KFUSION_LINE_PASTED(line)

#define KFUSION_UNUSED __attribute__((__unused__))
#define KFUSION_SHARED __attribute__((__weak__))
#define KFUSION_PRINTF(format, first) __attribute__((__format__(__printf__, format, first)))
#define KFUSION_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define KFUSION_HERE static __inline__ KFUSION_UNUSED /* inline: not there if it is not used */

/* What an old <CL/cl.h> lacks. */
enum {
    kfusion_mem_associated = 0x1107,
    kfusion_mem_offset = 0x1108,
    kfusion_mem_properties = 0x110A,
    kfusion_image_buffer = 0x1117,
    kfusion_context_platform = 0x1084,
    kfusion_context_interop_sync = 0x1085,
    kfusion_mem_pipe = 0x10F7,
    kfusion_queue_not_on_host = 1 << 2
};

KFUSION_HERE int kfusion_is_memory_failure(cl_int status)
{
    return status == CL_OUT_OF_RESOURCES || status == CL_OUT_OF_HOST_MEMORY ||
           status == CL_MEM_OBJECT_ALLOCATION_FAILURE;
}
