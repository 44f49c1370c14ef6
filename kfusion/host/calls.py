"""What is known of functions that are not among the input files: OpenCL and libc."""

from __future__ import annotations

import re

from kfusion.host import libm
from kfusion.host.known import OPENCL

# They depend on their arguments alone.
PURE = libm.PURE | frozenset("abs labs llabs toupper tolower isdigit isalpha isspace".split())
ALLOCATES = frozenset("malloc calloc realloc strdup aligned_alloc".split())
# Functions of the C library that write through a pointer: which arguments.
WRITES: dict[str, tuple[int, ...]] = {
    **dict.fromkeys("memset memcpy memmove strcpy strncpy strcat strncat".split(), (0,)),
    **dict.fromkeys("sprintf snprintf vsnprintf fgets fread strftime".split(), (0,)),
    **dict.fromkeys("posix_memalign time gettimeofday".split(), (0,)),
    **dict.fromkeys("strtol strtoul strtod clock_gettime".split(), (1,)),
    **dict.fromkeys("fscanf sscanf".split(), tuple(range(2, 32))),
    **libm.WRITES,
}
LAUNCHES = frozenset(["clEnqueueNDRangeKernel", "clEnqueueTask"])
_CREATING = re.compile(
    r"cl(?:Create(?:Sub|Command|User)?|Clone)"
    r"(Buffer|Image|Context|Queue|Program|Sampler|Event|Pipe|Kernel)(?:With\w+|FromType|[23]D)?"
)
CREATES = {name: found[1].lower() for name in OPENCL if (found := _CREATING.fullmatch(name))}
# Positions of memory objects that are read, and written.
_MOVED: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "Read": ((1,), ()),
    **dict.fromkeys(("Write", "Fill"), ((), (1,))),
    "Copy": ((1,), (2,)),
    **dict.fromkeys(("Map", "Unmap"), ((1,), (1,))),
    "Migrate": ((), ()),
}
_MOVING = re.compile(r"clEnqueue([A-Z][a-z]+)(?:Buffer|Image|Mem)\w*")
TRANSFERS = {name: _MOVED[found[1]] for name in OPENCL if (found := _MOVING.fullmatch(name))}
SYNCHRONISES = frozenset(
    "clFinish clWaitForEvents clEnqueueBarrier clEnqueueBarrierWithWaitList clEnqueueMarker "
    "clEnqueueMarkerWithWaitList clEnqueueWaitForEvents "
    "clEnqueueSVMMap clEnqueueSVMUnmap clEnqueueSVMMemcpy clEnqueueSVMMemFill "
    "clSetUserEventStatus".split()
)
# What they are given may be used by functions that the runtime calls later.
REGISTERS = frozenset(
    "clSetEventCallback clEnqueueNativeKernel clSetMemObjectDestructorCallback "
    "clSetContextDestructorCallback".split()
)
# A flush, and queries of what does not change: no order to keep with launches.
NEUTRAL = frozenset(
    [
        *(n for n in OPENCL if re.match(r"cl(?:Get(?!Event)|Unload|Flush|BuildP|CompileP)", n)),
        *("clGetExtensionFunctionAddress", "clGetExtensionFunctionAddressForPlatform"),
    ]
)
# They count: each is made, whatever the order.
RETAINS = frozenset(name for name in OPENCL if name.startswith("clRetain"))
RELEASES = frozenset(name for name in OPENCL if name.startswith("clRelease"))
