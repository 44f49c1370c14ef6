"""Times of each region's kernels, as they were and fused, in one interleaved run.

Nothing is timed before its results are seen to be the same. What the traffic predicts is
told by the buffers: each one that a launch loads from or stores to is moved once; by strips each
element that one of them loads (halo.py).
"""

from __future__ import annotations

import math
import statistics
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pyopencl as cl

from kfusion.device.evaluate import CannotRunError
from kfusion.device.extents import Launched, touched
from kfusion.device.marched import bytes_in_rows
from kfusion.device.verify import Outcome, Prepared, Step, TypeOf, Verifier, kernel_of, written_type
from kfusion.graph.again import functions_of
from kfusion.graph.model import Group
from kfusion.graph.plan import equalities_of, values_of
from kfusion.graph.values import Place, Role
from kfusion.kernel.types import size_of
from kfusion.report.times import Row
from kfusion.results import PlannedPattern
from kfusion.source.dataclasses import dataclass

WARM_UP = 5  # runs, at least
WARM_UP_SECONDS = 0.3  # of a GPU, whose clocks rise while it works
IN_MEMORY = Place(Role.MEMORY)
COPIED_BYTES = 1 << 28
_COPY = """
kernel void copy(global float *c, global const float *a)
{
    const size_t i = get_global_id(0);
    c[i] = a[i];
}

kernel void copy4(global float4 *c, global const float4 *a)
{
    const size_t i = get_global_id(0);
    c[i] = a[i];
}
"""


@dataclass(frozen=True)
class Side:
    """A region as written, or fused: kernel times of its launches together."""

    launches: int
    bytes: int  # that its launches must load and store
    ms: float  # the median
    doubt: float  # by such a part the median may be wrong

    @property
    def gb_s(self) -> float:
        return self.bytes / self.ms / 1e6


@dataclass(frozen=True)
class Timed:
    outcome: Outcome
    before: Side | None = None  # None: not timed, the outcome says why
    after: Side | None = None

    def row(self, copy_gb_s: float) -> Row:
        assert self.before is not None
        assert self.after is not None
        return Row(
            region=self.outcome.region,
            size=self.outcome.size,
            kernels=(self.before.launches, self.after.launches),
            ms=(self.before.ms, self.after.ms),
            gb_s=(self.before.gb_s, self.after.gb_s),
            share=(self.before.gb_s / copy_gb_s, self.after.gb_s / copy_gb_s),
            speed_up=self.before.ms / self.after.ms,
            predicted=self.before.bytes / max(self.after.bytes, 1),  # none if nothing is stored
            doubt=max(self.before.doubt, self.after.doubt),
        )


class Bench:
    def __init__(self, verifier: Verifier, repeats: int) -> None:
        self.verifier, self.repeats = verifier, repeats
        self.queue = verifier.queue

    def copy_gb_s(self) -> float:
        """The bandwidth of the best copy."""
        return max(copies(self.queue, COPIED_BYTES, max(20, self.repeats // 5)).values())

    def time(self, planned: PlannedPattern, size: int) -> Timed:
        outcome = self.verifier.verify(planned, size)
        if outcome.skipped or outcome.difference is not None:
            return Timed(outcome)
        try:
            prepared = self.verifier.prepare(planned, size)
        except CannotRunError as reason:
            return Timed(replace(outcome, skipped=str(reason)))
        memory = self.verifier.memory(prepared)
        runs = [
            self.launcher(steps, prepared, memory) for steps in (prepared.before, prepared.after)
        ]
        before, after = in_turns(self.queue, runs, self.repeats)
        moved = traffic(planned, prepared.launches, self.verifier.type_of)
        return Timed(
            outcome,
            _side(prepared.before, before, moved[0]),
            _side(prepared.after, after, moved[1]),
        )

    def launcher(
        self, steps: Sequence[Step], prepared: Prepared, memory: dict[str, cl.Buffer | cl.Image]
    ) -> Callable[[], list[cl.Event]]:
        kernels = [kernel_of(step, prepared, memory) for step in steps]

        def launch() -> list[cl.Event]:
            return [
                cl.enqueue_nd_range_kernel(self.queue, kernel, step.size, step.local)
                for kernel, step in zip(kernels, steps, strict=True)
            ]

        return launch


def copies(queue: cl.CommandQueue, most: int, repeats: int) -> dict[str, float]:
    """GB/s of copies by kernels and by OpenCL itself, of up to so many bytes."""
    size = min(most, queue.device.max_mem_alloc_size // 2) // 4096 * 4096
    source, target = (cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, size) for _ in range(2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cl.CompilerWarning)
        program = cl.Program(queue.context, _COPY).build()
    cl.enqueue_fill_buffer(queue, source, np.ones(4, np.uint8), 0, size)

    def by_kernel(name: str, width: int) -> Callable[[], list[cl.Event]]:
        kernel = cl.Kernel(program, name)
        kernel.set_args(target, source)
        return lambda: [cl.enqueue_nd_range_kernel(queue, kernel, (size // width,), (256,))]

    runs = {
        "float": by_kernel("copy", 4),
        "float4": by_kernel("copy4", 16),
        "clEnqueueCopyBuffer": lambda: [cl.enqueue_copy(queue, target, source)],
    }
    times = in_turns(queue, list(runs.values()), repeats)
    medians = map(statistics.median, times)
    return {name: 2 * size / ms / 1e6 for name, ms in zip(runs, medians, strict=True)}


def in_turns(
    queue: cl.CommandQueue, runs: Sequence[Callable[[], list[cl.Event]]], repeats: int
) -> list[list[float]]:
    """Of each run the kernel times, in milliseconds."""
    times: list[list[float]] = [[] for _ in runs]
    number = -WARM_UP
    is_gpu = bool(queue.device.type & cl.device_type.GPU)
    warm = time.monotonic() + (WARM_UP_SECONDS if is_gpu else 0)
    while number < repeats:
        for mine, run in zip(times, runs, strict=True):
            events = run()
            queue.finish()
            if number >= 0:
                mine.append(sum(e.profile.end - e.profile.start for e in events) / 1e6)
        if number >= 0 or number < -1 or time.monotonic() > warm:
            number += 1
    return times


def _side(steps: Sequence[Step], times: list[float], moved: int) -> Side:
    """In doubt is about the standard error of a median."""
    median, spread = statistics.median(times), 0.0
    if len(times) > 1:
        quarters = statistics.quantiles(times)
        spread = quarters[2] - quarters[0]
    return Side(len(steps), moved, median, spread / math.sqrt(len(times)) / median)


def alone(planned: PlannedPattern) -> list[Group]:
    """Each call in a kernel of its own."""
    nothing: frozenset[str] = frozenset()
    return [Group((i.index,), nothing, nothing, (), 0, 0, 0, 0) for i in planned.plan.invocations]


def traffic(
    planned: PlannedPattern, launches: Sequence[Launched], type_of: TypeOf = written_type
) -> tuple[int, int]:
    """Bytes of what each kernel loads and stores, of the region as written and fused."""

    def moved(groups: Iterable[Group]) -> int:
        return sum(_moved_by(planned, group, launches, type_of) for group in groups)

    return moved(alone(planned)), moved(planned.plan.groups)


def _moved_by(
    planned: PlannedPattern, group: Group, launches: Sequence[Launched], type_of: TypeOf
) -> int:
    in_rows = bytes_in_rows(group, planned.plan.invocations, launches)
    if in_rows is not None:
        return in_rows.loaded + in_rows.stored
    stages, values = values_of(group, planned.plan.invocations)
    functions = functions_of(stages, equalities_of(group, stages), group.again, values)
    loaded: dict[str, int] = {}
    stored: dict[str, int] = {}
    for number, stage in enumerate(stages):
        kernel = stage.invocation.kernel
        counts = touched(kernel, launches[stage.invocation.index])
        for access, found in product(stage.accesses, (values, *functions.values())):
            place = found.places.get((number, access.number)) if group.fused else IN_MEMORY
            if place is None:
                continue  # nobody needs it
            name, mode = access.memory.name, access.access.mode
            parameter = access.access.parameter
            is_image = access.access.texel is not None
            type_ = access.type if is_image else type_of(kernel, stage.parameter(parameter))
            moved = counts[parameter] * size_of(type_)
            in_memory = place.role is Role.MEMORY
            if mode.reads and (in_memory or place.role is Role.LOAD):
                loaded[name] = max(loaded.get(name, 0), moved)
            if mode.writes and (in_memory or place.stored or place.flushed):
                stored[name] = max(stored.get(name, 0), moved)
    return sum(loaded.values()) + sum(stored.values())
