"""The text of a kernel of which one item walks down a strip of columns, row by row.

It keeps the rows of each level (graph/levels.py) that later ones still need in arrays of its own,
which stay in the first level of the cache. A row of a level is a plain loop over its columns, which
compilers turn into operations on vectors; columns near borders have loops of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from kfusion.graph.levels import Interval, Key, Level, Levels, Limits
from kfusion.graph.model import Tiles
from kfusion.kernel.forms import Form
from kfusion.synthesis.again import Function
from kfusion.synthesis.names import Names, plus
from kfusion.synthesis.ranges import Calls, LevelsWriter
from kfusion.synthesis.rows import Rows
from kfusion.synthesis.signature import Style

_ROW = "row"
_INSIDE = ("inner", "outer", "start", "end")


class StripWriter(LevelsWriter):
    def __init__(
        self,
        levels: Levels,
        tiles: Tiles,
        rows: Mapping[Key, Rows],
        calls: Mapping[Key, Calls],
        style: Style,
        names: Names,
        arguments: Callable[[Function], list[str]],
        number: Callable[[Form], tuple[str, bool]],
    ) -> None:
        super().__init__(levels, rows, calls, style, names, arguments, number)
        self.tiles, self.row = tiles, names.new(_ROW)
        self.inner, self.outer, self.start, self.end = map(names.new, _INSIDE)

    def write(self) -> list[str]:
        out, (wide, high) = self.out, self.tiles.items
        columns, rows = self.columns, self.count
        out.add(f"const int {self.first} = {wide} * get_group_id(0);")
        out.add(f"const int {self.last} = min({self.first} + {wide}, {columns});")
        out.add(f"const int {self.top} = {high} * get_group_id(1);")
        out.add(f"const int {self.bottom} = min({self.top} + {high}, {rows});")
        left = next(iter(self.rows.values())).left
        out.add(f"const int {left} = {self.first}{plus(self.levels.halo[0])};")
        for each in self.rows.values():
            out.add(each.declaration)
        out.blank()
        every = (*self.levels.levels, self.levels.last)
        early = max(level.ahead - level.reach[1][0] for level in every)
        row = self.row
        head = f"for (int {row} = {self.top}{plus(-early)}; {row} < {self.bottom}; {row}++)"
        self.open(head)
        for group in _alike(every):
            self._level(group)
        self.close()
        return out.lines

    def _level(self, group: Sequence[Level]) -> None:
        """One row of levels that are alike."""
        out, level = self.out, group[0]
        labels = ", ".join(dict.fromkeys(self.calls[each.key].label for each in group))
        counted = f"{level.ahead} row{'s' * (level.ahead > 1)}"
        out.blank()
        out.add(f"/* {labels}{f': {counted} ahead' if level.ahead else ''} */")
        self.open()
        names, y = self.range(0, level), self.y
        above, below = self.range(1, level)
        out.add(f"const int {y} = {self.row}{plus(level.ahead)};")
        out.blank()
        condition = f"{y} >= {above} && {y} < {below}"
        condition += "".join(self.when(level.domain))
        split = level.is_split
        self.open(f"if ({condition})")
        if split:
            self._inside(level, *names)
            self._columns(group, names[0], self.start, inside=False)
            self._columns(group, self.start, self.end, inside=True)
            self._columns(group, self.end, names[1], inside=False)
        else:
            self._columns(group, *names, inside=False)
        self.close()
        self.close()

    def _inside(self, level: Level, from_: str, to: str) -> None:
        """Declares between which columns of the row offsets are constant."""
        inner, outer = from_, to
        for form in level.inside.first[0]:
            inner = self.clamped(form, inner, to)
        self.out.add(f"const int {self.inner} = {inner};")
        for form in level.inside.end[0]:
            outer = self.clamped(form, self.inner, outer)
        self.out.add(f"const int {self.outer} = {outer};")
        facts = [f"{self.y} >= {self.number(form)[0]}" for form in level.inside.first[1]]
        facts += [f"{self.y} < {self.number(form)[0]}" for form in level.inside.end[1]]
        start, end = self.inner, self.outer
        away = (" && ".join(facts) + "".join(self.when(level.inside))).removeprefix(" && ")
        if away:
            start, end = (f"{away} ? {name} : {to}" for name in (start, end))
        self.out.add(f"const int {self.start} = {start};")
        self.out.add(f"const int {self.end} = {end};")
        self.out.blank()

    def _columns(self, group: Sequence[Level], first: str, end: str, *, inside: bool) -> None:
        x = self.x
        self.open(f"for (int {x} = {first}; {x} < {end}; {x}++)")
        for level in group:
            calls = self.calls[level.key]
            function = calls.inside if inside else calls.anywhere
            made = self.rows.get(level.key)
            target = f"{made.at(x, self.y)} = " if made is not None else ""
            self.out.add(f"{target}{self.call(function, x, self.y)};")
        self.close()


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
