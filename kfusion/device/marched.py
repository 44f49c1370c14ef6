"""What a kernel loads and stores whose groups march: as halo.py tells it.

The launch is divided as the kernel divides it (synthesis/march.py, synthesis/planes.py): strips or
tiles, where all offsets are constant, and pieces of the frame around them. Each of those is loaded
for once; a group that does several pieces loads for all of them once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from math import prod

import numpy as np

from kfusion.device.extents import Launched
from kfusion.device.halo import (
    Bytes,
    Grid,
    Numbers,
    Part,
    Strips,
    Touch,
    UnknownError,
    elements,
)
from kfusion.graph.levels import Level
from kfusion.graph.march import March, march_of
from kfusion.graph.model import Group, Invocation, Marching
from kfusion.graph.planes import Planes, planes_of
from kfusion.graph.sources import Source, sources_of
from kfusion.kernel.forms import Form
from kfusion.kernel.types import size_of
from kfusion.source.dataclasses import dataclass

_Ends = list[tuple[int, int]]


def bytes_in_rows(
    group: Group, invocations: Sequence[Invocation], launches: Sequence[Launched]
) -> Bytes | None:
    """Of buffers in global memory, in strips or where groups march. None: it is neither, or not all
    of it is known."""
    if group.tiles is None:
        return None
    made = _Marched if isinstance(group.tiles, Marching) else Strips
    try:
        return made(group, invocations, launches).bytes()
    except UnknownError:
        return None


@dataclass(frozen=True)
class _Side:
    """What a group does across its walk, in one dimension."""

    stored: int
    before: int  # that it computes for others, at both ends
    behind: int
    step: int  # of which it begins at a multiple

    @property
    def whole(self) -> int:
        return self.before + self.stored + self.behind


@dataclass(frozen=True)
class _Shares:
    """By dimension, between which items groups march, and how far each does."""

    inside: tuple[tuple[int, int], ...]
    high: int
    frame: int  # groups that do pieces of the frame


class _Marched(Strips):
    def grids(self) -> Iterator[Grid]:
        around = list(self.touches())
        for ends in self._frame():

            def parts(touch: Touch, d: int, ends: Sequence[_Ends] = ends) -> list[Part]:
                return self.spans(touch.level, d, ends[d])

            yield Grid(around, parts)
        sources = (touch for source in self.march.sources for touch in self._source(source))
        yield Grid([*sources, *self.touches(but=self.march.of_memory.loads)], self._marched)

    def loaded(self, grids: Sequence[Grid]) -> int:
        *frame, tiles = grids
        total = super().loaded([tiles])
        for of_grids in zip(*(grid.loads for grid in frame), strict=True):
            groups: list[list[Numbers]] = [[] for _ in range(self.shares.frame)]
            before = 0
            for grid, touches in zip(frame, of_grids, strict=True):
                sides = [len(grid.parts(touches[0], d)) for d in range(len(self.size))]
                for found, pieces in elements(touches, grid):
                    for piece, distance in pieces:
                        number = np.ravel_multi_index(piece, sides, order="F")
                        groups[(before + int(number)) % len(groups)].append(found + distance)
                before += prod(sides)
            distinct = (np.unique(np.concatenate(each)).size for each in groups if each)
            total += of_grids[0][0].size * sum(distinct)
        return total

    @cached_property
    def march(self) -> March | Planes:
        assert isinstance(self.tiles, Marching)
        of_memory = sources_of(self.levels, self.stages, self.values)
        made = march_of if len(self.size) == 2 else planes_of
        return made(self.levels, of_memory, self.tiles.columns, self.tiles.local[0])

    # As the kernel divides the launch

    @cached_property
    def sides(self) -> tuple[_Side, ...]:
        march = self.march
        if isinstance(march, March):
            step = march.columns
            return (_Side(march.wide, march.before * step, march.behind * step, step),)
        around = (march.levels.around(d) for d in (0, 1))
        pairs = zip(march.stored, around, strict=True)
        return tuple(_Side(stored, -low, high, 1) for stored, (low, high) in pairs)

    @cached_property
    def shares(self) -> _Shares:
        assert isinstance(self.tiles, Marching)
        march, limits, (*across, along) = self.march, self.march.inside, self.size
        inside: list[tuple[int, int]] = []
        for d, (side, size) in enumerate(zip(self.sides, across, strict=True)):
            start = max([0, *self._ends(limits.first[d], size)]) + side.before
            end = min([size, *self._ends(limits.end[d], size)]) - side.behind
            inside.append((-(-start // side.step) * side.step, end))
        low, high = march.levels.around(len(across))
        top = max([-low, *self._ends(limits.first[len(across)], along)])
        bottom = min([along - high, *self._ends(limits.end[len(across)], along)])
        lengths = [
            (end - start, side) for (start, end), side in zip(inside, self.sides, strict=True)
        ]
        few = top >= bottom or any(length < side.stored for length, side in lengths)
        groups = self.tiles.launched(self.size)[0] // self.tiles.local[0]
        most = groups - self.tiles.spare(self.size)
        tiles = prod(-(-length // side.stored) for length, side in lengths)
        if few or most < tiles or any(self._number(form) < 0 for form in limits.when):
            return _Shares((*((0, 0) for _ in across), (along, along)), 1, groups)
        lengths = [(length - length % side.step, side) for length, side in lengths]
        starts = [
            (start, start + length) for (start, _), (length, _) in zip(inside, lengths, strict=True)
        ]
        tiles = prod(-(-length // side.stored) for length, side in lengths)
        deep = (bottom - top) // max(most // tiles, 1) + march.over + march.unrolled
        deep = deep // march.unrolled * march.unrolled - march.over
        frame = groups - tiles * -(-(bottom - top) // deep)
        return _Shares((*starts, (top, bottom)), deep, frame)

    def _ends(self, forms: Sequence[Form], size: int) -> list[int]:
        return [min(max(self._number(form), 0), size) for form in forms]

    def _number(self, form: Form) -> int:
        return int(self.value(form, {}).item())

    def _frame(self) -> Iterator[list[_Ends]]:
        """Pieces of what is around, on each side."""
        assert isinstance(self.tiles, Marching)
        inside, (wide, high, *deep) = self.shares.inside, self.tiles.frame
        for d, size in reversed([*enumerate(self.size)]):
            pieces = (wide, high, *deep) if d else (high, wide, *deep)
            for side in ((0, inside[d][0]), (inside[d][1], size)):
                ends = (*((0, whole) for whole in self.size[:d]), side, *inside[d + 1 :])
                yield [_tiles(*end, piece) for end, piece in zip(ends, pieces, strict=True)]

    # Where groups march

    def _source(self, source: Source) -> Iterator[Touch]:
        access = self.stages[source.load[0]].access(source.load[1])
        if access.memory.name in self.constant:
            return
        there = tuple(np.ones(size, bool) for size in self.size)
        index = self.split(source.form, self.ids)
        touch = Touch(access.memory.name, size_of(access.type), source.level, index, there)
        yield touch
        if source.beside and isinstance(self.march, Planes):
            planes = replace(source.level, reach=source.beside[0])
            for beside in self._beside(self.march, source):
                yield replace(touch, level=planes, beside=beside)

    def _beside(self, planes: Planes, source: Source) -> Iterator[tuple[Numbers, Numbers]]:
        """Columns and rows that a group loads around its items, from the first one."""
        kept, high = planes.kept[source.level.key], planes.along * planes.rows
        columns = np.arange(-kept.left, planes.across + kept.right)
        rows = np.arange(-kept.above, high + kept.below)
        outer = rows[(rows < 0) | (rows >= high)]
        is_own = (columns >= 0) & (columns < planes.across)
        # What is in corners the program need not load.
        clipped = np.clip(columns, 0, planes.across - 1) if len(source.beside) > 1 else columns
        yield clipped, outer
        yield columns[~is_own], np.arange(high)

    def _marched(self, touch: Touch, dimension: int) -> list[Part]:
        level, (start, end) = touch.level, self.shares.inside[dimension]
        is_last = level.key == self.march.last.key
        if dimension == len(self.sides):
            ends = _tiles(start, end, self.shares.high)
            return [slice(*each) if is_last else self._rows(level, *each) for each in ends]
        side, found = self.sides[dimension], list[Part]()
        for first, last in _tiles(start, end, side.stored):
            # The last tile ends where the others do.
            corner = last - side.stored - side.before
            whole: Part = slice(corner, corner + side.whole)
            if touch.beside:
                whole = corner + touch.beside[dimension]
            found.append(slice(first, last) if is_last else whole)
        return found

    def _rows(self, level: Level, top: int, bottom: int) -> Part:
        """Those that are made, some of them several times; of sources, one more is loaded."""
        march, (low, high), (start, end) = self.march, level.reach[-1], self.shares.inside[-1]
        first = top + march.first
        count = bottom + march.kept[march.last.key].delay - first
        count = -(-count // march.unrolled) * march.unrolled + (level.key[0] < 0)
        rows = np.arange(first, first + count) - march.kept[level.key].delay
        return np.clip(rows, start + low, end + high - 1)


def _tiles(start: int, end: int, size: int) -> _Ends:
    return [(each, min(each + size, end)) for each in range(start, end, size)]
