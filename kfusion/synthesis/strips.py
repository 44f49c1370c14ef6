"""The text of a kernel of which one item walks down a strip of columns, row by row; or, in three
dimensions, through some rows of it, plane by plane.

It keeps the rows of each level (graph/levels.py) that later ones still need in arrays of its own,
which stay in the first level of the cache. A row of a level is a plain loop over its columns, which
compilers turn into operations on vectors; columns near borders have loops of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kfusion.graph.levels import Interval, Key, Level, Levels, Limits
from kfusion.graph.model import Tiles
from kfusion.synthesis.names import plus
from kfusion.synthesis.ranges import Given, LevelsWriter
from kfusion.synthesis.rows import Rows

_NAMES = ("away", "start", "end")
_BETWEEN = ("above", "below")  # rows of a plane


class StripWriter(LevelsWriter):
    def __init__(
        self, levels: Levels, tiles: Tiles, rows: Mapping[Key, Rows], given: Given
    ) -> None:
        super().__init__(levels, rows, given)
        self.tiles = tiles
        self.walks = "row" if len(self.ids) == 2 else "plane"
        self.row, self.away, self.start, self.end = map(given.names.new, (self.walks, *_NAMES))
        self.between = tuple(map(given.names.new, _BETWEEN)) if len(self.ids) > 2 else ()

    def write(self) -> list[str]:
        out = self.out
        sides = zip(self.tile, self.tiles.items, self.sizes, strict=True)
        for d, ((first, last), items, size) in enumerate(sides):
            end = f"min({first} + {items}, {size})"
            out.add(f"const int {first} = {items} * get_group_id({d}), {last} = {end};")
        for places in {each.places for each in self.rows.values()}:
            for d, place in enumerate(places):
                start = f"{self.tile[d][0]}{plus(self.levels.around(d)[0])}"
                out.add(f"const int {place} = {start};")
        for each in self.rows.values():
            out.add(each.declaration)
        out.blank()
        every = (*self.levels.levels, self.levels.last)
        early = max(level.ahead - level.reach[-1][0] for level in every)
        row, (first, end) = self.row, self.tile[-1]
        start = f"{first}{plus(-early)}"
        self.open(f"for (int {row} = {start}, {self.ids[-1]}; {row} < {end}; {row}++)")
        for group in _alike(every):
            self._level(group)
        self.close()
        return out.lines

    def _level(self, group: Sequence[Level]) -> None:
        """One row of levels that are alike, or one plane."""
        out, level = self.out, group[0]
        labels = ", ".join(dict.fromkeys(self.calls[each.key].label for each in group))
        each = f"{self.walks}{'s' * (level.ahead > 1)}"
        ahead = f", {level.ahead} {each} ahead" if level.ahead else ""
        out.blank()
        self.comment(labels + ahead)
        out.add(f"{self.ids[-1]} = {self.row}{plus(level.ahead)};")
        self.open(f"if ({' && '.join(self.walked(level))})")
        self._range(level)
        if self.between:
            above, below = self.between
            self.open(f"for (int {self.y} = {above}; {self.y} < {below}; {self.y}++)")
        if level.split:
            self._inside(level)
            self._columns(group, self.from_, self.start, inside=False)
            self._columns(group, self.start, self.end, inside=True)
            self._columns(group, self.end, self.to, inside=False)
        else:
            self._columns(group, self.from_, self.to, inside=False)
        if self.between:
            self.close()
        self.close()

    def _range(self, level: Level) -> None:
        """Declares from where to where it is needed in the row, and in the plane."""
        for d, (first, last) in enumerate(
            ((self.from_, self.to), self.between)[: len(self.ids) - 1]
        ):
            start, end = self.limits(d, level, first)
            self.out.add(f"const int {first} = {start}, {last} = {end};")

    def _inside(self, level: Level) -> None:
        """Declares between which columns of the row offsets are constant."""
        start, end = self.from_, self.to
        if self._is_before(level, 0):
            start = f"clamp(0, {start}, {self.to})"
        for form in level.inside.first[0]:
            start = self.number(form).between(start, self.to)
        limits = [f"{at} >= 0" for d, at in enumerate(self.ids) if d and self._is_before(level, d)]
        away = " && ".join((*limits, *self.in_limits(level.inside, len(self.ids) - 1)))
        if away:
            self.out.add(f"const int {self.away} = {away};")

        def where_away(text: str) -> str:
            return f"{self.away} ? {text} : {self.to}" if away and text != self.to else text

        self.out.add(f"const int {self.start} = {where_away(start)};")
        for form in level.inside.end[0]:
            end = self.number(form).between(self.start, end)
        self.out.add(f"const int {self.end} = {where_away(end)};")
        self.out.blank()

    @staticmethod
    def _is_before(level: Level, dimension: int) -> bool:
        """It wraps around, so there are items in front of the first one, and no limit says so."""
        around = level.periods[dimension] is not None and level.reach[dimension][0] < 0
        return around and not any(form.is_constant for form in level.inside.first[dimension])

    def _columns(self, group: Sequence[Level], first: str, end: str, *, inside: bool) -> None:
        x, head = self.x, f"for (int {self.x} = {first}; {self.x} < {end}; {self.x}++)"
        if len(group) > 1:
            self.open(head)
        else:
            self.out.add(head)
            self.out.depth += 1
        for level in group:
            calls = self.calls[level.key]
            function = calls.inside if inside else calls.anywhere
            self.out.add(self.make(level, function, self.rows, x, *self.ids[1:]))
        if len(group) > 1:
            self.close()
        else:
            self.out.depth -= 1


def _alike(levels: Sequence[Level]) -> Iterator[list[Level]]:
    """Levels that are made together: none of them reads another one."""
    group: list[Level] = []
    for level in levels:
        if group and (
            _shape(level) != _shape(group[0]) or {e.key for e in group} & set(level.reads)
        ):
            yield group
            group = []
        group.append(level)
    yield group


def _shape(level: Level) -> tuple[tuple[Interval, ...], Limits, Limits]:
    return level.reach, level.domain, level.inside
