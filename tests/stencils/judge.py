"""May stages be one kernel, in which neighbours' values are computed again? Found by trying.

A stage is one launch: each of its items reads elements some constants away, by a rule where
these are outside, and stores to elements of its own. A group of stages is run as one kernel: an
item does its part of each stage, and where it reads what an earlier stage of the group makes, it
computes that value again, for the item that has made it. So memory is read only where no stage of
the group has written before. Items run in several orders; whatever is wrong in one is wrong.

Values are hashes of all that they are computed from: two are equal only if they were made alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from random import Random
from typing import Literal

Point = tuple[int, ...]
Memory = dict[str, dict[Point, int]]
# "guarded": the guard lets no item read outside. "last": ids have no sign, and -1 is far behind.
Border = Literal["guarded", "clamp", "last", "mirror", "reflect", "wrap", "constant"]
Step = tuple[int, Point]  # an item does its part of a stage
Value = tuple[int, Point, int]  # of a stage, for an item, to one of its buffers
CONSTANT = 0


def inside(position: int, extent: int, border: Border) -> int | None:
    """Where the element of a row stands that is read for a position; None: a constant."""
    if 0 <= position < extent or border == "guarded":
        return position
    match border:
        case "clamp":
            return min(max(position, 0), extent - 1)
        case "last":
            return extent - 1
        case "mirror":  # the outermost element once
            return -position if position < 0 else 2 * extent - 2 - position
        case "reflect":  # and twice
            return -1 - position if position < 0 else 2 * extent - 1 - position
        case "wrap":
            return position % extent
    return None


def _shifted(point: Point, by: Point) -> Point:
    return tuple(p + q for p, q in zip(point, by, strict=True))


@dataclass(frozen=True)
class Read:
    buffer: str
    offset: Point  # from the item's ids
    borders: tuple[Border, ...]  # by dimension
    since: int = 0  # the first store whose value depends on it

    def position(self, item: Point, size: Point) -> Point | None:
        found = [
            inside(*each)
            for each in zip(_shifted(item, self.offset), size, self.borders, strict=True)
        ]
        there = tuple(each for each in found if each is not None)
        return there if len(there) == len(found) else None


@dataclass(frozen=True)
class Store:
    buffer: str
    offset: Point

    def owner(self, position: Point) -> Point:
        """The item that stores to a position."""
        return tuple(p - q for p, q in zip(position, self.offset, strict=True))


def _all(item: Point) -> bool:
    return True


@dataclass(frozen=True)
class Stage:
    name: str  # of its function
    reads: tuple[Read, ...]
    stores: tuple[Store, ...]
    size: Point  # of the arrays, as its borders know them
    launch: tuple[range, ...]
    guard: Callable[[Point], bool] = _all
    function: Callable[[tuple[int, ...]], int] | None = None  # None: any one

    @cached_property
    def domain(self) -> frozenset[Point]:
        return frozenset(item for item in product(*self.launch) if self.guard(item))

    def value(self, output: int, item: Point, read: tuple[int, ...]) -> int:
        """What an item stores there."""
        if self.function is not None:
            return self.function(read)
        return hash((self.name, output, item, read))


@dataclass(frozen=True)
class Group:
    """Stages that are one kernel, which stores to some of the buffers that they write."""

    stages: tuple[Stage, ...]
    stored: frozenset[str]


def fused(group: Group, memory: Memory, steps: Sequence[Step]) -> None:
    own: dict[Point, dict[Value, int]] = {}  # what each item has computed for itself
    for number, item in steps:
        mine = own.setdefault(item, {})
        stores = group.stages[number].stores
        evaluation = _Evaluation(group.stages, memory, dict(mine))
        values = {(number, item, k): evaluation.at(number, item, k) for k in range(len(stores))}
        mine.update(values)
        for store, value in zip(stores, values.values(), strict=True):
            if store.buffer in group.stored:
                memory[store.buffer][_shifted(item, store.offset)] = value


@dataclass(frozen=True)
class _Evaluation:
    """All that one item computes for one stage; `known` is what it need not compute again."""

    stages: tuple[Stage, ...]
    memory: Memory
    known: dict[Value, int]

    def at(self, number: int, item: Point, output: int) -> int:
        if (number, item, output) not in self.known:
            stage = self.stages[number]
            reads = (read for read in stage.reads if read.since <= output)
            read = tuple(self._read(number, each, item) for each in reads)
            self.known[number, item, output] = stage.value(output, item, read)
        return self.known[number, item, output]

    def _read(self, number: int, read: Read, item: Point) -> int:
        position = read.position(item, self.stages[number].size)
        if position is None:
            return CONSTANT
        for earlier in reversed(range(number)):
            for output, store in enumerate(self.stages[earlier].stores):
                owner = store.owner(position)
                if store.buffer == read.buffer and owner in self.stages[earlier].domain:
                    return self.at(earlier, owner, output)
        return self.memory[read.buffer][position]


def orders(stages: Sequence[Stage], random: Random) -> Iterator[list[Step]]:
    """Item by item, from the first, from the last and mixed; stage by stage; and anyhow."""
    items = sorted(frozenset().union(*(stage.domain for stage in stages)))
    numbers = range(len(stages))
    mixed = random.sample(items, len(items))
    for each in (items, items[::-1], mixed):
        yield [(n, item) for item in each for n in numbers if item in stages[n].domain]
    yield [(n, item) for n in numbers for item in mixed if item in stages[n].domain]
    times = [
        (t, n, i) for i in items for n, t in enumerate(sorted(random.random() for _ in stages))
    ]
    yield [(n, item) for _, n, item in sorted(times) if item in stages[n].domain]


def outcomes(groups: Sequence[Group], memory: Memory, seed: int = 0) -> Iterator[Memory]:
    """What memory holds in the end: the kernels are made one after the other, in each order."""
    for way in zip(*(orders(group.stages, Random(seed)) for group in groups), strict=True):
        after = {name: dict(values) for name, values in memory.items()}
        for group, steps in zip(groups, way, strict=True):
            fused(group, after, steps)
        yield after


def _alone(stages: Sequence[Stage]) -> list[Group]:
    return [Group((stage,), frozenset(s.buffer for s in stage.stores)) for stage in stages]


def unfused(stages: Sequence[Stage], memory: Memory) -> Memory:
    return next(outcomes(_alone(stages), memory))


def has_race(stages: Sequence[Stage], memory: Memory) -> bool:
    """The launches as they were written leave now this, now that."""
    first, *others = outcomes(_alone(stages), memory)
    return any(first != other for other in others)


def may_be(
    groups: Sequence[Group], stages: Sequence[Stage], memory: Memory, observed: frozenset[str]
) -> bool:
    """In all orders, the groups leave what the stages leave one after the other."""
    expected = unfused(stages, memory)
    return all(
        after[name] == expected[name] for after in outcomes(groups, memory) for name in observed
    )


def filled(names: str | Sequence[str], size: Point) -> Memory:
    return {
        name: {point: hash((name, point)) for point in product(*map(range, size))} for name in names
    }
