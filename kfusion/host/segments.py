"""Segments of a region: calls executed in a row, from any one of them on.

A region comes in, with the program that its functions are of; runs go out, one for each call
of a segment, from an unknown state before the first of them. So a group of calls is understood
without what happened to be known after those before it. What the application does itself is
executed here, too: the arguments of calls, and the statements between them.
"""

from __future__ import annotations

from dataclasses import field

from pycparser import c_ast

from kfusion.host.effects import Assign, HostCall
from kfusion.host.frames import Frame
from kfusion.host.library import LibraryExecutor, Run
from kfusion.host.program import HostProgram
from kfusion.host.reach import Reach
from kfusion.host.regions import Between, Region, RegionCall
from kfusion.host.symbolic import Place, State, Sym
from kfusion.source.dataclasses import dataclass


@dataclass
class _Segment:
    """Calls of a region, executed in a row from an unknown state."""

    executor: LibraryExecutor
    state: State = field(default_factory=State)
    runs: list[Run] = field(default_factory=list)


class Segments:
    """The segments of one region. Each is executed once, and longer when that is asked for."""

    def __init__(self, region: Region, program: HostProgram) -> None:
        self.region, self.program = region, program
        self.positions = [i for i, item in enumerate(region.items) if isinstance(item, RegionCall)]
        self._segments: dict[int, _Segment] = {}  # by their first calls
        self._calls: dict[int, int] = {}  # the call that each run is of

    def runs(self, first: int, last: int) -> list[Run]:
        """Run the calls first..last, with the application's statements between them."""
        segment = self._segments.get(first)
        if segment is None:
            segment = self._segments[first] = _Segment(LibraryExecutor(self.program))
            segment.executor.application = self.frame().variables
        executor, state = segment.executor, segment.state
        while len(segment.runs) <= last - first:
            index = first + len(segment.runs)
            if index > first:
                for item in self.between(index - 1, index):
                    self.run_between(executor, item, state)
            call = self.region.calls[index]
            arguments = self.arguments(executor, call, state)
            segment.runs.append(executor.run_call(call.function, arguments, state))
            self._calls[id(segment.runs[-1])] = index
        return segment.runs[: last - first + 1]

    def index_of(self, run: Run) -> int:
        """Which call of the region it is a run of."""
        return self._calls[id(run)]  # runs are kept: no other one gets this number

    def after(self) -> tuple[LibraryExecutor, State]:
        """What is known when the whole region has run, to go on from."""
        whole = self._segments[0]
        return whole.executor, whole.state.copy()

    def frame(self) -> Frame:
        """The application's function, around the region."""
        variables = dict.fromkeys(self.region.variables) | self.region.variables
        return Frame(0, None, self.region.unit, variables, home=self.region.function.name)

    def arguments(self, executor: LibraryExecutor, call: RegionCall, state: State) -> list[Sym]:
        executor.frames, executor.step = [self.frame()], None
        nodes = [argument.node for argument in call.arguments]
        values = [executor.value(node, state) for node in nodes]
        values = executor.passed(call.function, nodes, values)
        executor.frames = []
        return values

    def reads(self, reach: Reach, nodes: list[c_ast.Node], state: State) -> set[Place]:
        """Places that expressions of the application read, and that its calls may reach."""
        executor = LibraryExecutor(self.program)
        executor.frames = [self.frame()]
        return reach.reads(executor, nodes, state.copy())

    def run_between(self, executor: LibraryExecutor, item: Between, state: State) -> None:
        executor.frames, executor.step = [self.frame()], None
        for node in item.nodes:
            executor.statement(node, state)
        executor.frames = []

    def is_watched(self) -> bool:
        """May something in the region, other than its calls, read memory on the device?"""
        executor = LibraryExecutor(self.program)
        for item in self.region.items:
            if isinstance(item, RegionCall):
                if item.status == "unknown":  # there is more in the statement than the call
                    return True
            elif not item.harmless:
                self.run_between(executor, item, State())
        return any(not isinstance(e, HostCall | Assign) for e in executor.effects)

    def between(self, before: int, after: int) -> list[Between]:
        """The application's statements between two calls."""
        items = self.region.items[self.positions[before] + 1 : self.positions[after]]
        return [item for item in items if isinstance(item, Between)]
