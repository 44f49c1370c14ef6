"""How groups of a GPU march through the levels of a group (levels.py), row by row.

Each item does a few columns of every level and keeps their last rows in registers, and those of
what the levels load (sources.py). What neighbours need of its columns passes through local memory,
so a level that is read there is made one row later. Items at both ends of a group compute columns,
and all items rows, that nothing is stored of: of values that are none of the program's
(kernel/any_values.py). They read memory where items are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kfusion.graph.again import Functions, live_stages
from kfusion.graph.bind import Stage
from kfusion.graph.levels import NO_LIMITS, Key, Level, Levels, Limits
from kfusion.graph.model import FRAME, Marching
from kfusion.graph.sources import Box, Source, Sources, sources_of, take_any_values, written_by
from kfusion.graph.target import Target
from kfusion.graph.values import GroupValues
from kfusion.kernel.any_values import FLOATS
from kfusion.kernel.types import size_of
from kfusion.source.dataclasses import dataclass

UNROLLED = 64  # rounds of loops: what is in registers has no number to be found by
MOST_UNROLLED = 8  # rows: more is more text than caches for instructions take
LEAST_HIGH = 64  # of what a group walks down, if there is enough to do


@dataclass(frozen=True)
class Kept:
    """What an item has of a level."""

    delay: int  # rows that it is behind the row that the group is at
    rows: int
    left: int  # columns beside its own
    right: int


@dataclass(frozen=True)
class Passed:
    """Where in local memory a level's columns for other items are."""

    start: int
    columns: tuple[int, ...]  # of an item's, that others need
    width: int  # of the place for one of them, of all items
    before: int  # items in front of the first one


@dataclass(frozen=True)
class Marched:
    """In two dimensions or three, where rows are planes."""

    levels: Levels
    of_memory: Sources
    kept: Mapping[Key, Kept]

    @property
    def sources(self) -> tuple[Source, ...]:
        return self.of_memory.sources

    @property
    def kept_levels(self) -> tuple[Level, ...]:
        """Those that rows are kept of."""
        return (*(source.level for source in self.sources), *self.of_memory.walked[:-1])

    @property
    def every(self) -> tuple[Level, ...]:
        return (*self.kept_levels, self.last)

    @property
    def last(self) -> Level:
        return self.of_memory.walked[-1]

    @property
    def first(self) -> int:
        """The row that a group begins at, from the first one that it stores."""
        return min(each.reach[-1][0] + self.kept[each.key].delay for each in self.every)

    @property
    def over(self) -> int:
        return self.kept[self.last.key].delay - self.first

    @property
    def unrolled(self) -> int:
        most = max(each.rows for each in self.kept.values())
        least = 2 if self.sources else 4  # what is loaded a row ahead is not waited for
        return min(MOST_UNROLLED, max(least, most // 2 * 2))  # even: there are two places to pass

    @property
    def inside(self) -> Limits:
        """Where all columns, and all rows that are needed of them, have constant offsets."""
        found = NO_LIMITS
        for level in self.every:
            for each in (level.domain, level.inside):
                found += each.around(len(level.reach) - 1, level.reach[-1])
        return found


@dataclass(frozen=True)
class March(Marched):
    columns: int
    items: int
    passed: Mapping[Key, Passed]
    sizes: Mapping[str, int]  # by type, elements that are passed in one row
    tiles: Mapping[Key, int]  # where the level of a piece of the frame starts
    local: Mapping[str, int]  # by type, elements of local memory
    before: int  # items that compute for others only
    behind: int

    @property
    def wide(self) -> int:
        """Columns that a group stores."""
        return (self.items - self.before - self.behind) * self.columns


def marching(
    levels: Levels,
    stages: Sequence[Stage],
    values: GroupValues,
    functions: Functions,
    target: Target,
) -> Marching | None:
    """How the device marches best; None: it cannot."""
    if not may_march(levels, stages, functions):
        return None
    sources = sources_of(levels, stages, values)
    columns = max(1, target.march // max(size_of(level.type) for level in levels.levels))
    found = march_of(levels, sources, columns, target.marchers)
    while columns > 1 and registers(found, columns) > MANY:
        columns //= 2
        found = march_of(levels, sources, columns, target.marchers)
    if (found.before + found.behind) * 16 > found.items:
        found = march_of(levels, sources, columns, 2 * target.marchers)
    room = sum(size_of(type_) * count for type_, count in found.local.items())
    if 2 * (found.before + found.behind + 1) > found.items or room > target.local_bytes:
        return None
    if registers(found, columns) + _beside(found) > target.registers:
        return None
    over = found.over
    high = max(LEAST_HIGH, 16 * over)
    least = max(1, 2 * over)
    sizes = (found.wide, high), (found.items, 1)
    return Marching(*sizes, columns, least, target.marches)


MANY = 150  # registers for rows


def registers(march: Marched, elements: int) -> int:
    """... of so many that an item does."""
    rows = ((level, march.kept[level.key].rows) for level in march.kept_levels)
    return sum(elements * count * size_of(level.type) // 4 for level, count in rows)


def _beside(march: March) -> int:
    """Registers for columns of other items, from the row in which they have passed on."""
    ages: dict[tuple[Key, int], int] = {}
    for level in march.every:
        for key, windows in level.reads.items():
            delay = march.kept[level.key].delay - march.kept[key].delay
            for (left, right), (upper, _) in windows:
                for column in (*range(left, 0), *range(march.columns, march.columns + right)):
                    ages[key, column] = max(delay - upper, ages.get((key, column), 0))
    sizes = {level.key: size_of(level.type) for level in march.kept_levels}
    return sum(age * sizes[key] // 4 for (key, _), age in ages.items())


def may_march(levels: Levels, stages: Sequence[Stage], functions: Functions) -> bool:
    """May all levels be made of any values? The last one is only made where everything is as it
    should be."""
    if not {level.type for level in levels.levels} <= FLOATS:
        return False
    live = {
        number
        for key in (level.key for level in levels.levels)
        for number in live_stages(stages[: key[0] + 1], functions[key])
    }
    return take_any_values([stages[number] for number in live], written_by(stages))


Reads = Mapping[Key, Sequence[tuple[Key, Box]]]


def delays_of(of_memory: Sources) -> tuple[Mapping[Key, int], Reads]:
    """How many rows each level is behind the first one, and what reads it."""
    sources = [source.level for source in of_memory.sources]
    every = (*sources, *of_memory.walked)
    delays = {source.key: 0 for source in sources}
    for level in of_memory.walked:
        windows = [(key, window) for key, each in level.reads.items() for window in each]
        delays[level.key] = max(
            (delays[key] + _later(window) for key, window in windows), default=0
        )
    reads = {
        level.key: [(e.key, w) for e in every for w in e.reads.get(level.key, ())]
        for level in every
    }
    for source in sources:  # no earlier than they are needed
        delays[source.key] = min(delays[key] - _later(window) for key, window in reads[source.key])
    return delays, reads


def _later(window: Box) -> int:
    """What is of other items must have passed through local memory."""
    *sides, down = window
    return down[1] + any(side != (0, 0) for side in sides)


def march_of(levels: Levels, of_memory: Sources, columns: int, items: int) -> March:
    every = (*(source.level for source in of_memory.sources), *of_memory.walked)
    delays, reads = delays_of(of_memory)
    kept: dict[Key, Kept] = {}
    for level in every:
        delay = delays[level.key]
        found = [(delays[key], window) for key, window in reads[level.key]]
        rows = max((behind - down[0] - delay + 1 for behind, (_, down) in found), default=1)
        left = max((-across[0] for _, (across, _) in found), default=0)
        right = max((across[1] for _, (across, _) in found), default=0)
        kept[level.key] = Kept(delay, max(rows, 1), max(left, 0), max(right, 0))
    lows, highs = zip(*(level.reach[0] for level in every), strict=True)
    passed, sizes = _passed(every[:-1], kept, columns, items)
    tiles, local = _tiles(levels)
    for type_, size in sizes.items():
        local[type_] = max(2 * size, local.get(type_, 0))
    before, behind = -(min(lows) // columns), -(-max(highs) // columns)
    return March(
        levels, of_memory, kept, columns, items, passed, sizes, tiles, local, before, behind
    )


def _passed(
    levels: Sequence[Level], kept: Mapping[Key, Kept], columns: int, items: int
) -> tuple[dict[Key, Passed], dict[str, int]]:
    found: dict[Key, Passed] = {}
    sizes: dict[str, int] = {}
    for level in levels:
        each = kept[level.key]
        beside = [*range(-each.left, 0), *range(columns, columns + each.right)]
        if beside:
            used = tuple(sorted({e % columns for e in beside}))
            before, behind = -(-each.left // columns), -(-each.right // columns)
            start, width = sizes.get(level.type, 0), items + before + behind
            found[level.key] = Passed(start, used, width, before)
            sizes[level.type] = start + len(used) * width
    return found, sizes


def _tiles(levels: Levels) -> tuple[dict[Key, int], dict[str, int]]:
    """Where the levels of a piece of the frame are: in the place of those that none needs."""
    every = (*levels.levels, levels.last)
    more = [high - low for low, high in (levels.halo, levels.rows)]
    sides = FRAME, FRAME[::-1]
    size = max((wide + more[0]) * (high + more[1]) for wide, high in sides)
    last = {key: n for n, level in enumerate(every) for key in level.reads}
    found: dict[Key, int] = {}
    local: dict[str, int] = {}
    for n, level in enumerate(levels.levels):
        used = [
            found[e.key] for e in levels.levels[:n] if e.type == level.type and last[e.key] >= n
        ]
        start = next(start for start in range(0, n * size + 1, size) if start not in used)
        found[level.key] = start
        local[level.type] = max(start + size, local.get(level.type, 0))
    return found, local
