"""Short ways to fuse kernels given as text, for tests of the kernel side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyopencl as cl

from kfusion.api import Fused, fuse
from kfusion.graph.target import Target
from kfusion.kernel.model import Kernel
from kfusion.kernel.read import read_kernels
from kfusion.parse.annotations import find_annotations
from kfusion.parse.compiler import Preprocessor
from kfusion.parse.opencl import parse_opencl
from kfusion.parse.sources import preprocess_opencl
from kfusion.parse.unit import Unit
from kfusion.source.diagnostics import Diagnostic
from kfusion.source.text import SourceFile
from tests.support.pyopencl_run import Array, Case, assert_same

ITEMS = 64

# The element-wise kernels that most tests need. No guard: the range is exact.
ELEMENTWISE = """\
__kernel void copy(__global float *c, __global const float *a)
{
    const size_t i = get_global_id(0);
    c[i] = a[i];
}
__kernel void square(__global float *c, __global const float *a)
{
    const size_t i = get_global_id(0);
    c[i] = a[i] * a[i];
}
__kernel void add(__global float *c, __global const float *a, __global const float *b)
{
    const size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}
__kernel void twice(__global float *a)
{
    const size_t i = get_global_id(0);
    a[i] *= 2.0f;
}
"""


OWN_ELEMENTS = Target(near=0)  # what neighbours need keeps kernels apart


def kernels_of(text: str, defines: Sequence[str] = ()) -> dict[str, Kernel]:
    return read_kernels(unit_of(text, defines))


def unit_of(text: str, defines: Sequence[str] = ()) -> Unit:
    source = SourceFile(Path("kernels.cl"), text)
    annotations = find_annotations(source, True)
    how = Preprocessor(defines=tuple(defines))
    return parse_opencl(source, annotations, preprocess_opencl(source, annotations, how))


def kernel_of(text: str, defines: Sequence[str] = ()) -> Kernel:
    """The only kernel of a text, or its last."""
    return list(kernels_of(text, defines).values())[-1]


def random_data(names: Sequence[str], count: int = ITEMS) -> dict[str, Array]:
    data = np.random.default_rng(7)
    return {name: (data.random(count) * 4 - 2).astype(np.float32) for name in names}


def fused_and_same(
    source: str,
    calls: Sequence[str],
    out: Sequence[str] | None = None,
    *,
    launches: int,
    scalars: Mapping[str, np.generic | cl.LocalMemory | cl.Sampler] | None = None,
    buffers: Mapping[str, Array] | None = None,
    size: tuple[int, ...] = (ITEMS,),
    local: tuple[int, ...] | None = None,
    defines: Sequence[str] = (),
    target: Target = OWN_ELEMENTS,
    exact: bool = False,
) -> Fused:
    """Fuse, run on PoCL, compare; and see that as many kernels are launched as expected."""
    tiles = target.strip > 0 or target.march > 0
    fused = fuse(source, calls, out, defines=defines, target=target, exact=exact, tiles=tiles)
    assert len(fused.kernels) == launches, [d.message for d in fused.diagnostics]
    memory = sorted({m.name for i in fused.plan.invocations for m in i.memory})
    given = {**random_data(memory), **(buffers or {})}
    options = tuple(f"-D{define}" for define in defines)
    case = Case(given, scalars or {}, size, local, options)
    assert_same(fused, source, case, memory if out is None else out)
    return fused


def refusal(source: str, calls: Sequence[str], out: Sequence[str] | None = None) -> Diagnostic:
    """The one cut of a program that is otherwise left alone."""
    fused = fuse(source, calls, out, target=OWN_ELEMENTS)
    assert len(fused.kernels) == len(calls)
    return next(d for d in fused.diagnostics if d.code.startswith("KF2"))


def fused_text(fused: Fused) -> str:
    return "\n\n".join(kernel.text for kernel in fused.fused)
