"""What a kernel loads and stores whose groups march, in two dimensions: as halo.py tells it.

The launch is divided as the kernel divides it (synthesis/march.py): strips, where all offsets are
constant, and pieces of the frame around them. Each of those is loaded for once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from kfusion.device.extents import Launched
from kfusion.device.halo import Bytes, Flags, Grid, Part, Strips, Touch, UnknownError, spans
from kfusion.graph.levels import Level
from kfusion.graph.march import March, march_of
from kfusion.graph.model import FRAME, Group, Invocation, Marching
from kfusion.graph.sources import sources_of
from kfusion.kernel.forms import Form
from kfusion.kernel.types import size_of
from kfusion.source.dataclasses import dataclass

_Ends = list[tuple[int, int]]


def bytes_in_rows(
    group: Group, invocations: Sequence[Invocation], launches: Sequence[Launched]
) -> Bytes | None:
    """Of buffers in global memory, in strips or where groups march. None: it is neither, or not all
    of it is known."""
    if group.tiles is None or len(group.tiles.items) > 2:
        return None
    made = _Marched if isinstance(group.tiles, Marching) else Strips
    try:
        return made(group, invocations, launches).bytes()
    except UnknownError:
        return None


@dataclass(frozen=True)
class _Shares:
    """Between which columns and rows groups march, and what each does of it."""

    inner: int
    outer: int
    upper: int
    lower: int
    high: int


class _Marched(Strips):
    def grids(self) -> Iterator[Grid]:
        columns, rows = self.size
        inner, outer = self.shares.inner, self.shares.outer
        upper, lower = self.shares.upper, self.shares.lower
        around = list(self.touches())
        (wide, high) = FRAME
        for across, along in (
            (_tiles(0, columns, wide), _tiles(0, upper, high)),
            (_tiles(0, columns, wide), _tiles(lower, rows, high)),
            (_tiles(0, inner, high), _tiles(upper, lower, wide)),
            (_tiles(outer, columns, high), _tiles(upper, lower, wide)),
        ):
            ends = across, along

            def parts(level: Level, d: int, ends: tuple[_Ends, _Ends] = ends) -> list[Part]:
                return spans(level.reach[d], ends[d], self.size[d])

            yield Grid(around, parts)
        yield Grid([*self._sources(), *self._without_sources()], self._marched)

    @cached_property
    def march(self) -> March:
        assert isinstance(self.tiles, Marching)
        sources = sources_of(self.levels, self.stages, self.values)
        return march_of(self.levels, sources, self.tiles.columns, self.tiles.local[0])

    # As the kernel divides the launch

    @cached_property
    def shares(self) -> _Shares:
        assert self.tiles is not None
        (columns, rows), march, inside = self.size, self.march, self.march.inside
        low, high = march.levels.rows
        before, behind = march.before * march.columns, march.behind * march.columns
        inner = max([0, *self._ends(inside.first[0], columns)])
        inner = -(-(inner + before) // march.columns) * march.columns
        outer = min([columns, *self._ends(inside.end[0], columns)]) - behind
        upper = max([-low, *self._ends(inside.first[1], rows)])
        lower = min([rows - high, *self._ends(inside.end[1], rows)])
        groups = self.tiles.launched(self.size)[0] // self.tiles.local[0]
        most = groups - sum(-(-side // FRAME[0]) for side in self.size)
        few = outer - inner < march.wide or upper >= lower
        if (
            few
            or any(self._number(f) < 0 for f in inside.when)
            or most < self._strips(inner, outer)
        ):
            return _Shares(0, 0, rows, rows, 1)
        outer -= (outer - inner) % march.columns
        share = (lower - upper) // max(most // max(self._strips(inner, outer), 1), 1)
        share += march.over + march.unrolled
        return _Shares(
            inner, outer, upper, lower, share // march.unrolled * march.unrolled - march.over
        )

    def _strips(self, inner: int, outer: int) -> int:
        return -(-(outer - inner) // self.march.wide)

    def _ends(self, forms: Sequence[Form], size: int) -> list[int]:
        return [min(max(self._number(form), 0), size) for form in forms]

    def _number(self, form: Form) -> int:
        return int(self.value(form, {}).item())

    # Where groups march

    def _sources(self) -> Iterator[Touch]:
        there: tuple[Flags, Flags] = (np.ones(self.size[0], bool), np.ones(self.size[1], bool))
        for source in self.march.sources:
            access = self.stages[source.load[0]].access(source.load[1])
            if access.memory.name not in self.constant:
                index = self.split(source.form, self.ids)
                yield Touch(access.memory.name, size_of(access.type), source.level, index, there)

    def _without_sources(self) -> Iterator[Touch]:
        """What levels load themselves."""
        return self.touches(but=self.march.of_memory.loads)

    def _marched(self, level: Level, dimension: int) -> list[Part]:
        march, shares = self.march, self.shares
        is_last = level.key == march.last.key
        if dimension == 0:
            starts = range(shares.inner, shares.outer, march.wide)
            found: list[Part] = []
            for start in starts:
                first = min(start, shares.outer - march.wide)
                left = first - march.before * march.columns
                whole = slice(left, left + march.items * march.columns)
                found.append(slice(start, first + march.wide) if is_last else whole)
            return found
        ends = _tiles(shares.upper, shares.lower, shares.high)
        if is_last:
            return [slice(*each) for each in ends]
        return [self._rows(level, top, bottom) for top, bottom in ends]

    def _rows(self, level: Level, top: int, bottom: int) -> Part:
        """Those that are made, some of them several times; of sources, one more is loaded."""
        march, (low, high) = self.march, level.reach[1]
        first = top + march.first
        count = bottom + march.kept[march.last.key].delay - first
        count = -(-count // march.unrolled) * march.unrolled + (level.key[0] < 0)
        rows = np.arange(first, first + count) - march.kept[level.key].delay
        return np.clip(rows, self.shares.upper + low, self.shares.lower + high - 1)


def _tiles(start: int, end: int, size: int) -> _Ends:
    return [(each, min(each + size, end)) for each in range(start, end, size)]
