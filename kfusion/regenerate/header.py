"""The generated header: prototypes, and what fused functions call at run time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

HEADER_NAME = "kfusion_fused.h"
FILE_NUMBER = "KFUSION_FILE"

_RUNTIME = r"""
#ifdef CL_VERSION_1_0 /* only library files, which know OpenCL, need the rest */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__GNUC__)
#define KFUSION_MAYBE_UNUSED __attribute__((unused))
#else
#define KFUSION_MAYBE_UNUSED
#endif
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L && !defined(__STDC_NO_THREADS__)
#define KFUSION_THREAD_LOCAL _Thread_local
#else
#define KFUSION_THREAD_LOCAL /* not re-entrant: call the library from one thread */
#endif

/* A fused kernel, made when it is first needed from the program of its components. */
struct kfusion_kernel {
    const char *name;
    cl_kernel kernel;
    cl_program program;          /* that the kernel was made from */
    struct kfusion_kernel *next; /* all kernels that were made, to be released together */
    int told;                    /* a fall-back was reported */
};

#define KFUSION_KERNEL(variable, name) \
    KFUSION_THREAD_LOCAL struct kfusion_kernel variable = {name, NULL, NULL, NULL, 0}

static KFUSION_THREAD_LOCAL struct kfusion_kernel *kfusion_made KFUSION_MAYBE_UNUSED;

/* Release all fused kernels; they are made again when they are needed again. */
static KFUSION_MAYBE_UNUSED void kfusion_release_kernels(void)
{
    for (; kfusion_made != NULL; kfusion_made = kfusion_made->next) {
        clReleaseKernel(kfusion_made->kernel);
        clReleaseProgram(kfusion_made->program);
        kfusion_made->kernel = NULL;
        kfusion_made->program = NULL;
    }
}

/* Make the kernel from `program`, or remake it if it was made from another. */
static KFUSION_MAYBE_UNUSED int kfusion_make(struct kfusion_kernel *fused, cl_program program)
{
    if (fused->kernel != NULL && fused->program == program)
        return 1;
    if (fused->kernel != NULL) {
        clReleaseKernel(fused->kernel);
        clReleaseProgram(fused->program);
    } else {
        fused->next = kfusion_made;
        kfusion_made = fused;
    }
    /* The cached program is retained: no other program can get its address. */
    fused->program = program;
    clRetainProgram(program);
    fused->kernel = clCreateKernel(program, fused->name, NULL);
    if (fused->kernel != NULL)
        return 1;
    clReleaseProgram(program);
    fused->program = NULL;
    if (kfusion_made == fused) {
        kfusion_made = fused->next;
    } else {
        struct kfusion_kernel *before = kfusion_made;
        while (before->next != fused)
            before = before->next;
        before->next = fused->next;
    }
    return 0;
}

/* The fused kernel, or NULL if it cannot be had or cannot run in groups of `local` items. */
static KFUSION_MAYBE_UNUSED cl_kernel kfusion_kernel(struct kfusion_kernel *fused,
                                                     cl_kernel component,
                                                     cl_command_queue queue, size_t local)
{
    cl_program program = NULL;
    cl_device_id device = NULL;
    size_t most = 0;

    if (component == NULL
        || clGetKernelInfo(component, CL_KERNEL_PROGRAM, sizeof program, &program, NULL)
               != CL_SUCCESS
        || !kfusion_make(fused, program))
        return NULL;
    if (local == 0)
        return fused->kernel;
    if (clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL) != CL_SUCCESS
        || clGetKernelWorkGroupInfo(fused->kernel, device, CL_KERNEL_WORK_GROUP_SIZE,
                                    sizeof most, &most, NULL) != CL_SUCCESS
        || local > most)
        return NULL;
    return fused->kernel;
}

/* Whether two kernels are of one program. */
static KFUSION_MAYBE_UNUSED int kfusion_same_program(cl_kernel a, cl_kernel b)
{
    cl_program program_a = NULL, program_b = NULL;

    return a != NULL && b != NULL
           && clGetKernelInfo(a, CL_KERNEL_PROGRAM, sizeof program_a, &program_a, NULL)
                  == CL_SUCCESS
           && clGetKernelInfo(b, CL_KERNEL_PROGRAM, sizeof program_b, &program_b, NULL)
                  == CL_SUCCESS
           && program_a == program_b;
}

/* With KFUSION_TRACE=1 in the environment, say something once. */
static KFUSION_MAYBE_UNUSED void kfusion_tell(const char *name, const char *what, int *told)
{
    const char *trace = getenv("KFUSION_TRACE");

    if (trace != NULL && trace[0] == '1' && !*told)
        fprintf(stderr, "kfusion: %s: %s\n", name, what);
    *told = 1;
}

/* The original calls are made. */
static KFUSION_MAYBE_UNUSED void kfusion_fall_back(struct kfusion_kernel *fused)
{
    kfusion_tell(fused->name, "the original kernels run", &fused->told);
}

/* The calls of a region are made as they were written. */
static KFUSION_MAYBE_UNUSED int kfusion_in_order(const char *name, int *told)
{
    kfusion_tell(name, "no: the calls stay in their order", told);
    return 0;
}

#define KFUSION_MOST 544 /* memory objects that one kernel is given */

/* The bytes that a memory object stands for: of which other one, and of host memory. */
struct kfusion_bytes {
    cl_mem object, whole;
    size_t from, to;
    char *host, *end;
};

/* Ask OpenCL. One that is not made yet has no bytes; one that it knows nothing of: 0. */
static KFUSION_MAYBE_UNUSED int kfusion_bytes_of(cl_mem m, struct kfusion_bytes *bytes)
{
    cl_mem parent = NULL;
    cl_mem_object_type type = CL_MEM_OBJECT_BUFFER;
    cl_mem_flags flags = 0;
    void *pointer = NULL;
    size_t size = 0, offset = 0;

    bytes->object = bytes->whole = m;
    bytes->from = bytes->to = 0;
    bytes->host = bytes->end = NULL;
    if (m == NULL)
        return 1;
    if (clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof size, &size, NULL) != CL_SUCCESS
        || clGetMemObjectInfo(m, CL_MEM_FLAGS, sizeof flags, &flags, NULL) != CL_SUCCESS
        || clGetMemObjectInfo(m, CL_MEM_HOST_PTR, sizeof pointer, &pointer, NULL) != CL_SUCCESS)
        return 0;
    bytes->to = size;
    for (;; bytes->whole = parent) {
        if (clGetMemObjectInfo(bytes->whole, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent,
                               NULL) != CL_SUCCESS)
            return 0;
        if (parent == NULL)
            break;
        if (clGetMemObjectInfo(bytes->whole, CL_MEM_TYPE, sizeof type, &type, NULL) != CL_SUCCESS
            || (type == CL_MEM_OBJECT_BUFFER
                && clGetMemObjectInfo(bytes->whole, CL_MEM_OFFSET, sizeof offset, &offset, NULL)
                       != CL_SUCCESS))
            return 0;
        if (type == CL_MEM_OBJECT_BUFFER) {
            bytes->from += offset;
            bytes->to += offset;
        } else if (clGetMemObjectInfo(parent, CL_MEM_SIZE, sizeof bytes->to, &bytes->to, NULL)
                   != CL_SUCCESS) {
            return 0;
        } else {
            bytes->from = 0; /* an image may lie anywhere in its buffer */
        }
    }
    if ((flags & CL_MEM_USE_HOST_PTR) && pointer != NULL) {
        bytes->host = (char *)pointer;
        bytes->end = bytes->host + size;
    }
    return 1;
}

/* Whether two memory objects may share a byte. */
static KFUSION_MAYBE_UNUSED int kfusion_overlap(const struct kfusion_bytes *a,
                                                const struct kfusion_bytes *b)
{
    if (a->object == NULL || b->object == NULL)
        return 0;
    if (a->object == b->object
        || (a->whole == b->whole && a->from < b->to && b->from < a->to))
        return 1;
    return a->host != NULL && b->host != NULL && a->host < b->end && b->host < a->end;
}

/*
 * Whether the first `written` of `count` memory objects are apart from all others.
 * They are given by the places that hold them: two calls on one object share the place.
 */
static KFUSION_MAYBE_UNUSED int kfusion_apart(int written, int count, ...)
{
    const cl_mem *places[KFUSION_MOST];
    struct kfusion_bytes bytes[KFUSION_MOST];
    int i, j, known = count <= KFUSION_MOST;
    va_list list;

    va_start(list, count);
    for (i = 0; known && i < count; i++) {
        places[i] = va_arg(list, const cl_mem *);
        known = kfusion_bytes_of(*places[i], &bytes[i]);
    }
    va_end(list);
    for (i = 0; known && i < written; i++)
        for (j = i + 1; j < count; j++)
            if (places[i] == places[j] || kfusion_overlap(&bytes[i], &bytes[j]))
                return 0;
    return known;
}
"""
_SEVERAL = r"""
#define KFUSION_GROUP 128 /* items, where the library leaves it to OpenCL */

/*
 * Launch a kernel of which one item does the work of `elements`. Its argument `last` is how
 * many items there would be otherwise.
 */
static KFUSION_MAYBE_UNUSED cl_int kfusion_launch(cl_uint elements, cl_uint last,
                                                  cl_command_queue queue, cl_kernel kernel,
                                                  cl_uint dimensions, const size_t *offset,
                                                  const size_t *global, const size_t *local,
                                                  cl_uint count, const cl_event *events,
                                                  cl_event *event)
{
    const cl_ulong items = *global;
    const size_t group = local != NULL ? *local : KFUSION_GROUP;
    const size_t each = elements * group;
    const size_t fewer = *global / each * group + (*global % each != 0 ? group : 0);
    cl_int status = clSetKernelArg(kernel, last, sizeof items, &items);

    if (status != CL_SUCCESS)
        return status;
    return clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, &fewer, &group, count, events,
                                  event);
}
"""
_IMAGES = r"""
static KFUSION_MAYBE_UNUSED int kfusion_image_size(cl_mem image, cl_image_info which)
{
    size_t size = 0;

    if (image == NULL || clGetImageInfo(image, which, sizeof size, &size, NULL) != CL_SUCCESS)
        return -1;
    return (int)size;
}

/* The sizes of an image, as kernels see them. */
static KFUSION_MAYBE_UNUSED int kfusion_image_width(cl_mem image)
{
    return kfusion_image_size(image, CL_IMAGE_WIDTH);
}

static KFUSION_MAYBE_UNUSED int kfusion_image_height(cl_mem image)
{
    return kfusion_image_size(image, CL_IMAGE_HEIGHT);
}

/*
 * Whether an image gives back vectors of four numbers of the type as they were written,
 * each at its own coordinates, which may be floats.
 */
static KFUSION_MAYBE_UNUSED int kfusion_keeps(cl_mem image, cl_channel_type type)
{
    cl_image_format format = {0, 0};

    return image != NULL
           && clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof format, &format, NULL) == CL_SUCCESS
           && format.image_channel_order == CL_RGBA && format.image_channel_data_type == type
           && kfusion_image_width(image) <= 1 << 23 && kfusion_image_height(image) <= 1 << 23;
}
"""
HEADER_NAMES = frozenset(re.findall(r"\bkfusion_\w+", _RUNTIME + _SEVERAL + _IMAGES))
_IMAGE_NAMES = frozenset(re.findall(r"\bkfusion_\w+", _IMAGES))


def header_text(
    prototypes: list[tuple[str, list[int]]], several: bool, codes: Iterable[str]
) -> str:
    """Each prototype with the numbers of the files that need it; none: all of them do.

    `several`: items of some kernels do the work of several; `codes`: the functions that call
    what the header has.
    """
    images = any(name in code for code in codes for name in _IMAGE_NAMES)
    guard = re.sub(r"\W", "_", HEADER_NAME).upper()
    lines = [
        "/* Generated by kfusion: functions that do the work of several with one kernel. */",
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        *_blocks(prototypes),
    ]
    runtime = _RUNTIME + (_SEVERAL if several else "") + (_IMAGES if images else "") + "#endif\n"
    return "\n".join(lines) + "\n" + runtime + f"\n#endif /* {guard} */\n"


def _blocks(prototypes: list[tuple[str, list[int]]]) -> Iterator[str]:
    for files, group in groupby(prototypes, key=lambda each: each[1]):
        texts = [text for text, _ in group]
        if not files:
            yield from texts
            continue
        yield "#if " + " || ".join(f"{FILE_NUMBER} == {number}" for number in files)
        yield from texts
        yield "#endif"
