"""Run launches on an OpenCL device. Nothing here needs kfusion."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyopencl as cl

Array = npt.NDArray[np.generic]


@dataclass(frozen=True)
class Local:
    bytes: int


@dataclass(frozen=True)
class Step:
    """One launch; `otherwise` stands in if the program has no such kernel."""

    kernel: str
    arguments: tuple[str | np.generic | Local, ...]  # buffers by name
    size: tuple[int, ...]
    local: tuple[int, ...]
    offset: int = 0
    otherwise: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Job:
    source: str
    options: tuple[str, ...]
    runs: tuple[tuple[Step, ...], ...]  # each starts with the same data
    buffers: Mapping[str, Array]  # those of two dimensions are images
    observed: tuple[str, ...]
    prints: bool = False


@dataclass(frozen=True)
class Outcome:
    memory: Mapping[str, bytes]
    printed: bytes = b""


def execute(job: Job, device: cl.Device) -> list[Outcome]:
    context = cl.Context([device])
    program = cl.Program(context, job.source)
    program.build([*job.options])
    return [_outcome(job, context, program, steps) for steps in job.runs]


def _outcome(
    job: Job, context: cl.Context, program: cl.Program, steps: tuple[Step, ...]
) -> Outcome:
    queue = cl.CommandQueue(context)
    memory = {name: _memory(context, array) for name, array in job.buffers.items()}

    def launch() -> None:
        for step in steps:
            _launch(queue, program, step, memory)
        queue.finish()

    printed = b""
    if job.prints:
        printed = _printed(launch)
    else:
        launch()
    found = {name: _read(queue, memory[name], job.buffers[name]) for name in job.observed}
    return Outcome(found, printed)


def _memory(context: cl.Context, array: Array) -> cl.Buffer | cl.Image:
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    if array.ndim == 1:
        return cl.Buffer(context, flags, hostbuf=array)
    format_ = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)
    return cl.create_image(context, flags, format_, (array.shape[0], 1), hostbuf=array)


def _read(queue: cl.CommandQueue, memory: cl.Buffer | cl.Image, like: Array) -> bytes:
    found = np.empty_like(like)
    if isinstance(memory, cl.Buffer):
        cl.enqueue_copy(queue, found, memory)
    else:
        cl.enqueue_copy(queue, found, memory, origin=(0, 0), region=(like.shape[0], 1))
    return found.tobytes()


def _launch(
    queue: cl.CommandQueue,
    program: cl.Program,
    step: Step,
    memory: Mapping[str, cl.Buffer | cl.Image],
) -> None:
    if step.otherwise and step.kernel not in program.kernel_names.split(";"):
        for other in step.otherwise:
            _launch(queue, program, other, memory)
        return
    kernel = cl.Kernel(program, step.kernel)
    for index, argument in enumerate(step.arguments):
        if isinstance(argument, Local):
            kernel.set_arg(index, cl.LocalMemory(argument.bytes))  # type: ignore[arg-type]
        else:
            kernel.set_arg(index, memory[argument] if isinstance(argument, str) else argument)
    offset = (step.offset,) * len(step.size) if step.offset else None
    cl.enqueue_nd_range_kernel(queue, kernel, step.size, step.local, offset)


def _printed(work: Callable[[], None]) -> bytes:
    """What kernels print goes to the process's standard output."""
    sys.stdout.flush()
    kept = os.dup(1)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        try:
            work()
        finally:
            os.dup2(kept, 1)
            os.close(kept)
        file.seek(0)
        return file.read()
