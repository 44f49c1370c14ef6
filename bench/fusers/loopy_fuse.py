"""loopy: a kernel for each operation, fuse_kernels, and its OpenCL on the same device."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

os.environ.setdefault("LOOPY_NO_CACHE", "1")

import loopy as lp
import numpy as np
import pyopencl as cl
import pyopencl.array

from bench.fusers.common import HUE, Job, NotPossibleError, Timed
from kfusion.device.opencl import find_device

HOW = "OpenCL's events"
GROUP = 256

_ROW = "((2*y + 1)*size)//(2*n)"
_COLUMN = "((2*x + 1)*size)//(2*n)"
# The operations of each application, in order: what they compute of one element or pixel.
_OPERATIONS = {
    "pythagoras": (
        "a2[i] = in0[i]*in0[i]",
        "b2[i] = in1[i]*in1[i]",
        "c2[i] = a2[i] + b2[i]",
        "result[i] = sqrt(c2[i])",
    ),
    "distance": (
        "dx[i] = in0[i] - in1[i]",
        "dy[i] = in2[i] - in3[i]",
        "dx2[i] = dx[i]*dx[i]",
        "dy2[i] = dy[i]*dy[i]",
        "c2[i] = dx2[i] + dy2[i]",
        "result[i] = sqrt(c2[i])",
    ),
    "ldd": (
        f"""
        red[y, x] = in0[{_ROW}, {_COLUMN}, 0]
        green[y, x] = in0[{_ROW}, {_COLUMN}, 1]
        blue[y, x] = in0[{_ROW}, {_COLUMN}, 2]
        alpha[y, x] = in0[{_ROW}, {_COLUMN}, 3]
        """,
        """
        value[y, x] = fmax(red[y, x], fmax(green[y, x], blue[y, x]))
        low[y, x] = fmin(red[y, x], fmin(green[y, x], blue[y, x]))
        """,
        """
        saturation[y, x] = if(value[y, x] > 0, (value[y, x] - low[y, x]) / value[y, x], 0)
        """,
        f"""
        hue[y, x] = {HUE}f
        """,
        """
        red_part[y, x] = fmin(fmax(fabs(6*hue[y, x] - 3) - 1, 0.0f), 1.0f)
        green_part[y, x] = fmin(fmax(2 - fabs(6*hue[y, x] - 2), 0.0f), 1.0f)
        blue_part[y, x] = fmin(fmax(2 - fabs(6*hue[y, x] - 4), 0.0f), 1.0f)
        span[y, x] = saturation[y, x]*value[y, x]
        base[y, x] = value[y, x] - span[y, x]
        """,
        """
        result[y, x, 0] = 1 - (base[y, x] + span[y, x]*red_part[y, x])
        result[y, x, 1] = 1 - (base[y, x] + span[y, x]*green_part[y, x])
        result[y, x, 2] = 1 - (base[y, x] + span[y, x]*blue_part[y, x])
        result[y, x, 3] = alpha[y, x]
        """,
    ),
}
_ASSIGNED = re.compile(r"^\s*(\w+)\[", re.MULTILINE)


def run(job: Job) -> Timed:
    if job.application not in _OPERATIONS:
        raise NotPossibleError("not written for loopy")
    device = find_device(job.device)
    queue = cl.CommandQueue(
        cl.Context([device]), properties=cl.command_queue_properties.PROFILING_ENABLE
    )
    n = job.result_size
    result: Any = cl.array.empty(queue, (n, n, 4) if job.is_picture else (n,), np.float32)
    given: Any = {f"in{i}": cl.array.to_device(queue, each) for i, each in enumerate(job.inputs)}
    call = _fused(job).executor(queue.context)
    times = []
    for _ in range(job.repeats + 5):
        event, _ = call(queue, **given, result=result)
        event.wait()
        times.append((event.profile.end - event.profile.start) / 1e6)
    return Timed(result.get(), times[5:])


def _fused(job: Job) -> Any:
    operations = _OPERATIONS[job.application]
    names = [_ASSIGNED.findall(each) for each in operations]
    flow = [
        (name, first, later)
        for first, mine in enumerate(names)
        for name in mine
        for later in range(first + 1, len(operations))
        if re.search(rf"\b{name}\b", operations[later])
    ]
    kernels = [_kernel(job, number, each) for number, each in enumerate(operations)]
    suffixes = [f"_{number}" for number in range(len(kernels))]
    fused: Any = lp.fuse_kernels(kernels, suffixes=suffixes, data_flow=flow)
    for name in dict.fromkeys(name for name, _, _ in flow):
        fused = lp.assignment_to_subst(fused, name)
    fused = lp.fix_parameters(lp.expand_subst(fused), n=job.result_size)
    name = "x" if job.is_picture else "i"
    fused = lp.split_iname(fused, name, GROUP, outer_tag="g.0", inner_tag="l.0")
    if job.is_picture:
        fused = lp.tag_inames(fused, "y:g.1")
    return lp.add_and_infer_dtypes(fused, {f"in{i}": np.float32 for i in range(len(job.inputs))})


def _kernel(job: Job, number: int, statements: str) -> Any:
    domain = "{[y, x]: 0<=y<n and 0<=x<n}" if job.is_picture else "{[i]: 0<=i<n}"
    shape = (job.size, job.size, 4)
    pictures = [lp.GlobalArg("in0", np.float32, shape)] if "in0" in statements else []
    data: Sequence[Any] = [*pictures, ...] if job.is_picture else [...]
    if job.is_picture and "result" in statements:
        data = [lp.GlobalArg("result", np.float32, (job.result_size, job.result_size, 4)), ...]
    return lp.make_kernel(
        domain,
        statements.replace("size", str(job.size)),
        data,
        name=f"step{number}",
        target=lp.PyOpenCLTarget(),
        lang_version=(2018, 2),
    )
