"""Which launches a region makes, on each path through it.

The block of a region comes in, any C; predictions go out, one for each path: which kernels are
launched in which order, with which arguments, and what becomes of memory objects. A prediction
is a guess: the run time compares each launch with it, and what it does not know costs a fusion.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from itertools import combinations, pairwise

from pycparser import c_ast

from kfusion.host.closed import closed_as_a_whole
from kfusion.host.execute import MATTERS, Executor
from kfusion.host.handles import kernel_names
from kfusion.host.names import visible_in
from kfusion.host.options import groups_are_full
from kfusion.host.places import Frame
from kfusion.host.predict_launches import Launches, PredictedLaunch, Surrounding, shape
from kfusion.host.program import HostProgram
from kfusion.host.reach import Reach
from kfusion.host.region import Region
from kfusion.host.runs import Before, Runs
from kfusion.host.symbolic import Made, State, Sym
from kfusion.host.ways import PathEndError, Steps, Ways
from kfusion.kernel.model import Kernel
from kfusion.parse.unit import Unit, descendants
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import KFusionError, Reason

MOST_PATHS = 32
MOST_DIFFERENCES = 7  # of a path, from the default one
MOST_IN_ALL = 128  # launches: each path is planned
MOST_STEPS = 12_000  # of all paths together: a second or two


@dataclass(frozen=True)
class Prediction:
    """One path through a region."""

    segments: tuple[tuple[PredictedLaunch, ...], ...]  # rows of launches of known kernels
    values: Mapping[str, Sym]  # what the names of memory and scalars stand for
    made: frozenset[str]  # memory created on the path, with bytes of its own
    released: frozenset[str]  # of those, released for the last time
    doubts: tuple[str, ...]  # why the path is not exact
    after: State  # what places hold at the region's end
    leaves: str = ""  # how the path leaves the block: at its end, return, break, goto, exit, ...
    likely: bool = True  # it nowhere gives up where it could go on
    settled_behind: bool = True  # a command behind the last launch settles, or may do so
    unknown: tuple[Reason, ...] = ()  # launches of kernels that are not known
    before: Before | None = None  # the region, in the program's likely run
    unset: tuple[Reason, ...] = ()  # arguments that no call sets, as far as is seen
    possible: bool = True  # no argument of a launch has another size than its parameter

    def in_run(self, value: Sym) -> Sym:
        """What it was in the likely run."""
        return self.before.value(value) if self.before is not None else value

    @property
    def launches(self) -> tuple[PredictedLaunch, ...]:
        """The longest row."""
        return max(self.segments, key=len, default=())

    @property
    def stretches(self) -> tuple[tuple[PredictedLaunch, ...], ...]:
        """The rows in pieces that are likely to be noted together, in order; where queues may be
        one or several, both ways."""
        pieces = [
            piece
            for row in self.segments
            for piece in _pieces(row, lambda _, launch: launch.apart is not None)
        ]
        found: list[tuple[PredictedLaunch, ...]] = []
        for piece in pieces:
            by_queue = _pieces(piece, lambda before, launch: before.queue != launch.queue)
            if len(by_queue) == 1 or not all(isinstance(x.queue, Made) for x in piece):
                found.append(piece)
            found += by_queue if len(by_queue) > 1 else ()
        return tuple(map(numbered, found))

    def of_several_programs(self, alike: Collection[Unit] = ()) -> dict[tuple[int, int], Reason]:
        """The launches, by their places in the row, that are likely to be of different ones;
        programs are `alike` that may all be built in one way."""
        found: dict[tuple[int, int], Reason] = {}
        for p, q in combinations(self.launches, 2):
            one, other = p.invocation, q.invocation
            program = one.kernel.program
            if program is not other.kernel.program or program in alike or self.before is None:
                continue
            if not self.before.of_one_program(p.handle, q.handle):
                names = f"{one.kernel.name} and {other.kernel.name}"
                text = f"{names} are made from different programs, with different options"
                found[one.index, other.index] = Reason("KF208", text, other.span)
        return found

    @property
    def sizes(self) -> tuple[tuple[Sym, ...], ...]:
        return tuple(launch.size for launch in self.launches)

    @property
    def exact(self) -> bool:
        return not self.doubts


def _pieces(
    row: tuple[PredictedLaunch, ...], parted: Callable[[PredictedLaunch, PredictedLaunch], bool]
) -> list[tuple[PredictedLaunch, ...]]:
    """A row that is cut where a launch is parted from the one before it."""
    starts = [0, *(i for i in range(1, len(row)) if parted(row[i - 1], row[i])), len(row)]
    return [row[first:end] for first, end in pairwise(starts)]


def numbered(row: tuple[PredictedLaunch, ...]) -> tuple[PredictedLaunch, ...]:
    return tuple(
        replace(launch, invocation=replace(launch.invocation, index=number))
        for number, launch in enumerate(row)
    )


class Predictions:
    """The paths of a region that give up nowhere, beginning with the default one: patterns are
    made of them."""

    def __init__(self, follow: Callable[[Ways], list[Prediction]]) -> None:
        steps = Steps(MOST_STEPS)
        found: list[Prediction] = []
        # Each entry of the heap: differences, order, script.
        waiting: list[tuple[int, int, tuple[bool, ...]]] = [(0, 0, ())]
        number, cut = 0, False
        while waiting and len(found) < MOST_PATHS and steps.left > 0:
            launches = sum(len(path.launches) for path in found)
            if waiting[0][0] > MOST_DIFFERENCES or launches > MOST_IN_ALL:
                break
            differences, _, script = heapq.heappop(waiting)
            ways = Ways(steps, script)
            found += follow(ways)
            cut = cut or ways.cut
            for cost, other in ways.others:
                number += 1
                heapq.heappush(waiting, (differences + cost, number, other))
        possible = [path for path in found if path.possible] or found
        self.likely = _ordered(possible)  # each sequence of launches once, then the rest
        self.certain = not cut and not waiting and all(path.exact for path in found)
        self.certain = self.certain and len(possible) == len(found)

    @property
    def are_one(self) -> bool:
        """One path, be it with several rows."""
        return len({id(path.after) for path in self.likely}) == 1


def predictions(
    region: Region, program: HostProgram, kernels: dict[str, Kernel], runs: Runs
) -> Predictions:
    """Follow the paths through a region: the default one, then those that differ least."""
    run = runs.of(region.block)
    around = Surrounding(
        region,
        program,
        kernel_names(program),
        kernels,
        Reach.of(program, MATTERS),
        run.before[region.block] if run is not None else None,
        groups_are_full(program.units),
        closed_as_a_whole(program),
    )
    return Predictions(lambda ways: _follow(around, ways))


def _follow(around: Surrounding, ways: Ways) -> list[Prediction]:
    """One path: with the memory of the likely run, and, if that has more than one name, with each
    name as memory of its own."""
    executor = Executor(around.program, around.reach, ways, around.before)
    executor.harmless = frozenset(around.region.mark.harmless)
    function, block = around.region.function, around.region.block
    seen = visible_in(block, function)
    executor.frames = [Frame(0, None, function.unit, seen, home=function.name)]
    leaves = ""
    try:
        if not executor.statement(block):
            leaves = executor.jump
            labels = (n.name for n in descendants(block) if isinstance(n, c_ast.Label))
            if leaves == "goto" and executor.label in labels:
                ways.doubt("a goto into another block")
    except PathEndError as end:
        leaves = "exit" if end.ended else "unknown"
        if end.doubt:
            ways.doubt(end.doubt)
    except KFusionError as problem:
        leaves = "unknown"
        ways.doubt(f"not understood: {problem}")
    found: dict[object, Launches] = {}
    for as_in_run in (True, False):
        launches = Launches(executor.launches, around, ways, as_in_run=as_in_run)
        found.setdefault(shape(launches.rows), launches)
    return [
        Prediction(
            launches.rows,
            launches.values,
            frozenset(map(str, executor.references)),
            frozenset(map(str, executor.released)),
            tuple(ways.doubts),
            executor.state,
            leaves,
            not ways.gave_up,
            executor.perhaps_settled,
            tuple(launches.unknown),
            around.before,
            tuple(launches.unset.values()),
            launches.possible,
        )
        for launches in found.values()
    ]


def _ordered(paths: list[Prediction]) -> tuple[Prediction, ...]:
    """Each sequence once, the default's first and then the longest; then the others."""
    seen: set[object] = set()
    first: list[Prediction] = []
    others: list[Prediction] = []
    for path in paths:
        key = shape(path.segments)
        (others if key in seen else first).append(path)
        seen.add(key)
    default = first[:1] if first and len(first[0].launches) > 1 else []
    rest = sorted(first[len(default) :], key=lambda path: -len(path.launches))
    return (*default, *rest, *others)
