"""loopy: a kernel for each operation, fuse_kernels, and its OpenCL on the same device."""

from __future__ import annotations

import os
import re
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

_CLAMPED = (
    "if({at} > 0, {at} - 1, 0)",
    "{at}",
    "if({at} < size - 1, {at} + 1, size - 1)",
)


def _convolved(name: str, source: str, weights: str) -> str:
    """The statements of a convolution, its sums written out."""
    lines = []
    for channel in range(3):
        terms = [
            f"{weights}[{n}]*{source}[{_CLAMPED[n // 3].format(at='y')}, "
            f"{_CLAMPED[n % 3].format(at='x')}, {channel}]"
            for n in range(9)
        ]
        total = " + ".join(terms)
        lines.append(f"{name}{channel}[y, x] = fmin(fmax({total}, 0.0f), 1.0f)")
    return "\n".join(lines)


def _hsv(name: str, red: str, green: str, blue: str) -> str:
    return f"""
        {name}_v[y, x] = fmax({red}, fmax({green}, {blue}))
        {name}_span[y, x] = {name}_v[y, x] - fmin({red}, fmin({green}, {blue}))
        {name}_scale[y, x] = 1.0f / if({name}_span[y, x] > 0, {name}_span[y, x], 1.0f)
        {name}_sector[y, x] = if({name}_v[y, x] == {red}, ({green} - {blue})*{name}_scale[y, x], \
            if({name}_v[y, x] == {green}, 2 + ({blue} - {red})*{name}_scale[y, x], \
            4 + ({red} - {green})*{name}_scale[y, x]))
        {name}_hue[y, x] = if({name}_span[y, x] > 0, {name}_sector[y, x], 0.0f) / 6
        {name}_h[y, x] = if({name}_hue[y, x] < 0, {name}_hue[y, x] + 1, {name}_hue[y, x])
        {name}_s[y, x] = if({name}_v[y, x] > 0, {name}_span[y, x] / {name}_v[y, x], 0.0f)
        """


def _rgb(hue: str, saturation: str, value: str) -> str:
    return f"""
        red_part[y, x] = fmin(fmax(fabs(6*{hue} - 3) - 1, 0.0f), 1.0f)
        green_part[y, x] = fmin(fmax(2 - fabs(6*{hue} - 2), 0.0f), 1.0f)
        blue_part[y, x] = fmin(fmax(2 - fabs(6*{hue} - 4), 0.0f), 1.0f)
        span[y, x] = {saturation}*{value}
        base[y, x] = {value} - span[y, x]
        new_red[y, x] = base[y, x] + span[y, x]*red_part[y, x]
        new_green[y, x] = base[y, x] + span[y, x]*green_part[y, x]
        new_blue[y, x] = base[y, x] + span[y, x]*blue_part[y, x]
        """


def _grey(name: str, source: str) -> str:
    return (
        f"{name}[y, x] = 0.2126f*{source}0[y, x] + 0.7152f*{source}1[y, x]"
        f" + 0.0722f*{source}2[y, x]"
    )


def _clipped(name: str, value: str) -> str:
    return f"{name} = fmin(fmax({value}, 0.0f), 1.0f)"


def _lines(*statements: str) -> str:
    return "\n".join(statements)


_BOTH = (_convolved("blurred", "in0", "in1"), _convolved("sharpened", "in2", "in3"))
_ALPHA = "result[y, x, 3] = in0[y, x, 3]"

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
        _lines(
            *(
                f"{name}[y, x] = in0[{_ROW}, {_COLUMN}, {channel}]"
                for channel, name in enumerate(("red", "green", "blue", "alpha"))
            )
        ),
        _hsv("a", "red[y, x]", "green[y, x]", "blue[y, x]"),
        f"hue[y, x] = {HUE}f",
        _rgb("hue[y, x]", "a_s[y, x]", "a_v[y, x]"),
        _lines(
            "result[y, x, 0] = 1 - new_red[y, x]",
            "result[y, x, 1] = 1 - new_green[y, x]",
            "result[y, x, 2] = 1 - new_blue[y, x]",
            "result[y, x, 3] = alpha[y, x]",
        ),
    ),
    "mdd": (
        _convolved("blurred", "in0", "in1"),
        _hsv("a", *(f"blurred{channel}[y, x]" for channel in range(3))),
        _hsv("b", *(f"in2[y, x, {channel}]" for channel in range(3))),
        _lines(*(_clipped(f"m_{p}[y, x]", f"(a_{p}[y, x] + b_{p}[y, x])/2") for p in "hsv")),
        _rgb("m_h[y, x]", "m_s[y, x]", "m_v[y, x]"),
        _lines(
            "result[y, x, 0] = new_red[y, x]",
            "result[y, x, 1] = new_green[y, x]",
            "result[y, x, 2] = new_blue[y, x]",
            _ALPHA,
        ),
    ),
    "hdd": (
        *_BOTH,
        _grey("grey", "blurred"),
        _grey("other", "sharpened"),
        _clipped("difference[y, x]", "grey[y, x] - other[y, x]"),
        _lines(*(f"result[y, x, {channel}] = difference[y, x]" for channel in range(3)), _ALPHA),
    ),
    "hddlf": (
        *_BOTH,
        _lines(
            *(
                _clipped(f"result[y, x, {c}]", f"blurred{c}[y, x] - sharpened{c}[y, x]")
                for c in range(3)
            ),
            _ALPHA,
        ),
    ),
}
_ASSIGNED = re.compile(r"^\s*(\w+)\[", re.MULTILINE)


def run(job: Job) -> Timed:
    if job.is_stencil:
        raise NotPossibleError("at an edge neighbours' indices are not affine, as precompute needs")
    device = find_device(job.device)
    queue = cl.CommandQueue(
        cl.Context([device]), properties=cl.command_queue_properties.PROFILING_ENABLE
    )
    n = job.result_size
    result: Any = cl.array.empty(queue, job.shape(n), np.float32)
    given: Any = {f"in{i}": cl.array.to_device(queue, each) for i, each in enumerate(job.inputs)}
    call = _fused(job).executor(queue.context)
    times = []
    for _ in range(job.repeats + 5):
        event, _ = call(queue, **given, result=result)
        event.wait()
        times.append((event.profile.end - event.profile.start) / 1e6)
    return Timed(result.get(), times[5:])


def _fused(job: Job) -> Any:
    """One kernel; what goes from operation to operation stays in registers."""
    operations = _OPERATIONS[job.application]
    assigned = [_ASSIGNED.findall(each) for each in operations]
    flow = [
        (name, first, later)
        for first, mine in enumerate(assigned)
        for name in mine
        for later in range(first + 1, len(operations))
        if re.search(rf"\b{name}\b", operations[later])
    ]
    kernels = [_kernel(job, number, each) for number, each in enumerate(operations)]
    suffixes = [f"_{number}" for number in range(len(kernels))]
    fused: Any = lp.fuse_kernels(kernels, suffixes=suffixes, data_flow=flow)
    fused = lp.fix_parameters(fused, n=job.result_size)
    types = {f"in{i}": np.float32 for i in range(len(job.inputs))}
    fused = lp.add_and_infer_dtypes(fused, types)
    intermediate = [name for mine in assigned for name in mine if name != "result"]
    for name in intermediate:
        fused = lp.assignment_to_subst(fused, name)
    for name in reversed(intermediate):
        if f"{name}_subst" in fused.default_entrypoint.substitutions:
            fused = lp.precompute(
                fused,
                f"{name}_subst",
                sweep_inames=[],
                temporary_address_space=lp.AddressSpace.PRIVATE,
                default_tag=None,
            )
    across = "x" if job.is_picture else "i"
    fused = lp.split_iname(fused, across, GROUP, outer_tag="g.0", inner_tag="l.0")
    return lp.tag_inames(fused, "y:g.1") if job.is_picture else fused


def _kernel(job: Job, number: int, statements: str) -> Any:
    used = [i for i in range(len(job.inputs)) if re.search(rf"\bin{i}\b", statements)]
    data: list[Any] = [lp.GlobalArg(f"in{i}", np.float32, job.inputs[i].shape) for i in used]
    if "result" in statements and job.is_picture:
        n = job.result_size
        data.append(lp.GlobalArg("result", np.float32, (n, n, 4)))
    return lp.make_kernel(
        "{[y, x]: 0<=y<n and 0<=x<n}" if job.is_picture else "{[i]: 0<=i<n}",
        statements.replace("size", str(job.size)),
        [*data, ...],
        name=f"step{number}",
        target=lp.PyOpenCLTarget(),
        lang_version=(2018, 2),
    )
