"""What is known of functions that are not among the input files: OpenCL and libc."""

from __future__ import annotations

from kfusion.host import libm

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
CREATES = {
    "clCreateBuffer": "buffer",
    "clCreateBufferWithProperties": "buffer",
    "clCreateSubBuffer": "buffer",
    "clCreateImage": "image",
    "clCreateImage2D": "image",
    "clCreateImage3D": "image",
    "clCreateContext": "context",
    "clCreateContextFromType": "context",
    "clCreateCommandQueue": "queue",
    "clCreateCommandQueueWithProperties": "queue",
    "clCreateProgramWithSource": "program",
    "clCreateProgramWithBinary": "program",
    "clCreateProgramWithIL": "program",
    "clCreateSampler": "sampler",
    "clCreateSamplerWithProperties": "sampler",
    "clCreateUserEvent": "event",
    "clCreatePipe": "pipe",
    "clCloneKernel": "kernel",
}
# name -> positions of memory objects read, and written
TRANSFERS: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "clEnqueueReadBuffer": ((1,), ()),
    "clEnqueueWriteBuffer": ((), (1,)),
    "clEnqueueReadBufferRect": ((1,), ()),
    "clEnqueueWriteBufferRect": ((), (1,)),
    "clEnqueueFillBuffer": ((), (1,)),
    "clEnqueueCopyBuffer": ((1,), (2,)),
    "clEnqueueCopyBufferRect": ((1,), (2,)),
    "clEnqueueReadImage": ((1,), ()),
    "clEnqueueWriteImage": ((), (1,)),
    "clEnqueueFillImage": ((), (1,)),
    "clEnqueueCopyImage": ((1,), (2,)),
    "clEnqueueCopyImageToBuffer": ((1,), (2,)),
    "clEnqueueCopyBufferToImage": ((1,), (2,)),
    "clEnqueueMapBuffer": ((1,), (1,)),
    "clEnqueueMapImage": ((1,), (1,)),
    "clEnqueueUnmapMemObject": ((1,), (1,)),
    "clEnqueueMigrateMemObjects": ((), ()),
}
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
    "clFlush clGetPlatformIDs clGetPlatformInfo clGetDeviceIDs clGetDeviceInfo clGetContextInfo "
    "clGetCommandQueueInfo clGetMemObjectInfo clGetImageInfo clGetSamplerInfo clGetProgramInfo "
    "clGetProgramBuildInfo clGetKernelInfo clGetKernelArgInfo clGetKernelWorkGroupInfo "
    "clGetSupportedImageFormats clBuildProgram clCompileProgram clUnloadCompiler "
    "clUnloadPlatformCompiler "
    "clGetExtensionFunctionAddress clGetExtensionFunctionAddressForPlatform".split()
)
# They count: each is made, whatever the order.
RETAINS = frozenset(
    "clRetainContext clRetainCommandQueue clRetainMemObject clRetainSampler clRetainProgram "
    "clRetainKernel clRetainDevice".split()
)
RELEASES = frozenset(
    "clReleaseContext clReleaseCommandQueue clReleaseMemObject clReleaseSampler "
    "clReleaseProgram clReleaseKernel clReleaseEvent clReleaseDevice clRetainEvent".split()
)
