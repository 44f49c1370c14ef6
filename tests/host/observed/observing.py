"""What may be left out of memory after the region of a small program: no device, no run time."""

from __future__ import annotations

from pathlib import Path

from kfusion.host.at_end import EndNames, end_names
from kfusion.host.closed import closedness
from kfusion.host.observed import Observation
from kfusion.host.predict import predictions
from kfusion.host.program import HostProgram
from kfusion.host.region import Region, read_regions
from kfusion.host.runs import Runs
from kfusion.kernel.read import read_kernels
from kfusion.parse.compiler import Preprocessor
from kfusion.parse.files import parse_sources
from kfusion.parse.sources import read_sources
from kfusion.paths import fake_libc_dir
from tests.host.predict.predicted_programs import KERNELS

HEADER = """
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct { cl_mem mem; cl_uint n; int flag; } vec;
void vec_start(void);
void vec_new(vec *v, cl_uint n);
void vec_free(vec *v);
void vec_get(const vec *v, float *data);
void vec_square(vec *y, const vec *x);
void vec_add(vec *z, const vec *x, const vec *y);
void vec_scale(vec *y, const vec *x, float f);
"""

LIBRARY = """
#include "lib.h"
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel square_kernel, add_kernel, scale_kernel;

void vec_start(void)
{
    square_kernel = clCreateKernel(program, "square", NULL);
    add_kernel = clCreateKernel(program, "add", NULL);
    scale_kernel = clCreateKernel(program, "scale", NULL);
}
void vec_new(vec *v, cl_uint n)
{
    memset(v, 0, sizeof *v);
    v->n = n;
    v->mem = clCreateBuffer(context, CL_MEM_READ_WRITE, n * sizeof(float), NULL, NULL);
}
void vec_free(vec *v)
{
    clFinish(queue);
    clReleaseMemObject(v->mem);
}
void vec_get(const vec *v, float *data)
{
    clEnqueueReadBuffer(queue, v->mem, CL_TRUE, 0, v->n * sizeof(float), data, 0, NULL, NULL);
}
void vec_square(vec *y, const vec *x)
{
    size_t items = y->n;
    clSetKernelArg(square_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(square_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(square_kernel, 2, sizeof(cl_uint), &y->n);
    clEnqueueNDRangeKernel(queue, square_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    y->flag = 1;
}
void vec_add(vec *z, const vec *x, const vec *y)
{
    size_t items = z->n;
    clSetKernelArg(add_kernel, 0, sizeof(cl_mem), &z->mem);
    clSetKernelArg(add_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(add_kernel, 2, sizeof(cl_mem), &y->mem);
    clSetKernelArg(add_kernel, 3, sizeof(cl_uint), &z->n);
    clEnqueueNDRangeKernel(queue, add_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    z->flag = 1;
}
void vec_scale(vec *y, const vec *x, float f)
{
    size_t items = y->n;
    clSetKernelArg(scale_kernel, 0, sizeof(cl_mem), &y->mem);
    clSetKernelArg(scale_kernel, 1, sizeof(cl_mem), &x->mem);
    clSetKernelArg(scale_kernel, 2, sizeof(float), &f);
    clSetKernelArg(scale_kernel, 3, sizeof(cl_uint), &y->n);
    clEnqueueNDRangeKernel(queue, scale_kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
}
"""


def observed(
    app: str, folder: Path, library: str = "", header: str = ""
) -> tuple[Observation, EndNames | None]:
    """The only region of a program, and what the run time looks at when it ends.

    `library` is added to the library.
    """
    files = {"lib.h": HEADER + header, "lib.c": LIBRARY + library}
    files |= {"app.c": '#include "lib.h"\n' + app, "k.cl": KERNELS}
    for name, text in files.items():
        (folder / name).write_text(text)
    paths = [folder / name for name in files if not name.endswith(".h")]
    how = Preprocessor(include_dirs=(folder,), system_dirs=(fake_libc_dir(),))
    inputs = parse_sources(read_sources(paths, how))
    program = HostProgram(inputs.hosts)
    kernels = {name: k for unit in inputs.kernels for name, k in read_kernels(unit).items()}
    (unit,) = inputs.applications
    (region,) = read_regions(unit, set())
    assert isinstance(region, Region)
    runs = Runs(program, {region.block: region.function})
    found = predictions(region, program, kernels, runs)
    closed = closedness(region.block, region.function, program, frozenset(), frozenset())
    names = end_names(region, program, closed)
    return Observation(region, found, program, kernels, runs), names


def dropped(app: str, folder: Path, library: str = "", header: str = "") -> dict[str, str]:
    """Names of the memory that the likeliest path may leave out, and why."""
    observation, names = observed(app, folder, library, header)
    found = observation.drops(observation.predicted.likely[0], names)
    return {drop.memory: drop.why.name for drop in found}
