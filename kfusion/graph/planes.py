"""How groups of a GPU march through the levels of a group (levels.py) in three dimensions.

Each item does a few rows of one column of every level, plane by plane, and keeps their last planes
in registers, and those of what the levels load (sources.py). Planes of what neighbours need pass
through local memory, so a level that is read there is made one plane later. As in two dimensions
(march.py), items at the sides of a group compute what nothing is stored of; but what they load of
others' columns a group loads, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kfusion.graph.again import Functions
from kfusion.graph.bind import Stage
from kfusion.graph.levels import Interval, Key, Levels
from kfusion.graph.march import (
    LEAST_HIGH,
    MANY,
    Kept,
    Marched,
    Reads,
    delays_of,
    may_march,
    registers,
)
from kfusion.graph.model import PIECE, Marching
from kfusion.graph.sources import Sources, sources_of
from kfusion.graph.target import Target
from kfusion.graph.values import GroupValues
from kfusion.kernel.types import size_of
from kfusion.source.dataclasses import dataclass

_ITEMS_ALONG = 8  # of a group, one below the other
_MUCH = 0.25  # of its rows that a group makes for others' sake: then each item does twice as many

Place = tuple[int, int]  # column and row, from the first row of an item


@dataclass(frozen=True)
class Column(Kept):
    """What an item has of a level; its rows are planes."""

    above: int  # rows beside its own
    below: int
    beside: tuple[Place, ...]  # what it has of others


@dataclass(frozen=True)
class Planes(Marched):
    kept: Mapping[Key, Column]
    rows: int  # that one item does
    across: int  # items of a group, by dimension
    along: int
    pitch: int  # of planes that are passed
    passed: Mapping[Key, int]  # where in local memory a plane is that is passed: its first element
    sizes: Mapping[str, int]  # by type, elements that are passed in one plane
    tiles: Mapping[Key, int]  # where the level of a piece of the frame starts
    tile: int  # elements of a plane of it
    local: Mapping[str, int]  # by type, elements of local memory

    @property
    def items(self) -> int:
        return self.across * self.along

    @property
    def stored(self) -> tuple[int, int]:
        """Columns and rows that a group stores."""
        sides = ((0, self.across), (1, self.along * self.rows))
        wide, high = (side - _length(self.levels.around(d)) for d, side in sides)
        return wide, high

    def beside(self, key: Key) -> int:
        """Elements around the items that a group loads of a plane of the source."""
        each, high = self.kept[key], self.along * self.rows
        whole = (each.left + self.across + each.right) * (each.above + high + each.below)
        return whole - self.across * high


def marching_in_planes(
    levels: Levels,
    stages: Sequence[Stage],
    values: GroupValues,
    functions: Functions,
    target: Target,
) -> Marching | None:
    """How the device marches best; None: it cannot."""
    if not may_march(levels, stages, functions):
        return None
    items = target.marchers // 2 * _ITEMS_ALONG
    sources = sources_of(levels, stages, values)
    rows = max(1, target.march // 2 // max(size_of(level.type) for level in levels.levels))
    if _length(levels.around(1)) > rows * _ITEMS_ALONG * _MUCH:
        rows *= 2
    found = planes_of(levels, sources, rows, items)
    while rows > 1 and (registers(found, rows) > MANY or _room(found) > target.local_bytes):
        rows //= 2
        found = planes_of(levels, sources, rows, items)
    wide, along = found.stored
    if min(wide, along) < 1 or _room(found) > target.local_bytes:
        return None
    if PIECE[0] + _length(levels.around(0)) > items:  # they do at least a row of a piece at once
        return None
    high = max(LEAST_HIGH, 16 * found.over)
    sizes = (wide, along, high), (found.items, 1, 1)
    passed = sum(
        size_of(level.type) * _passed(found.kept[level.key], found.rows)
        for level in (*(source.level for source in sources.sources), *levels.levels)
    )
    return Marching(*sizes, found.rows, max(1, 2 * found.over), target.marches, passed)


def _passed(column: Column, rows: int) -> float:
    """Elements for each one that an item makes: to local memory one, and what comes from there."""
    return len(column.beside) / rows + 1 if column.beside else 0


def _room(planes: Planes) -> int:
    return sum(size_of(type_) * count for type_, count in planes.local.items())


def planes_of(levels: Levels, of_memory: Sources, rows: int, items: int) -> Planes:
    every, across = (
        (*(each.level for each in of_memory.sources), *of_memory.walked),
        items // _ITEMS_ALONG,
    )
    delays, reads = delays_of(of_memory)
    kept = {level.key: _column(level.key, delays, reads, rows) for level in every}
    loaded = [kept[each.level.key] for each in of_memory.sources]
    pitch = across + max((each.left + each.right for each in loaded), default=0)
    passed: dict[Key, int] = {}
    sizes: dict[str, int] = {}
    for level in every[:-1]:
        each, start = kept[level.key], sizes.get(level.type, 0)
        if each.beside:
            passed[level.key] = start + each.above * pitch + each.left
            size = (each.above + _ITEMS_ALONG * rows + each.below) * pitch + each.left + each.right
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
    for type_, size in sizes.items():
        local[type_] = max(2 * size, local.get(type_, 0))
    return Planes(
        levels,
        of_memory,
        kept,
        rows,
        across,
        _ITEMS_ALONG,
        pitch,
        passed,
        sizes,
        tiles,
        tile,
        local,
    )


def _column(key: Key, delays: Mapping[Key, int], read: Reads, rows: int) -> Column:
    delay = delays[key]
    reads = [(delays[reader], window) for reader, window in read[key]]
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
