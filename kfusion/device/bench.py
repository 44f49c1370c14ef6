"""Times of each region's kernels, as they were and fused, in one interleaved run.

Nothing is timed before its results are seen to be the same. What the traffic predicts is
told by the buffers: each one that a launch loads from or stores to is moved once.
"""

from __future__ import annotations

import statistics
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
import pyopencl as cl

from kfusion.device.evaluate import CannotRunError
from kfusion.device.extents import touched
from kfusion.device.verify import Outcome, Prepared, Step, Verifier, kernel_of, type_of
from kfusion.driver import PlannedRegion
from kfusion.graph.model import Group
from kfusion.graph.plan import values_of
from kfusion.graph.values import Place, Role
from kfusion.kernel.types import size_of
from kfusion.report.times import Row
from kfusion.source.dataclasses import dataclass

WARM_UP = 5
IN_MEMORY = Place(Role.MEMORY)
COPIED_BYTES = 1 << 28
_COPY = """
kernel void copy(global float4 *c, global const float4 *a)
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
    least_ms: float

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
            predicted=self.before.bytes / self.after.bytes,
        )


class Bench:
    def __init__(self, verifier: Verifier, repeats: int) -> None:
        self.verifier, self.repeats = verifier, repeats
        self.queue = verifier.queue

    def copy_gb_s(self) -> float:
        """The bandwidth of the best copy: by a kernel, or by OpenCL itself."""
        device, context = self.verifier.device, self.verifier.context
        size = min(COPIED_BYTES, device.max_mem_alloc_size // 2) // 4096 * 4096
        flags = cl.mem_flags.READ_WRITE
        source, target = (cl.Buffer(context, flags, size) for _ in range(2))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cl.CompilerWarning)
            program = cl.Program(context, _COPY).build()
        kernel = cl.Kernel(program, "copy")
        kernel.set_args(target, source)
        cl.enqueue_fill_buffer(self.queue, source, np.ones(4, np.uint8), 0, size)

        def by_kernel() -> list[cl.Event]:
            return [cl.enqueue_nd_range_kernel(self.queue, kernel, (size // 16,), (256,))]

        def by_command() -> list[cl.Event]:
            return [cl.enqueue_copy(self.queue, target, source)]

        times = self._times([by_kernel, by_command], max(20, self.repeats // 5))
        return max(2 * size / statistics.median(each) / 1e6 for each in times)

    def time(self, planned: PlannedRegion, size: int) -> Timed:
        outcome = self.verifier.verify(planned, size)
        if outcome.skipped or outcome.difference is not None:
            return Timed(outcome)
        try:
            prepared = self.verifier.prepare(planned, size)
        except CannotRunError as reason:
            return Timed(replace(outcome, skipped=str(reason)))
        memory = self.verifier.memory(prepared)
        runs = [
            self._launcher(steps, prepared, memory) for steps in (prepared.before, prepared.after)
        ]
        before, after = self._times(runs, self.repeats)
        return Timed(
            outcome,
            _side(prepared.before, before, _moved(planned, _alone(planned), prepared)),
            _side(prepared.after, after, _moved(planned, planned.plan.groups, prepared)),
        )

    def _launcher(
        self, steps: Sequence[Step], prepared: Prepared, memory: dict[str, cl.Buffer]
    ) -> Callable[[], list[cl.Event]]:
        kernels = [kernel_of(step, prepared, memory) for step in steps]

        def launch() -> list[cl.Event]:
            return [
                cl.enqueue_nd_range_kernel(self.queue, kernel, step.size, step.local)
                for kernel, step in zip(kernels, steps, strict=True)
            ]

        return launch

    def _times(
        self, runs: Sequence[Callable[[], list[cl.Event]]], repeats: int
    ) -> list[list[float]]:
        """In turns: of each run the kernel times, in milliseconds."""
        times: list[list[float]] = [[] for _ in runs]
        for number in range(WARM_UP + repeats):
            for mine, run in zip(times, runs, strict=True):
                events = run()
                self.queue.finish()
                if number >= WARM_UP:
                    mine.append(sum(e.profile.end - e.profile.start for e in events) / 1e6)
        return times


def _side(steps: Sequence[Step], times: list[float], moved: int) -> Side:
    return Side(len(steps), moved, statistics.median(times), min(times))


def _alone(planned: PlannedRegion) -> list[Group]:
    """Each call in a kernel of its own."""
    nothing: frozenset[str] = frozenset()
    return [Group((i.index,), nothing, nothing, (), 0, 0, 0, 0) for i in planned.plan.invocations]


def _moved(planned: PlannedRegion, groups: Iterable[Group], prepared: Prepared) -> int:
    """Bytes of the buffers that each kernel loads, and of those that it stores."""
    return sum(_moved_by(planned, group, prepared) for group in groups)


def _moved_by(planned: PlannedRegion, group: Group, prepared: Prepared) -> int:
    stages, values = values_of(group, planned.plan.invocations)
    loaded: dict[str, int] = {}
    stored: dict[str, int] = {}
    for number, stage in enumerate(stages):
        kernel = stage.invocation.kernel
        counts = touched(kernel, prepared.launches[stage.invocation.index])
        for access in stage.accesses:
            place = values.places.get((number, access.number)) if group.fused else IN_MEMORY
            if place is None:
                continue  # nobody needs it
            name, mode = access.memory.name, access.access.mode
            parameter = access.access.parameter
            moved = counts[parameter] * size_of(type_of(kernel, stage.parameter(parameter)))
            in_memory = place.role is Role.MEMORY
            if mode.reads and (in_memory or place.role is Role.LOAD):
                loaded[name] = max(loaded.get(name, 0), moved)
            if mode.writes and (in_memory or place.stored or place.flushed):
                stored[name] = max(stored.get(name, 0), moved)
    return sum(loaded.values()) + sum(stored.values())
