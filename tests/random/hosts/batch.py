"""The files of a batch: several programs in one process, which is much quicker to run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.random.hosts import model as m
from tests.random.hosts.emit import Emitter, kernel_name, signature, tables
from tests.random.hosts.flavour import Flavour
from tests.random.hosts.interpret import ROOM
from tests.random.hosts.kernels import KERNELS, source
from tests.random.hosts.model import Place, Program

_WORLD = """\
/* What all files of the programs share. */
#ifndef WORLD_H
#define WORLD_H
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#define _GNU_SOURCE
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM %(room)d

typedef struct {
    cl_mem mem;
    int n;
} vec;

#define CHECK(call)                   \\
    do {                              \\
        cl_int status_ = (call);      \\
        if (status_ != CL_SUCCESS)    \\
            return status_;           \\
    } while (0)
#define TRY(call)                     \\
    do {                              \\
        err = (call);                 \\
        if (err != CL_SUCCESS)        \\
            goto end;                 \\
    } while (0)
#define OK(call) ok((call), #call)

void ok(cl_int status, const char *what);

extern cl_context context;
extern cl_command_queue queue, other_queue, free_queue; /* the last one is out of order */
extern cl_program program;
extern cl_int lib_status;
%(kernels)s
void engine_start(void);
void engine_stop(void);
void engine_rebuild(void);
void engine_build_again(void);

cl_mem part_of(cl_mem whole, cl_buffer_region region, cl_int *status);
size_t rounded_up(int items, int group);
void show_size(const char *name, cl_mem mem);
void show_references(const char *name, cl_mem mem);

%(functions)s#endif
"""

_ENGINE = """\
#include "world.h"
%(include)s
cl_context context;
cl_command_queue queue, other_queue, free_queue;
cl_program program;
cl_int lib_status;
%(kernels)s
void ok(cl_int status, const char *what)
{
    if (status != CL_SUCCESS) {
        printf("%%s gave %%d\\n", what, (int)status);
        fflush(stdout);
        exit(3);
    }
}

%(text)s
static void build(void)
{
    cl_int err;
    const char *text = kernel_text();

    program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    OK(err);
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
}

static void make_kernels(void)
{
    cl_int err;

%(create)s}

static void drop_kernels(void)
{
%(release)s}

static void open_device(void)
{
    cl_int err;
    cl_platform_id platform;
    cl_device_id device;

    OK(clGetPlatformIDs(1, &platform, NULL));
    OK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    OK(err);
    queue = clCreateCommandQueue(context, device, 0, &err);
    OK(err);
    other_queue = clCreateCommandQueue(context, device, 0, &err);
    OK(err);
    free_queue = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                      &err);
    OK(err);
}

static void close_device(void)
{
    OK(clReleaseCommandQueue(queue));
    OK(clReleaseCommandQueue(other_queue));
    OK(clReleaseCommandQueue(free_queue));
    OK(clReleaseContext(context));
}

%(life)s
static void finish_all(void)
{
    OK(clFinish(queue));
    OK(clFinish(other_queue));
    OK(clFinish(free_queue));
}

void engine_rebuild(void)
{
    finish_all();
    drop_kernels();
    OK(clReleaseProgram(program));
    build();
    make_kernels();
}

/* The same program, which must have no kernel meanwhile. */
void engine_build_again(void)
{
    cl_int err;
    int times = 0;

    finish_all();
    drop_kernels();
    do /* PoCL may hold a kernel for a moment behind the end of its last command */
        err = clBuildProgram(program, 0, NULL, "", NULL, NULL);
    while (err == CL_INVALID_OPERATION && ++times < 100000);
    OK(err);
    make_kernels();
}

cl_mem part_of(cl_mem whole, cl_buffer_region region, cl_int *status)
{
    return clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region,
                             status);
}

size_t rounded_up(int items, int group)
{
    return (size_t)((items + group - 1) / group * group);
}

void show_size(const char *name, cl_mem mem)
{
    size_t size;

    OK(clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof size, &size, NULL));
    printf("size of %%s: %%08x\\n", name, (unsigned)size);
}

void show_references(const char *name, cl_mem mem)
{
    cl_uint count;

    OK(clGetMemObjectInfo(mem, CL_MEM_REFERENCE_COUNT, sizeof count, &count, NULL));
    printf("references of %%s: %%08x\\n", name, (unsigned)count);
}

"""

_SHARED_LIFE = """\
void engine_start(void)
{
    if (context == NULL) {
        open_device();
        build();
    }
    lib_status = CL_SUCCESS;
    make_kernels();
}

void engine_stop(void)
{
    drop_kernels();
}
"""
_OWN_LIFE = """\
void engine_start(void)
{
    open_device();
    lib_status = CL_SUCCESS;
    build();
    make_kernels();
}

void engine_stop(void)
{
    drop_kernels();
    OK(clReleaseProgram(program));
    close_device();
}
"""

_TEXT_OF_FILE = """\
static const char *kernel_text(void)
{
    static char text[1 << 18];
    FILE *file = fopen("kernels.cl", "r");

    if (file == NULL) {
        perror("kernels.cl");
        exit(3);
    }
    text[fread(text, 1, sizeof text - 1, file)] = '\\0';
    fclose(file);
    return text;
}
"""
_TEXT_OF_HEADER = """\
static const char *kernel_text(void)
{
    return kernels_cl;
}
"""

_APPLICATION = """\
#include "world.h"

static volatile int nothing; /* what begins with it, no compiler follows */

/* A value that no compiler knows. */
static int hidden(int value)
{
    return value + nothing;
}

static void fill_int(unsigned *data, int seed, int count)
{
    for (int i = nothing; i < count; i++)
        data[i] = (unsigned)((i * 37 + seed * 11) % 251);
}

static void fill_float(unsigned *data, int seed, int count)
{
    for (int i = nothing; i < count; i++) {
        float value = 0.25f + (float)((i * 37 + seed * 11) % 251) / 7.0f;
        memcpy(&data[i], &value, sizeof value);
    }
}

static unsigned *data_int(int seed, int count)
{
    static unsigned data[ROOM];

    fill_int(data, seed, count);
    return data;
}

static unsigned *data_float(int seed, int count)
{
    static unsigned data[ROOM];

    fill_float(data, seed, count);
    return data;
}

/* Host memory for buffers that lie over it; nobody gives it back. */
static unsigned *lasting_int(int seed, int count)
{
    unsigned *data = aligned_alloc(4096, 4096);

    fill_int(data, seed, count);
    return data;
}

static unsigned *lasting_float(int seed, int count)
{
    unsigned *data = aligned_alloc(4096, 4096);

    fill_float(data, seed, count);
    return data;
}

static void show_host(const char *label, const void *data, int count)
{
    const unsigned *bits = data;

    printf("%s:", label);
    for (int i = nothing; i < count; i++)
        printf(" %08x", bits[i]);
    printf("\\n");
}

static void show(const char *label, cl_command_queue from, cl_mem mem, int offset, int count)
{
    unsigned data[ROOM];

    OK(clEnqueueReadBuffer(from, mem, CL_TRUE, offset * sizeof(cl_int), count * sizeof(cl_int),
                           data, 0, NULL, NULL));
    show_host(label, data, count);
}

static void show_below(const char *label, cl_mem mem)
{
    void *data;
    size_t size;

    OK(clGetMemObjectInfo(mem, CL_MEM_HOST_PTR, sizeof data, &data, NULL));
    OK(clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof size, &size, NULL));
    show_host(label, data, (int)(size / sizeof(cl_int)));
}

"""

_MAIN = """\
int main(void)
{
%s    return 0;
}
"""
_RUN = """\
    printf("program {0}\\n");
    fflush(stdout);
    setenv("HOSTS_PROGRAM", "{0}", 1);
    engine_start();
    {1}
    OK(lib_status);
    OK(clFinish(queue));
    OK(clFinish(other_queue));
    OK(clFinish(free_queue));
    engine_stop();
"""


@dataclass(frozen=True)
class Files:
    texts: dict[str, str]  # by name
    given: tuple[str, ...]  # those that kfusion reads
    other: tuple[str, ...]  # further files that are compiled

    @property
    def compiled(self) -> tuple[str, ...]:
        return tuple(n for n in (*self.given, *self.other) if n.endswith(".c"))


def files_of(programs: Sequence[Program], flavour: Flavour) -> Files:
    functions = {
        f.name: (program, f)
        for program in programs
        for f in program.functions
        if f.place is not Place.APPLICATION
    }
    texts = {
        "kernels.cl": source(),
        "world.h": _world(flavour, [f for _, f in functions.values()]),
        "lib.c": _engine(flavour),
        "app.c": _application(programs, flavour),
    }
    if flavour.kernel_text == "header":
        texts["kernels_cl.h"] = _as_string(source())
    for place, name in ((Place.LIBRARY, "lib.c"), (Place.OTHER, "other.c")):
        here = [Emitter(p, f, flavour).text() for p, f in functions.values() if f.place is place]
        if here:
            texts[name] = texts.get(name, '#include "world.h"\n\n') + "\n".join(here)
    given = ["app.c", "lib.c"]
    other: list[str] = []
    if flavour.main_given:
        texts["app.c"] += "\n" + _main(programs)
    else:
        prototypes = "".join(f"{signature(p.main)};\n" for p in programs)
        texts["main.c"] = f'#include "world.h"\n\n{prototypes}\n{_main(programs)}'
        other.append("main.c")
    if "other.c" in texts:
        (given if flavour.other_given else other).append("other.c")
    return Files(texts, (*given, "kernels.cl"), tuple(other))


def _world(flavour: Flavour, functions: Sequence[m.Function]) -> str:
    prototypes = "".join(f"{signature(f)};\n" for f in functions)
    values = {"room": ROOM, "kernels": _kept(flavour, True), "functions": prototypes + "\n"}
    return _WORLD % values


def _kept(flavour: Flavour, extern: bool) -> str:
    word = "extern " if extern else ""
    if flavour.kernels == "array":
        names = ", ".join(name.upper() for name in KERNELS)
        words = f"enum {{ {names}, KERNELS }};\n" if extern else ""
        return f"{words}{word}cl_kernel kernels[KERNELS];\n"
    if flavour.kernels == "struct":
        members = "".join(f"    cl_kernel {name};\n" for name in KERNELS)
        return (
            f"struct engine {{\n{members}}};\n" if extern else ""
        ) + f"{word}struct engine engine;\n"
    return "".join(f"{word}cl_kernel {kernel_name('k_' + name, flavour)};\n" for name in KERNELS)


def _engine(flavour: Flavour) -> str:
    if flavour.kernels == "array":
        names = ", ".join(f'"{name}"' for name in KERNELS)
        create = (
            f"    static const char *const names[] = {{{names}}};\n"
            "    for (int i = 0; i < KERNELS; i++) {\n"
            "        kernels[i] = clCreateKernel(program, names[i], &err);\n"
            "        OK(err);\n    }\n"
        )
        release = (
            "    for (int i = 0; i < KERNELS; i++)\n        OK(clReleaseKernel(kernels[i]));\n"
        )
    else:
        variables = {name: kernel_name(f"k_{name}", flavour) for name in KERNELS}
        create = "".join(
            f'    {v} = clCreateKernel(program, "{name}", &err);\n    OK(err);\n'
            for name, v in variables.items()
        )
        release = "".join(f"    OK(clReleaseKernel({v}));\n" for v in variables.values())
    from_header = flavour.kernel_text == "header"
    return _ENGINE % {
        "include": '#include "kernels_cl.h"\n' if from_header else "",
        "kernels": _kept(flavour, False),
        "text": _TEXT_OF_HEADER if from_header else _TEXT_OF_FILE,
        "create": create,
        "release": release,
        "life": _SHARED_LIFE if flavour.engine == "shared" else _OWN_LIFE,
    }


def _as_string(text: str) -> str:
    lines = (f'    "{line}\\n"' for line in text.splitlines())
    return "static const char kernels_cl[] =\n" + "\n".join(lines) + ";\n"


def _application(programs: Sequence[Program], flavour: Flavour) -> str:
    parts = [_APPLICATION]
    for program in programs:
        if program.file_scope:
            parts += [f"static vec {name}_{program.number};\n" for name in program.vectors]
        hosts = program.main.hosts
        parts += [f"static unsigned {name}_{program.number}[ROOM];\n" for name in hosts]
        parts += [*tables(program), "\n"]
        for function in program.functions:
            if function.place is Place.APPLICATION:
                parts += [Emitter(program, function, flavour).text(), "\n"]
    return "".join(parts)


def _main(programs: Sequence[Program]) -> str:
    runs = []
    for program in programs:
        call = f"{program.main.name}()"
        checked = f"OK({call});" if program.main.errors.returns else f"{call};"
        runs.append(_RUN.format(program.number, checked))
    return _MAIN % "".join(runs)
