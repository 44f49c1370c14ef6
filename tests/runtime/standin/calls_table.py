"""Each function of `CL/cl.h`, called inside a region in which one launch is noted.

`first` (t = 2 * a + 1) is noted when the call comes; with `second` (c = t * b) it would be fused.
The statements use the objects that `calls_program.c` prepares: `u` and `image` are memory
that no noted launch touches; `sub_t` is a part of `t`. An object that a statement creates or
retains goes to `new_...`, from where the program releases it. Released handles become NULL.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Does(Enum):
    """What the call does to the noted launch."""

    PASS = "the noted launch is made after the call"
    SETTLE = "the noted launch is made before the call"
    SETTLE_BEHIND = "the call fails, and the noted launch is made then"
    JOIN = "the call is a launch, and is made together with the noted one"


@dataclass(frozen=True, slots=True)
class Case:
    function: str
    does: Does
    code: str
    variant: str = ""
    status: int = 0  # what the call returns
    before: str = ""  # run before the region begins

    @property
    def name(self) -> str:
        return f"{self.function}_{self.variant}" if self.variant else self.function


def passes(function: str, code: str, variant: str = "", status: int = 0, before: str = "") -> Case:
    return Case(function, Does.PASS, code, variant, status, before)


def settles(function: str, code: str, variant: str = "", status: int = 0, before: str = "") -> Case:
    return Case(function, Does.SETTLE, code, variant, status, before)


def created(function: str, kind: str, arguments: str, variant: str = "") -> Case:
    return passes(function, f"new_{kind} = {function}({arguments}, &status);", variant)


def asked(function: str, handle: str, name: str) -> Case:
    return passes(function, f"status = {function}({handle}, {name}, sizeof room, room, NULL);")


def counted(function: str, handle: str, name: str) -> Case:
    code = f"status = {function}({handle}, {name}, sizeof room, room, NULL);"
    return settles(function, code, "reference_count")


NONE = "0, NULL, NULL"
EVENT = "0, NULL, &new_event"
WAIT = "1, &event, NULL"

CREATED = (
    created("clCreateContext", "context", "NULL, 1, &device, NULL, NULL"),
    created("clCreateContextFromType", "context", "NULL, CL_DEVICE_TYPE_CPU, NULL, NULL"),
    created("clCreateCommandQueue", "queue", "context, device, 0"),
    created("clCreateCommandQueueWithProperties", "queue", "context, device, NULL"),
    created("clCreateBuffer", "mem", "context, CL_MEM_READ_WRITE, 64, NULL"),
    created("clCreateBuffer", "mem", "context, CL_MEM_COPY_HOST_PTR, 64, host", "copying"),
    created("clCreateBufferWithProperties", "mem", "context, NULL, CL_MEM_READ_WRITE, 64, NULL"),
    created("clCreateSubBuffer", "mem", "u, 0, CL_BUFFER_CREATE_TYPE_REGION, &part"),
    created("clCreateSubBuffer", "mem", "t, 0, CL_BUFFER_CREATE_TYPE_REGION, &part", "touched"),
    created("clCreateImage", "mem", "context, CL_MEM_READ_WRITE, &format, &shape, NULL"),
    created(
        "clCreateImageWithProperties",
        "mem",
        "context, NULL, CL_MEM_READ_WRITE, &format, &shape, NULL",
    ),
    created("clCreateImage2D", "mem", "context, CL_MEM_READ_WRITE, &format, 4, 4, 0, NULL"),
    created("clCreateImage3D", "mem", "context, CL_MEM_READ_WRITE, &format, 4, 4, 2, 0, 0, NULL"),
    created("clCreatePipe", "mem", "context, 0, 4, 4, NULL"),
    created("clCreateSampler", "sampler", "context, 0, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST"),
    created("clCreateSamplerWithProperties", "sampler", "context, NULL"),
    created("clCreateProgramWithSource", "program", "context, 1, &source, NULL"),
    created(
        "clCreateProgramWithBinary",
        "program",
        "context, 1, &device, &source_size, &source_bytes, NULL",
    ),
    created(
        "clCreateProgramWithBuiltInKernels", "program", 'context, 1, &device, "standin_nothing"'
    ),
    created("clCreateProgramWithIL", "program", "context, source, source_size"),
    created("clCreateKernel", "kernel", 'program, "other"'),
    created("clCloneKernel", "kernel", "other"),
    created("clCloneKernel", "kernel", "first", "noted"),
    passes(
        "clCreateKernelsInProgram",
        "status = clCreateKernelsInProgram(single, 1, &new_kernel, NULL);",
    ),
    created("clCreateUserEvent", "event", "context"),
    passes(
        "clCreateSubDevices",
        "status = clCreateSubDevices(device, halves, 2, new_devices, NULL);",
    ),
)

RETAINED = tuple(
    passes(f"clRetain{name}", f"status = clRetain{name}({handle}); new_{kind} = {handle};", variant)
    for name, kind, handle, variant in (
        ("Context", "context", "context", ""),
        ("CommandQueue", "queue", "queue", ""),
        ("MemObject", "mem", "u", ""),
        ("MemObject", "mem", "t", "touched"),
        ("Sampler", "sampler", "sampler", ""),
        ("Program", "program", "program", ""),
        ("Kernel", "kernel", "first", ""),
        ("Event", "event", "event", ""),
    )
)

RELEASED = (
    passes("clRetainDevice", "status = clRetainDevice(half); extra_half = half;"),
    passes("clReleaseDevice", "status = clReleaseDevice(half); half = NULL;"),
    passes(
        "clReleaseContext",
        "status = clReleaseContext(context);",
        before="clRetainContext(context);",
    ),
    passes("clReleaseCommandQueue", "status = clReleaseCommandQueue(behind); behind = NULL;"),
    passes(
        "clReleaseCommandQueue",
        "status = clReleaseCommandQueue(queue);",
        "same",
        before="clRetainCommandQueue(queue);",
    ),
    passes("clReleaseMemObject", "status = clReleaseMemObject(u); u = NULL;"),
    passes("clReleaseMemObject", "status = clReleaseMemObject(a); a = NULL;", "touched"),
    passes("clReleaseMemObject", "status = clReleaseMemObject(sub_t); sub_t = NULL;", "part"),
    settles(
        "clReleaseMemObject",
        "status = clReleaseMemObject(u); u = NULL;",
        "with_callback",
        before="clSetMemObjectDestructorCallback(u, mem_gone, NULL);",
    ),
    passes("clReleaseSampler", "status = clReleaseSampler(sampler); sampler = NULL;"),
    passes("clReleaseProgram", "status = clReleaseProgram(program); program = NULL;"),
    settles(
        "clReleaseProgram",
        "status = clReleaseProgram(single); single = NULL;",
        "with_callback",
        before="clSetProgramReleaseCallback(single, program_gone, NULL);",
    ),
    settles(
        "clReleaseContext",
        "status = clReleaseContext(context);",
        "with_callback",
        before="clRetainContext(context); clSetContextDestructorCallback(context, context_gone, "
        "NULL);",
    ),
    passes("clReleaseKernel", "status = clReleaseKernel(other); other = NULL;"),
    passes("clReleaseKernel", "status = clReleaseKernel(first); first = NULL;", "noted"),
    passes("clReleaseEvent", "status = clReleaseEvent(event); event = NULL;"),
)

ASKED = (
    passes("clGetPlatformIDs", "status = clGetPlatformIDs(1, &platform, NULL);"),
    asked("clGetPlatformInfo", "platform", "CL_PLATFORM_NAME"),
    passes(
        "clGetDeviceIDs", "status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);"
    ),
    asked("clGetDeviceInfo", "device", "CL_DEVICE_NAME"),
    asked("clGetContextInfo", "context", "CL_CONTEXT_DEVICES"),
    asked("clGetCommandQueueInfo", "queue", "CL_QUEUE_PROPERTIES"),
    asked("clGetMemObjectInfo", "t", "CL_MEM_SIZE"),
    asked("clGetImageInfo", "image", "CL_IMAGE_WIDTH"),
    asked("clGetPipeInfo", "pipe_of_4", "CL_PIPE_PACKET_SIZE"),
    asked("clGetSamplerInfo", "sampler", "CL_SAMPLER_FILTER_MODE"),
    asked("clGetProgramInfo", "program", "CL_PROGRAM_SOURCE"),
    asked("clGetProgramBuildInfo", "program, device", "CL_PROGRAM_BUILD_STATUS"),
    asked("clGetKernelInfo", "first", "CL_KERNEL_FUNCTION_NAME"),
    asked("clGetKernelArgInfo", "first, 0", "CL_KERNEL_ARG_NAME"),
    asked("clGetKernelWorkGroupInfo", "first, device", "CL_KERNEL_WORK_GROUP_SIZE"),
    passes(
        "clGetKernelSubGroupInfo",
        "status = clGetKernelSubGroupInfo(first, device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, "
        "sizeof room, room, NULL);",
    ),
    passes(
        "clGetSupportedImageFormats",
        "status = clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count);",
    ),
    passes("clGetHostTimer", "status = clGetHostTimer(device, &time_stamp);"),
    passes(
        "clGetDeviceAndHostTimer",
        "status = clGetDeviceAndHostTimer(device, &time_stamp, &time_stamp);",
    ),
    # What is known of an event changes with time: in doubt, the launches are made.
    settles(
        "clGetEventInfo",
        "status = clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof room, room, NULL);",
    ),
    settles(
        "clGetEventProfilingInfo",
        "status = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof room, room, "
        "NULL);",
    ),
    counted("clGetDeviceInfo", "half", "CL_DEVICE_REFERENCE_COUNT"),
    counted("clGetContextInfo", "context", "CL_CONTEXT_REFERENCE_COUNT"),
    counted("clGetCommandQueueInfo", "queue", "CL_QUEUE_REFERENCE_COUNT"),
    counted("clGetMemObjectInfo", "t", "CL_MEM_REFERENCE_COUNT"),
    counted("clGetSamplerInfo", "sampler", "CL_SAMPLER_REFERENCE_COUNT"),
    counted("clGetProgramInfo", "program", "CL_PROGRAM_REFERENCE_COUNT"),
    counted("clGetKernelInfo", "first", "CL_KERNEL_REFERENCE_COUNT"),
    counted("clGetEventInfo", "event", "CL_EVENT_REFERENCE_COUNT"),
    settles(
        "clGetExtensionFunctionAddress",
        'status = clGetExtensionFunctionAddress("clNothing") != NULL;',
    ),
    settles(
        "clGetExtensionFunctionAddressForPlatform",
        'status = clGetExtensionFunctionAddressForPlatform(platform, "clNothing") != NULL;',
    ),
)

EXEC_INFO = "clSetKernelExecInfo({}, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof shared, &shared);"

SET = (
    passes("clSetKernelArg", "status = clSetKernelArg(other, 0, sizeof u, &u);"),
    passes("clSetKernelArg", "status = clSetKernelArg(first, 1, sizeof u, &u);", "noted"),
    Case(
        "clSetKernelArg",
        Does.SETTLE_BEHIND,
        "status = clSetKernelArg(first, 9, sizeof u, &u);",
        "wrong",
        -49,
    ),
    passes("clSetKernelArgSVMPointer", "status = clSetKernelArgSVMPointer(other, 0, shared);"),
    # From here on, launches of the kernel are not noted: see LAUNCHED.
    settles("clSetKernelExecInfo", f"status = {EXEC_INFO.format('other')}"),
    settles("clSetKernelExecInfo", f"status = {EXEC_INFO.format('first')}", "noted"),
    settles(
        "clSetContextDestructorCallback",
        "status = clSetContextDestructorCallback(context, context_gone, NULL);",
    ),
    settles(
        "clSetMemObjectDestructorCallback",
        "status = clSetMemObjectDestructorCallback(u, mem_gone, NULL);",
    ),
    settles(
        "clSetProgramReleaseCallback",
        "status = clSetProgramReleaseCallback(single, program_gone, NULL);",
    ),
    settles(
        "clSetEventCallback", "status = clSetEventCallback(event, CL_COMPLETE, event_done, NULL);"
    ),
    settles("clSetUserEventStatus", "status = clSetUserEventStatus(user_event, CL_COMPLETE);"),
    settles(
        "clSetDefaultDeviceCommandQueue",
        "status = clSetDefaultDeviceCommandQueue(context, device, behind);",
    ),
    settles(
        "clSetCommandQueueProperty",
        "status = clSetCommandQueueProperty(behind, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, NULL);",
    ),
    settles(
        "clSetProgramSpecializationConstant",
        "status = clSetProgramSpecializationConstant(il_program, 0, 4, &four);",
    ),
)

PROGRAMS = (
    settles("clBuildProgram", 'status = clBuildProgram(single, 1, &device, "", NULL, NULL);'),
    settles(
        "clCompileProgram",
        'status = clCompileProgram(single, 1, &device, "", 0, NULL, NULL, NULL, NULL);',
    ),
    settles(
        "clLinkProgram",
        'new_program = clLinkProgram(context, 1, &device, "", 1, &single, NULL, NULL, &status);',
    ),
    settles("clUnloadPlatformCompiler", "status = clUnloadPlatformCompiler(platform);"),
    settles("clUnloadCompiler", "status = clUnloadCompiler();"),
)


def written(does: Does, variant: str, mem: str, queue: str, waits: str) -> tuple[Case, ...]:
    """The commands that write to a buffer."""
    return tuple(
        Case(function, does, f"status = {function}({queue}, {mem}, {rest}, {waits});", variant)
        for function, rest in (
            ("clEnqueueWriteBuffer", "CL_FALSE, 0, 16, host"),
            (
                "clEnqueueWriteBufferRect",
                "CL_FALSE, origin, origin, row_of_16, 0, 0, 0, 0, host",
            ),
            ("clEnqueueFillBuffer", "&four, 4, 0, 16"),
        )
    )


def written_image(does: Does, variant: str, mem: str, queue: str, waits: str) -> tuple[Case, ...]:
    return tuple(
        Case(function, does, f"status = {function}({queue}, {mem}, {rest}, {waits});", variant)
        for function, rest in (
            ("clEnqueueWriteImage", "CL_FALSE, origin, texel, 0, 0, host"),
            ("clEnqueueFillImage", "host, origin, texel"),
        )
    )


WRITTEN = (
    *written(Does.PASS, "", "u", "queue", NONE),
    *written(Does.SETTLE, "read", "a", "queue", NONE),
    *written(Does.SETTLE, "touched", "t", "queue", NONE),
    *written(Does.SETTLE, "part", "sub_t", "queue", NONE),
    *written(Does.SETTLE, "with_event", "u", "queue", EVENT),
    *written(Does.SETTLE, "behind_event", "u", "queue", WAIT),
    *written(Does.SETTLE, "other_queue", "u", "behind", NONE),
    *written_image(Does.PASS, "", "image", "queue", NONE),
    *written_image(Does.SETTLE, "over_touched", "image_t", "queue", NONE),
    *written_image(Does.SETTLE, "with_event", "image", "queue", EVENT),
    *written_image(Does.SETTLE, "behind_event", "image", "queue", WAIT),
    *written_image(Does.SETTLE, "other_queue", "image", "behind", NONE),
    passes(
        "clEnqueueWriteBuffer",
        f"status = clEnqueueWriteBuffer(queue, u, CL_TRUE, 0, 16, host, {NONE});",
        "blocking",
    ),
    # The new buffer must not have the address of one that a noted launch names.
    passes(
        "clEnqueueWriteBuffer",
        "clReleaseMemObject(a); a = NULL; new_mem = clCreateBuffer(context, 0, 64, NULL, NULL); "
        f"status = clEnqueueWriteBuffer(queue, new_mem, CL_FALSE, 0, 16, host, {NONE});",
        "new_memory",
    ),
    settles(
        "clEnqueueWriteBuffer",
        "new_mem = clCreateSubBuffer(t, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, NULL); "
        f"status = clEnqueueWriteBuffer(queue, new_mem, CL_FALSE, 0, 16, host, {NONE});",
        "new_part",
    ),
)


def commands(*rows: tuple[str, str]) -> tuple[Case, ...]:
    return tuple(
        settles(name, f"status = {name}({arguments}, {NONE});") for name, arguments in rows
    )


MOVED = (
    *commands(
        ("clEnqueueReadBuffer", "queue, u, CL_FALSE, 0, 16, host"),
        (
            "clEnqueueReadBufferRect",
            "queue, u, CL_FALSE, origin, origin, row_of_16, 0, 0, 0, 0, host",
        ),
        ("clEnqueueCopyBuffer", "queue, u, v, 0, 0, 16"),
        ("clEnqueueCopyBufferRect", "queue, u, v, origin, origin, row_of_16, 0, 0, 0, 0"),
        ("clEnqueueReadImage", "queue, image, CL_FALSE, origin, texel, 0, 0, host"),
        ("clEnqueueCopyImage", "queue, image, image_t, origin, origin, texel"),
        ("clEnqueueCopyImageToBuffer", "queue, image, u, origin, texel, 0"),
        ("clEnqueueCopyBufferToImage", "queue, u, image, 0, origin, texel"),
        ("clEnqueueUnmapMemObject", "queue, v, mapped_v"),
        ("clEnqueueMigrateMemObjects", "queue, 1, &u, 0"),
        ("clEnqueueNativeKernel", "queue, native, NULL, 0, 0, NULL, NULL"),
        ("clEnqueueSVMFree", "queue, 1, shared_list, keep_shared, NULL"),
        ("clEnqueueSVMMemcpy", "queue, CL_FALSE, shared, host, 16"),
        ("clEnqueueSVMMemFill", "queue, shared, &four, 4, 16"),
        ("clEnqueueSVMMap", "queue, CL_TRUE, CL_MAP_WRITE, shared, 16"),
        ("clEnqueueSVMUnmap", "queue, shared"),
        ("clEnqueueSVMMigrateMem", "queue, 1, (const void **)shared_list, NULL, 0"),
    ),
    settles(
        "clEnqueueMapBuffer",
        "void *at = clEnqueueMapBuffer(queue, u, CL_TRUE, CL_MAP_READ, 0, 16, 0, NULL, NULL, "
        "&status); clEnqueueUnmapMemObject(queue, u, at, 0, NULL, NULL);",
    ),
    settles(
        "clEnqueueMapImage",
        "void *at = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, origin, texel, &pitch, "
        "NULL, 0, NULL, NULL, &status); clEnqueueUnmapMemObject(queue, image, at, 0, NULL, NULL);",
    ),
    settles("clSVMAlloc", "void *at = clSVMAlloc(context, 0, 64, 0); clSVMFree(context, at);"),
    settles("clSVMFree", "clSVMFree(context, shared); shared = NULL;"),
)

ORDERED = (
    passes("clFlush", "status = clFlush(queue);"),
    passes("clFlush", "status = clFlush(behind);", "other_queue"),
    passes("clFinish", "status = clFinish(queue);"),
    settles("clFinish", "status = clFinish(behind);", "other_queue"),
    passes("clEnqueueBarrier", "status = clEnqueueBarrier(queue);"),
    settles("clEnqueueMarker", "status = clEnqueueMarker(queue, &new_event);"),
    settles("clEnqueueWaitForEvents", "status = clEnqueueWaitForEvents(queue, 1, &event);"),
    settles("clWaitForEvents", "status = clWaitForEvents(1, &event);"),
    *(
        Case(function, does, f"status = {function}(queue, {waits});", variant)
        for function in ("clEnqueueMarkerWithWaitList", "clEnqueueBarrierWithWaitList")
        for does, variant, waits in (
            (Does.PASS, "", NONE),
            (Does.SETTLE, "with_event", EVENT),
            (Does.SETTLE, "behind_event", WAIT),
        )
    ),
)

LAUNCH = "clEnqueueNDRangeKernel"
SECOND = "set_second(); status = clEnqueueNDRangeKernel(queue, second, 1, NULL, &items, NULL, "
LAST = "status = clEnqueueNDRangeKernel(queue, second, 1, NULL, &items, NULL, 0, NULL, NULL);"
C_IS = "clSetKernelArg(second, 0, sizeof {0}, &{0});"

LAUNCHED = (
    Case(LAUNCH, Does.JOIN, f"{SECOND}{NONE});"),
    settles(LAUNCH, f"{SECOND}{EVENT});", "with_event"),
    settles(LAUNCH, f"{SECOND}{WAIT});", "behind_event"),
    settles(LAUNCH, f"{SECOND.replace('(queue', '(behind')}{NONE});", "other_queue"),
    settles(LAUNCH, f"{SECOND.replace('(queue', '(unordered')}{NONE});", "unordered_queue"),
    settles(LAUNCH, f"{SECOND.replace('&items', '&fewer_items')}{NONE});", "other_range"),
    settles(LAUNCH, f"{SECOND.replace('NULL, &items', '&fewer_items, &items')}{NONE});", "offset"),
    settles(LAUNCH, f"{SECOND.replace('1, NULL', '4, NULL')}{NONE});", "wrong", -53),
    settles(
        LAUNCH,
        "set_second(); clSetKernelArg(second, 1, sizeof u, &u); status = clEnqueueNDRangeKernel("
        f"queue, second, 1, NULL, &items, NULL, {NONE});",
        "other_memory",
    ),
    settles(
        LAUNCH,
        "set_other(); status = clEnqueueNDRangeKernel(queue, other, 1, NULL, &items, NULL, "
        f"{NONE});",
        "other_kernel",
    ),
    settles(
        LAUNCH,
        "status = clEnqueueNDRangeKernel(queue, second, 1, NULL, &items, NULL, 0, NULL, NULL);",
        "argument_missing",
        -52,
    ),
    settles(LAUNCH, f"set_second(); {EXEC_INFO.format('second')} {LAST}", "exec_info"),
    settles(LAUNCH, f"set_second(); clSetKernelArgSVMPointer(second, 2, shared); {LAST}", "shared"),
    settles(LAUNCH, f"set_second(); {C_IS.format('over_host')} {LAST}", "host_memory"),
    settles(LAUNCH, f"set_second(); {C_IS.format('part_of_host')} {LAST}", "part_of_host_memory"),
    settles(LAUNCH, f"set_second(); {C_IS.format('v')} {LAST}", "mapped"),
    settles(
        LAUNCH,
        f"set_second(); {LAST.replace('NULL, 0', '&four_items, 0')}",
        "other_groups",
    ),
    settles(LAUNCH, LAST, "arguments_set_before", before="set_second();"),
    settles(
        LAUNCH,
        "set_second(); new_kernel = clCloneKernel(second, NULL); "
        f"{LAST.replace('second', 'new_kernel')}",
        "clone",
    ),
    settles(
        LAUNCH,
        f"set_second(); {LAST.replace('NULL, 0', '&too_many_items, 0')}",
        "group_too_large",
        -55,
    ),
    settles("clEnqueueTask", f"set_other(); status = clEnqueueTask(queue, other, {NONE});"),
)

CASES = (
    *CREATED,
    *RETAINED,
    *RELEASED,
    *ASKED,
    *SET,
    *PROGRAMS,
    *WRITTEN,
    *MOVED,
    *ORDERED,
    *LAUNCHED,
)
