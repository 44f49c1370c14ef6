"""A program of any size for measuring kfusion itself: many kernels, many regions."""

from __future__ import annotations

from pathlib import Path

CALLS_PER_REGION = 5

_HEADER = """\
#ifndef MANY_H
#define MANY_H
#include <CL/cl.h>
typedef struct { cl_uint n; float *host; cl_mem device; int host_newer; } Vector;
{prototypes}
#endif
"""

_LIBRARY = """\
#include "many.h"
#include <stddef.h>

#define CHECK(call)                \\
    do {                           \\
        cl_int status_ = (call);   \\
        if (status_ != CL_SUCCESS) \\
            return status_;        \\
    } while (0)

static cl_command_queue queue;
static cl_program program;
static cl_kernel kernels[COUNT];
static const char *const names[] = {NAMES};

cl_int many_init(void)
{
    cl_int status;
    size_t i;

    for (i = 0; i < sizeof names / sizeof names[0]; i++) {
        kernels[i] = clCreateKernel(program, names[i], &status);
        CHECK(status);
    }
    return CL_SUCCESS;
}

static cl_int to_device(Vector *v)
{
    if (v->host_newer) {
        CHECK(clEnqueueWriteBuffer(queue, v->device, CL_TRUE, 0, v->n * sizeof(float), v->host,
                                   0, NULL, NULL));
        v->host_newer = 0;
    }
    return CL_SUCCESS;
}
"""

_FUNCTION = """
/* c = {number} a + b */
cl_int step{number}(Vector *c, Vector *a, Vector *b)
{{
    const size_t global = ((size_t)c->n + 63) / 64 * 64;
    const size_t local = 64;

    if (a->n != c->n || b->n != c->n)
        return 1;
    CHECK(to_device(a));
    CHECK(to_device(b));
    CHECK(clSetKernelArg(kernels[{number}], 0, sizeof(cl_mem), &c->device));
    CHECK(clSetKernelArg(kernels[{number}], 1, sizeof(cl_mem), &a->device));
    CHECK(clSetKernelArg(kernels[{number}], 2, sizeof(cl_mem), &b->device));
    CHECK(clSetKernelArg(kernels[{number}], 3, sizeof(cl_uint), &c->n));
    CHECK(clEnqueueNDRangeKernel(queue, kernels[{number}], 1, NULL, &global, &local,
                                 0, NULL, NULL));
    c->host_newer = 0;
    return CL_SUCCESS;
}}
"""

_KERNEL = """
/* c = {number} a + b */
__kernel void step{number}_kernel(__global float *c, __global const float *a,
                          __global const float *b, const uint n)
{{
    const size_t i = get_global_id(0);

    if (i < n)
        c[i] = {number}.0f * a[i] + b[i];
}}
"""

_APPLICATION = """\
#include "many.h"

#define TRY(call) do { if ((call) != 0) return 1; } while (0)
"""

_REGION = """
int region{number}(Vector *a, Vector *b, Vector *t, Vector *u, Vector *c)
{{
#pragma kfuse(a, b, out(c))
    {{
        TRY({calls}
    }}
    return 0;
}}
"""


def write_program(folder: Path, kernels: int) -> list[Path]:
    """Write application, library and kernels; regions hold five calls each."""
    folder.mkdir(parents=True, exist_ok=True)
    numbers = range(kernels)
    prototypes = "\n".join(f"cl_int step{i}(Vector *c, Vector *a, Vector *b);" for i in numbers)
    names = ", ".join(f'"step{i}_kernel"' for i in numbers)
    files = {
        "many.h": _HEADER.replace("{prototypes}", prototypes),
        "many.c": _LIBRARY.replace("COUNT", str(kernels)).replace("NAMES", names)
        + "".join(_FUNCTION.format(number=i) for i in numbers),
        "many.cl": "".join(_KERNEL.format(number=i) for i in numbers),
        "app.c": _APPLICATION + "".join(_region(i) for i in range(kernels // CALLS_PER_REGION)),
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    return [folder / name for name in ("app.c", "many.c", "many.cl")]


def _region(number: int) -> str:
    chain = ["(t, a, b));", "(u, t, a));", "(t, u, b));", "(u, t, t));", "(c, u, t));"]
    first = number * CALLS_PER_REGION
    calls = [f"step{first + i}{arguments}" for i, arguments in enumerate(chain)]
    return _REGION.format(number=number, calls="\n        TRY(".join(calls))
