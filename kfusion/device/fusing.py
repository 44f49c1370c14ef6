"""`with fusing(queue, out=[c]):` holds launches of PyOpenCL back and makes them by fewer kernels.

What the block launches is noted (`watching.py` hears of it) and made when the block ends. Whatever
is not understood *settles*: the noted launches are made as they were written, in order, before
anything else happens. What the kernels are, which buffers and numbers are the same, and how the
ranges are, make a pattern; its plan and its kernels are kept (`patterns.py`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from itertools import groupby
from math import prod
from operator import index
from types import TracebackType
from typing import Any

import pyopencl as cl
from pyopencl import array

from kfusion.api import find_target
from kfusion.checks import MOST_ITEMS
from kfusion.device import watching
from kfusion.device.launching import At
from kfusion.device.memory import Known, is_mapped, known, lies, whole
from kfusion.device.overlap import Extent, overlap
from kfusion.device.patterns import (
    Calls,
    Noted,
    Pattern,
    Row,
    kernel_facts,
    key_of,
    outline,
    remember,
)
from kfusion.device.watching import UNKNOWN, NotedEvent
from kfusion.graph.target import AUTO, Target
from kfusion.source.diagnostics import KFusionError
from kfusion.source.protections import is_on, protection

SETTLES = protection("python-settles", "calls in a block of `fusing` settle")
MAPPED = protection("python-host-memory", "memory that the host sees is not held back")
FIRST_READ = protection("python-first-read", "what a block reads before it writes it is stored")
ALIASES = protection("python-out-aliases", "memory that shares bytes with `out` is stored")

_ROW = 32  # launches that are planned together, at most
_HELD = 1024  # launches that are held back, at most
_MEMORY = array.Array, cl.MemoryObjectHolder


def fusing(
    queue: cl.CommandQueue,
    out: Any = None,
    temp: Any = None,
    *,
    target: Target | str = AUTO,
    exact: bool = False,
) -> Region:
    """A block whose launches on the queue are made by fewer kernels, when it ends.

    `out`: the arrays or buffers that are read afterwards; without it all may be. `temp`: those
    that are not. `target` and `exact` are those of `fuse`.
    """
    if not isinstance(queue, cl.CommandQueue):
        raise TypeError(f"fusing() wants a command queue, and is given {type(queue).__name__}")
    observed = None if out is None else _buffers("out", out)
    return Region(queue, observed, _buffers("temp", temp), _target(target, queue.device), exact)


@cache
def _target(target: Target | str, device: cl.Device) -> Target:
    return find_target(target, device)


def _buffers(what: str, given: Any) -> list[Any]:
    listed = [given] if isinstance(given, _MEMORY) else list(given or ())
    for each in listed:
        if not isinstance(each, _MEMORY):
            raise TypeError(
                f"{what}= wants arrays or buffers of PyOpenCL, and is given {type(each).__name__}"
            )
    return listed


class Region:
    """A block of `fusing`; and, when it has ended, what became of it."""

    def __init__(
        self,
        queue: cl.CommandQueue,
        out: Sequence[Any] | None,
        temp: Sequence[Any],
        target: Target,
        exact: bool,
    ) -> None:
        self.queue, self.target, self.exact = queue, target, exact
        self.noted = 0  # launches that were held back
        self.made = 0  # kernels that were launched for them
        self.planned = 0  # patterns that were new
        self.reasons: list[str] = []  # why launches were made as they were written
        self.thread = 0
        self._device = queue.device
        self._made_for = target, exact, queue.context, self._device
        self._out = None if out is None else [whole(each) for each in out]
        self._temp = [each for memory in temp if (each := _own(memory)) is not None]
        # Extents name memory by its handle, which must not become that of other memory.
        self._kept = [getattr(each, "base_data", each) for each in (*(out or ()), *temp)]
        self._launches: list[Noted] = []
        self._numbers: dict[object, int] = {}  # of their arguments, by keys
        self._arguments: dict[int, tuple[cl.Kernel, dict[int, Any]]] = {}
        self._left = ""  # why nothing is noted any more

    def __repr__(self) -> str:
        told = f"{self.noted} launches made by {self.made} kernels"
        return "; ".join([told, *dict.fromkeys(self.reasons)])

    def __enter__(self) -> Region:
        watching.watch()
        if self.thread:
            raise RuntimeError("a block of fusing() is entered once: call fusing() again")
        self.thread = threading.get_ident()
        with watching.lock:
            for outer in watching.reached(self.queue):
                outer.settle("another block begins")
            if self.queue.properties & cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE:
                self._left = "the queue is out of order"
            elif kept := watching.held():
                self._left = f"something has kept a function of PyOpenCL from before: {kept}"
            watching.watchers.append(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        with watching.lock:
            try:
                if kind is None:
                    self._finish(ends=True)
                else:
                    self.settle("an exception")
            finally:
                watching.watchers.remove(self)
                self._arguments.clear()
                self._numbers.clear()

    # What watching.py tells

    def settle(self, why: str) -> None:
        """Make what is noted, as it was written."""
        if self._launches and is_on(SETTLES):
            launches, self._launches = self._launches, []
            self._as_written(launches, why)
        if not self._launches:
            self._numbers.clear()  # a handle may become that of other memory from now on

    def leave(self, why: str) -> None:
        self.settle(why)
        self._left = why

    def set_arguments(self, kernel: cl.Kernel, values: dict[int, Any] | None) -> None:
        key = kernel.int_ptr
        if values is None:
            self._arguments.pop(key, None)
        elif key in self._arguments:
            self._arguments[key][1].update(values)
        else:
            self._arguments[key] = kernel, values

    def note(
        self,
        queue: cl.CommandQueue,
        kernel: cl.Kernel,
        global_work_size: Sequence[int],
        local_work_size: Sequence[int] | None,
        global_work_offset: Sequence[int] | None = None,
        wait_for: Sequence[cl.Event] | None = None,
        g_times_l: bool = False,
        allow_empty_ndrange: bool = False,
    ) -> NotedEvent | None:
        """Note the launch; or None, which settles, and it is made."""
        why = self._left or self._refuses(queue, wait_for, g_times_l)
        if not why:
            at = _at(global_work_size, local_work_size, global_work_offset)
            launch = "its range" if at is None else self._launch(kernel, at)
            if isinstance(launch, Noted):
                self.noted += 1
                self._launches.append(launch)
                if len(self._launches) >= _HELD:
                    self._finish(ends=False)
                return launch.event
            why = f"{kernel.function_name}: {launch}"
        if not self._launches:  # else that is told of them
            self.reasons.append(why)
        self.settle(why)
        return None

    def _refuses(self, queue: Any, wait_for: Any, g_times_l: bool) -> str:
        if queue is not self.queue and queue != self.queue:
            return "a launch on another queue"
        if wait_for:
            return "a launch that waits for events"
        return "g_times_l" if g_times_l else ""

    def _launch(self, kernel: cl.Kernel, at: At) -> Noted | str:
        """Or why not."""
        facts = kernel_facts(kernel, self._device)
        if isinstance(facts, str):
            return facts
        if why := facts.refuses(at):
            return why
        _, values = self._arguments.get(kernel.int_ptr, (kernel, {}))
        arguments: list[Any] = []
        numbers: list[int] = []
        same = self._numbers
        memory: list[Known] = []
        for number, (parameter, kind, name) in enumerate(facts.kinds):
            argument = values.get(number, UNKNOWN)
            if argument is UNKNOWN:
                return f"its argument '{parameter.name}' was not set in the block"
            if not isinstance(argument, kind):
                return f"its argument '{parameter.name}' is no {name}"
            if kind is cl.MemoryObjectHolder:
                own = known(argument)
                if own is None or (is_mapped(argument, own.parent) and is_on(MAPPED)):
                    return f"the host sees the memory of '{parameter.name}'"
                memory.append(own)
                key = own.key
            else:
                key = key_of(parameter, argument)
            numbers.append(same.setdefault(key, len(same)))
            arguments.append(argument)
        return Noted(facts, arguments, tuple(numbers), memory, at, NotedEvent(self))

    # Making them

    def _as_written(self, launches: Iterable[Noted], why: str) -> None:
        self.reasons.append(why)
        for launch in launches:
            self.made += 1
            launch.make(self.queue)

    def _finish(self, *, ends: bool) -> None:
        """Make what is noted, fused where that is possible."""
        launches, self._launches = self._launches, []
        self._numbers.clear()
        rows: list[list[Noted]] = []
        for _, group in groupby(launches, lambda launch: launch.facts.program):
            row = list(group)
            rows += [row[i : i + _ROW] for i in range(0, len(row), _ROW)]
        while rows:
            row = rows.pop(0)
            try:
                self._make(row, [launch for each in rows for launch in each], ends)
            except BaseException:
                for launch in (launch for each in (row, *rows) for launch in each):
                    with suppress(cl.Error):
                        if not launch.event.is_made:
                            launch.make(self.queue)
                raise

    def _make(self, launches: list[Noted], later: Sequence[Noted], ends: bool) -> None:
        if len(launches) == 1:
            self._as_written(launches, "a single launch")
            return
        row = self._row(launches, later, ends)
        if why := row.why_not(launches):
            self._as_written(launches, why)
            return
        try:
            for launch in row.pattern.launch(self.queue, launches):
                self.made += 1
                del launch
        except cl.Error as failed:
            left = [launch for launch in launches if not launch.event.is_made]
            self._as_written(left, f"a fused launch failed: {failed}")

    def _row(self, launches: Sequence[Noted], later: Sequence[Noted], ends: bool) -> Row:
        others: tuple[Sequence[Extent | None] | None, ...] = ()
        still = [memory.extent for launch in later for memory in launch.memory]
        if ends and (self._out is not None or self._temp):
            others = self._out, self._temp, still
        found = launches[0].facts.program.source.rows
        key = outline(launches, others), self._made_for
        if key not in found:
            calls = Calls(launches)
            unseen = self._unseen(calls, still) if others else frozenset()
            remember(found, key, Row(self._pattern(calls, unseen)))
        return found[key]

    def _pattern(self, calls: Calls, unseen: frozenset[str]) -> Pattern:
        found = calls.program.source.patterns
        key = calls.key, unseen, self._made_for
        if key not in found:
            self.planned += 1
            try:
                with watching.unseen():
                    found[key] = Pattern(calls, unseen, self.target, self.exact, self.queue)
            except (KFusionError, cl.Error) as failed:
                found[key] = Pattern.failing(str(failed))
        return found[key]

    def _unseen(self, calls: Calls, later: Sequence[Extent]) -> frozenset[str]:
        """Memory of the row, by names, whose values nobody reads afterwards."""
        found = set()
        for name, own in calls.memory.items():
            seen = any(overlap(own.extent, each) for each in (*(self._out or ()), *later))
            if seen and is_on(ALIASES):
                continue
            named = any(_covers(each, own.extent) for each in self._temp)
            first = not calls.is_read_first(name) or not is_on(FIRST_READ)
            if named or (self._out is not None and first):
                found.add(name)
        return frozenset(found)


def _at(size: Any, local: Any, offset: Any) -> At | None:
    """None: OpenCL would not take that, or nobody knows."""
    try:
        return _remembered(size, local, offset)
    except TypeError:  # of lists
        return _read(size, local, offset)


def _read(size: Any, local: Any, offset: Any) -> At | None:
    try:
        sizes = tuple(map(index, size))
        groups = None if local is None else tuple(map(index, local))
        start = None if offset is None else tuple(map(index, offset))
    except (TypeError, ValueError):
        return None
    if not 1 <= len(sizes) <= 3 or min(sizes) < 1 or prod(sizes) > MOST_ITEMS:
        return None
    if groups is not None:
        if len(groups) != len(sizes) or min(groups) < 1:
            return None
        if any(s % g for s, g in zip(sizes, groups, strict=True)):
            return None
    if start is not None and (len(start) != len(sizes) or min(start) < 0):
        return None
    return At(sizes, groups, start if start and any(start) else None)


_remembered = lru_cache(maxsize=1024)(_read)


def _own(memory: Any) -> Extent | None:
    """Bytes that are the array's alone; None: it has gaps."""
    if isinstance(memory, array.Array) and not memory.flags.forc:
        return None
    return lies(memory)


def _covers(one: Extent, other: Extent) -> bool:
    return one.owner == other.owner and one.start <= other.start and other.end <= one.end
