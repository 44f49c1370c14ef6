"""Run kernels of the Python API on PoCL, fused and unfused, and compare to the bit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from kfusion.api import Fused, Launch
from kfusion.device.opencl import build_program, pocl_device

Array = npt.NDArray[np.generic]


@dataclass(frozen=True)
class Case:
    """Data for a program: `buffers` and `scalars` by the names that the calls use.

    An array of three or four dimensions, the last one of four numbers, becomes an image.
    """

    buffers: Mapping[str, Array]
    scalars: Mapping[str, np.generic | cl.LocalMemory | cl.Sampler]
    size: tuple[int, ...]
    local: tuple[int, ...] | None = None
    options: tuple[str, ...] = ()


def original_launches(fused: Fused) -> tuple[Launch, ...]:
    return tuple(
        Launch(i.kernel.name, tuple(a.name for a in i.arguments), (i.index,))
        for i in fused.plan.invocations
    )


@cache
def _program(source: str, options: tuple[str, ...]) -> tuple[cl.Context, cl.Program]:
    built = build_program(source, options, device=pocl_device())
    return built.context, built.program


def run(source: str, launches: Sequence[Launch], case: Case) -> dict[str, Array]:
    """The buffers after the launches."""
    context, program = _program(source, case.options)
    queue = cl.CommandQueue(context)
    device = {name: _memory(context, array) for name, array in case.buffers.items()}
    for launch in launches:
        kernel = cl.Kernel(program, launch.name)
        for index, name in enumerate(launch.arguments):
            argument = device[name] if name in device else case.scalars[name]
            kernel.set_arg(index, argument)  # type: ignore[arg-type]
        for index, side in enumerate(case.size if launch.tiles else (), len(launch.arguments)):
            kernel.set_arg(index, np.int32(side))
        size, local = launch.over(case.size, case.local)
        cl.enqueue_nd_range_kernel(queue, kernel, size, local or _few_sizes(kernel, size))
    result: dict[str, Array] = {}
    for name, array in case.buffers.items():
        result[name] = np.empty_like(array)
        memory = device[name]
        if isinstance(memory, cl.Image):
            region = array.shape[-2::-1]
            origin = (0,) * len(region)
            cl.enqueue_copy(queue, result[name], memory, origin=origin, region=region)
        else:
            cl.enqueue_copy(queue, result[name], memory)
    queue.finish()
    return result


def _few_sizes(kernel: cl.Kernel, size: Sequence[int]) -> tuple[int, ...] | None:
    """Groups of one size, or of one item: PoCL compiles a kernel for each size of groups, and would
    choose another one for each size of the range."""
    device = pocl_device()
    required = kernel.get_work_group_info(cl.kernel_work_group_info.COMPILE_WORK_GROUP_SIZE, device)
    if any(required):
        return None
    return (8 if size[0] % 8 == 0 else 1, *(1 for _ in size[1:]))


def _memory(context: cl.Context, array: Array) -> cl.Buffer | cl.Image:
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    if array.ndim not in (3, 4):
        return cl.Buffer(context, flags, hostbuf=np.ascontiguousarray(array))
    channels = {"f4": "FLOAT", "i4": "SIGNED_INT32", "u4": "UNSIGNED_INT32", "u1": "UNORM_INT8"}
    type_ = getattr(cl.channel_type, channels[array.dtype.str[1:]])
    kind = cl.ImageFormat(cl.channel_order.RGBA, type_)
    shape = array.shape[-2::-1]
    return cl.create_image(context, flags, kind, shape=shape, hostbuf=np.ascontiguousarray(array))


def run_both(fused: Fused, source: str, case: Case) -> tuple[dict[str, Array], dict[str, Array]]:
    """The buffers after the original launches, and after the fused ones.

    A fused program whose text begins with that of the original has its kernels: it is all that
    is built.
    """
    whole = fused.source if fused.source.startswith(source) else source
    before = run(whole, original_launches(fused), case)
    return before, run(fused.source, fused.kernels, case)


def assert_same(fused: Fused, source: str, case: Case, observed: Sequence[str]) -> None:
    """What the fused program leaves in the observed buffers is what the original leaves."""
    before, after = run_both(fused, source, case)
    for name in observed:
        same = before[name].tobytes() == after[name].tobytes()
        assert same, f"{name} differs:\n{before[name]}\n{after[name]}\n{fused.source}"
