"""How groups of a GPU march through the levels of a group (levels.py) in three dimensions.

Each item does a few rows of one column of every level, plane by plane, and keeps their last planes
in registers. Planes of what neighbours need pass through local memory, so a level that is read
there is made one plane later. As in two dimensions (march.py), items at the sides of a group
compute what nothing is stored of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kfusion.graph.again import Functions
from kfusion.graph.bind import Stage
from kfusion.graph.levels import NO_LIMITS, Interval, Key, Level, Levels, Limits
from kfusion.graph.march import LEAST_HIGH, MANY, MOST_UNROLLED, Kept, may_march
from kfusion.graph.model import PIECE, Marching
from kfusion.graph.target import Target
from kfusion.kernel.types import size_of
from kfusion.source.dataclasses import dataclass

_ITEMS_ALONG = 8  # of a group, one below the other

Place = tuple[int, int]  # column and row, from the first row of an item


@dataclass(frozen=True)
class Column(Kept):
    """What an item has of a level; its rows are planes."""

    above: int  # rows beside its own
    below: int
    beside: tuple[Place, ...]  # what it has of others


@dataclass(frozen=True)
class Planes:
    levels: Levels
    rows: int  # that one item does
    across: int  # items of a group, by dimension
    along: int
    kept: Mapping[Key, Column]
    passed: Mapping[Key, int]  # where in local memory a plane is that is passed: its first element
    sizes: Mapping[str, int]  # by type, elements that are passed in one plane
    tiles: Mapping[Key, int]  # where the level of a piece of the frame starts
    tile: int  # elements of a plane of it
    local: Mapping[str, int]  # by type, elements of local memory

    @property
    def every(self) -> tuple[Level, ...]:
        return (*self.levels.levels, self.levels.last)

    @property
    def items(self) -> int:
        return self.across * self.along

    @property
    def stored(self) -> tuple[int, int]:
        """Columns and rows that a group stores."""
        sides = ((0, self.across), (1, self.along * self.rows))
        wide, high = (side - _length(self.levels.around(d)) for d, side in sides)
        return wide, high

    @property
    def first(self) -> int:
        """The plane that a group begins at, from the first one that it stores."""
        return min(each.reach[2][0] + self.kept[each.key].delay for each in self.every)

    @property
    def over(self) -> int:
        return self.kept[self.levels.last.key].delay - self.first

    @property
    def unrolled(self) -> int:
        most = max(each.rows for each in self.kept.values())
        return min(MOST_UNROLLED, max(4, most // 2 * 2))  # even: there are two places to pass

    @property
    def inside(self) -> Limits:
        """Where all columns, and all planes that are needed of them, have constant offsets."""
        found = NO_LIMITS
        for level in self.every:
            for each in (level.domain, level.inside):
                found += each.around(2, level.reach[2])
        return found


def marching_in_planes(
    levels: Levels, stages: Sequence[Stage], functions: Functions, target: Target
) -> Marching | None:
    """How the device marches best; None: it cannot."""
    if not may_march(levels, stages, functions):
        return None
    items = target.marchers // 2 * _ITEMS_ALONG
    rows = max(1, target.march // max(size_of(level.type) for level in levels.levels))
    while rows > 1 and _registers(planes_of(levels, rows, items)) > MANY:
        rows //= 2
    found = planes_of(levels, rows, items)
    room = sum(size_of(type_) * count for type_, count in found.local.items())
    wide, along = found.stored
    if min(wide, along) < 1 or room > target.local_bytes:
        return None
    if PIECE[0] + _length(levels.around(0)) > items:  # they do at least a row of a piece at once
        return None
    high = max(LEAST_HIGH, 16 * found.over)
    sizes = (wide, along, high), (found.items, 1, 1)
    return Marching(*sizes, found.rows, max(1, 2 * found.over), target.marches)


def _registers(planes: Planes) -> int:
    kept = ((level, planes.kept[level.key].rows) for level in planes.levels.levels)
    return sum(planes.rows * count * size_of(level.type) // 4 for level, count in kept)


def planes_of(levels: Levels, rows: int, items: int) -> Planes:
    every, across = (*levels.levels, levels.last), items // _ITEMS_ALONG
    delays: dict[Key, int] = {}
    for level in every:
        delays[level.key] = max(
            (
                delays[key] + down[1] + any(side != (0, 0) for side in sides)
                for key, windows in level.reads.items()
                for *sides, down in windows
            ),
            default=0,
        )
    kept = {level.key: _column(level, every, delays, rows) for level in every}
    passed: dict[Key, int] = {}
    sizes: dict[str, int] = {}
    for level in levels.levels:
        each, start = kept[level.key], sizes.get(level.type, 0)
        if each.beside:
            passed[level.key] = start + each.above * across + each.left
            size = (each.above + _ITEMS_ALONG * rows + each.below) * across + each.left + each.right
            sizes[level.type] = start + size
    tile = max(
        (wide + _length(levels.around(0))) * (high + _length(levels.around(1)))
        for wide, high in (PIECE[:2], PIECE[1::-1])
    )
    tiles: dict[Key, int] = {}
    local: dict[str, int] = {}
    for level in levels.levels:
        tiles[level.key] = local.get(level.type, 0)
        local[level.type] = tiles[level.key] + level.rows * tile
    local = {type_: max(2 * sizes.get(type_, 0), count) for type_, count in local.items()}
    return Planes(levels, rows, across, _ITEMS_ALONG, kept, passed, sizes, tiles, tile, local)


def _column(level: Level, every: Sequence[Level], delays: Mapping[Key, int], rows: int) -> Column:
    delay = delays[level.key]
    reads = [(delays[e.key], window) for e in every for window in e.reads.get(level.key, ())]
    planes = max((behind - down[0] - delay + 1 for behind, (*_, down) in reads), default=1)
    around = {
        (x, y + row)
        for _, (across, along, _) in reads
        for x in range(across[0], across[1] + 1)
        for y in range(along[0], along[1] + 1)
        for row in range(rows)
    } | {(0, 0), (0, rows - 1)}
    wide, high = ([place[d] for place in around] for d in (0, 1))
    beside = tuple(sorted(p for p in around if p[0] or not 0 <= p[1] < rows))
    sides = -min(wide), max(wide), -min(high), max(high) - rows + 1
    return Column(delay, max(planes, 1), *sides, beside)


def _length(interval: Interval) -> int:
    return interval[1] - interval[0]
