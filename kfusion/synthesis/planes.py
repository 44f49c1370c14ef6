"""The text of a kernel whose groups march through tiles, plane by plane (graph/planes.py).

Around the tiles, where offsets are not constant, is a frame. Some groups walk through pieces of it:
they keep the planes of each level that later ones still need in local memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kfusion.graph.levels import Key, Level
from kfusion.graph.model import PIECE
from kfusion.graph.planes import Planes
from kfusion.synthesis.names import Names, plus
from kfusion.synthesis.ranges import Given, GroupsWriter
from kfusion.synthesis.rows import Column, Rows, Tile
from kfusion.synthesis.signature import Style

_INSIDE = (("inner", "outer"), ("upper", "lower"), ("near", "far"))
_GROUP = ("item", "groups", "most", "tiles", "chunks", "deep", "frame")
_SHARES = ("across", "along", "n", "plane", "step", "place")
_PIECES = ("side", "pieces", "wide", "high", "line", "lines", "above", "below")
_SIDE = (("west", "east"), ("north", "south"), ("begin", "stop"))


class PlanesWriter(GroupsWriter):
    def __init__(
        self, planes: Planes, tiles: Mapping[Key, Rows], columns: Mapping[Key, Column], given: Given
    ) -> None:
        super().__init__(planes.levels, tiles, given)
        self.planes, self.own_columns = planes, columns
        new = given.names.new
        self.shared = {type_: new(f"shared_{type_}") for type_ in planes.local}
        self.item, self.groups, self.most, self.tiles, self.chunks, self.deep, self.frame = map(
            new, _GROUP
        )
        self.across, self.along, self.n, self.plane, self.step, self.place = map(new, _SHARES)
        self.i, self.j, self.k = map(new, "ijk")
        self.side, self.pieces, self.wide, self.high, self.line, self.lines, *between = map(
            new, _PIECES
        )
        self.between = tuple(between)
        self.inside = [(new(first), new(end)) for first, end in _INSIDE]
        self.sides = [(new(first), new(end)) for first, end in _SIDE]

    def write(self) -> list[str]:
        return self.whole(self.planes.local, self._tile)

    def _shares(self) -> None:
        """Declares where offsets are constant, and what groups do of that."""
        out, planes, limits = self.out, self.planes, self.planes.inside
        out.add("/* where offsets are constant in all that a group computes */")
        for d, (first, end) in enumerate(self.inside):
            (low, high), size = self.levels.around(d), self.sizes[d]
            if d < len(self.inside) - 1:  # all items must be inside
                start = self._most("max", "0", limits.first[d], size) + plus(-low)
                stop = self._most("min", size, limits.end[d], size) + plus(-high)
            else:
                start = self._most("max", str(-low), limits.first[d], size)
                stop = self._most("min", f"{size}{plus(-high)}", limits.end[d], size)
            out.add(f"int {first} = {start}, {end} = {stop};")
        (inner, outer), (upper, lower), (near, far) = self.inside
        by = PIECE[0]
        x, y, z = (f"(({size} + {by - 1}) / {by})" for size in self.sizes)
        # Some are left for the frame.
        out.add(f"const int {self.most} = {self.groups} - {x} * {y} - {x} * {z} - {y} * {z};")
        wide, high = planes.stored
        across = f"({outer} - {inner} + {wide - 1}) / {wide}"
        along = f"({lower} - {upper} + {high - 1}) / {high}"
        none = f"{outer} - {inner} < {wide} || {lower} - {upper} < {high} || {near} >= {far}"
        none += "".join(f" || !({each})" for each in self.when(limits))
        self.open(f"if ({none} || {self.most} / ({across}) < {along})")
        out.add(f"{inner} = {outer} = {upper} = {lower} = 0;")
        out.add(f"{near} = {far} = {self.sizes[2]};")
        self.close()
        out.add(f"const int {self.across} = {across};")
        out.add(f"const int {self.tiles} = {self.across} * ({along});")
        depth, over, unrolled = f"({far} - {near})", planes.over, planes.unrolled
        deep = f"{depth} / max({self.most} / max({self.tiles}, 1), 1) + {over + unrolled}"
        out.add(f"const int {self.deep} = ({deep}) / {unrolled} * {unrolled}{plus(-over)};")
        out.add(f"const int {self.chunks} = ({depth} + {self.deep} - 1) / {self.deep};")
        out.add(f"const int {self.frame} = {self.groups} - {self.tiles} * {self.chunks};")

    def _frame(self) -> None:
        """Pieces of what is around the tiles: in front, behind, above, below, left and right."""
        out, n, side, (wide, high, deep) = self.out, self.n, self.side, PIECE
        (inner, outer), (upper, lower), (near, far) = self.inside
        (west, east), (north, south), (begin, stop) = self.sides
        columns, rows, planes = self.sizes
        out.add(f"int {n} = get_group_id(0);")
        self.open(f"for (int {side} = 0; {side} < 6; {side}++)")
        for declared in (
            f"{begin} = {side} == 1 ? {far} : {side} > 1 ? {near} : 0",
            f"{stop} = {side} == 0 ? {near} : {side} > 1 ? {far} : {planes}",
            f"{north} = {side} == 3 ? {lower} : {side} > 3 ? {upper} : 0",
            f"{south} = {side} == 2 ? {upper} : {side} > 3 ? {lower} : {rows}",
            f"{west} = {side} == 5 ? {outer} : 0",
            f"{east} = {side} == 4 ? {inner} : {columns}",
            f"{self.wide} = {side} > 3 ? {high} : {wide}",
            f"{self.high} = {side} > 3 ? {wide} : {high}",
            f"{self.across} = ({east} - {west} + {self.wide} - 1) / {self.wide}",
            f"{self.along} = ({south} - {north} + {self.high} - 1) / {self.high}",
        ):
            out.add(f"const int {declared};")
        pieces = f"{self.across} * {self.along} * (({stop} - {begin} + {deep - 1}) / {deep})"
        out.add(f"const int {self.pieces} = {pieces};")
        self.open(f"for (; {n} < {self.pieces}; {n} += {self.frame})")
        at = (
            f"{n} % {self.across} * {self.wide}",
            f"{n} / {self.across} % {self.along} * {self.high}",
            f"{n} / ({self.across} * {self.along}) * {deep}",
        )
        for start, (low, end), (first, last), size in zip(
            at, self.sides, self.tile, (self.wide, self.high, deep), strict=True
        ):
            out.add(f"const int {first} = {low} + {start};")
            out.add(f"const int {last} = min({first} + {size}, {end});")
        tile = next(iter(self.rows.values()))
        assert isinstance(tile, Tile)
        (left, right), (above, _) = self.levels.around(0), self.levels.around(1)
        out.add(f"const int {tile.left} = {self.first}{plus(left)};")
        out.add(f"const int {tile.top} = {self.top}{plus(above)};")
        out.add(f"const int {tile.pitch} = {self.last} - {self.first}{plus(right - left)};")
        x, items = self.ids[0], self.planes.items
        out.add(f"const int {x} = {tile.left} + {self.item} % {tile.pitch};")
        out.add(f"const int {self.lines} = {items} / {tile.pitch};")
        # Items that are left over are below everything.
        line = f"{self.item} < {self.lines} * {tile.pitch} ? {self.item} / {tile.pitch} : {rows}"
        out.add(f"const int {self.line} = {line};")
        for level in self.levels.levels:
            place, pointer = self.planes.tiles[level.key], self.rows[level.key].parameter
            out.add(f"{pointer} = {self.shared[level.type]}{plus(place)};")
        early = max(level.ahead - level.reach[2][0] for level in self.planes.every)
        front, back = self.tile[2]
        start = f"{self.plane} = {front}{plus(-early)}"
        self.open(f"for (int {start}, {self.ids[2]}; {self.plane} < {back}; {self.plane}++)")
        for level in self.planes.every:
            self._plane(level)
        self.close()
        self.close()
        out.add(f"{n} -= {self.pieces};")
        self.close()

    def _plane(self, level: Level) -> None:
        """Of a piece of the frame."""
        out, n, (x, y, z) = self.out, self.i, self.ids
        self._label(level)
        out.add(f"{z} = {self.plane}{plus(level.ahead)};")
        self.open(f"if ({' && '.join(self.walked(level))})")
        (from_, to), (above, below) = (self.from_, self.to), self.between
        for d, names in enumerate(((from_, to), (above, below))):
            start, end = self.limits(d, level, names[0])
            out.add(f"const int {names[0]} = {start}, {names[1]} = {end};")
        # All items go round as often: PoCL 3.0 gets some others wrong.
        self.open(f"for (int {n} = 0; {n} < {below} - {above}; {n} += {self.lines})")
        out.add(f"const int {y} = {above} + {self.line} + {n};")
        self.open(f"if ({x} >= {from_} && {x} < {to} && {y} < {below})")
        out.add(self.make(level, self.calls[level.key].anywhere, self.rows, x, y, z))
        self.close()
        self.close()
        self.close()
        out.add("barrier(CLK_LOCAL_MEM_FENCE);")

    def _tile(self) -> None:
        out, planes, n, step = self.out, self.planes, self.n, self.step
        (wide, high), (x, y, _) = planes.stored, self.ids
        (first, last), (top, bottom), (front, back) = self.tile
        (inner, outer), (upper, lower), (near, far) = self.inside
        out.add(f"const int {n} = get_group_id(0) - {self.frame};")
        # The last tiles end where the others do: their first columns and rows are those of others.
        out.add(f"const int {first} = {inner} + {n} % {self.across} * {wide};")
        out.add(f"const int {last} = min({first} + {wide}, {outer});")
        out.add(f"const int {top} = {upper} + {n} % {self.tiles} / {self.across} * {high};")
        out.add(f"const int {bottom} = min({top} + {high}, {lower});")
        out.add(f"const int {front} = {near} + {n} / {self.tiles} * {self.deep};")
        out.add(f"const int {back} = min({front} + {self.deep}, {far});")
        left, above = self.levels.around(0)[0] - wide, self.levels.around(1)[0] - high
        row = f"{self.item} / {planes.across}{f' * {planes.rows}' * (planes.rows > 1)}"
        out.add(f"const int {x} = {last}{plus(left)} + {self.item} % {planes.across};")
        out.add(f"const int {y} = {bottom}{plus(above)} + {row};")
        if planes.sizes:
            row = f"{self.item} / {planes.across} * {planes.across * planes.rows}"
            out.add(f"const int {self.place} = {row} + {self.item} % {planes.across};")
        for each in self.own_columns.values():
            out.add(each.declaration)
        for type_, size in planes.sizes.items():
            self.open(f"for (int {self.j} = 0; {self.j} < {2 * size}; {self.j} += {planes.items})")
            at = f"{self.j} + {self.item}"
            out.add(f"if ({at} < {2 * size}) {self.shared[type_]}[{at}] = 0;")
            self.close()
        if planes.sizes:
            out.add("barrier(CLK_LOCAL_MEM_FENCE);")
        out.blank()
        end = f"{back}{plus(planes.kept[self.levels.last.key].delay)}"
        start = f"{self.plane} = {front}{plus(planes.first)}"
        self.open(f"for (int {start}; {self.plane} < {end}; {self.plane} += {planes.unrolled})")
        self._unrolled(step, planes.unrolled)
        for level in self.levels.levels:
            self._take(level)
        for level in self.levels.levels:
            self._level(level)
        self._last(self.levels.last)
        if planes.sizes:
            out.add("barrier(CLK_LOCAL_MEM_FENCE);")
        self.close()
        self.close()

    def _passed(self, level: Level, column: int, row: int, *, other: bool) -> str:
        """Of what is passed in this step, or in the one before: an element near the item's."""
        place = self.planes.passed[level.key] + row * self.planes.across + column
        parity = f"({'~' * other}{self.step} & 1)"
        size = self.planes.sizes[level.type]
        return f"{self.shared[level.type]}[{parity} * {size} + {self.place}{plus(place)}]"

    def _take(self, level: Level) -> None:
        """What neighbours have made of the newest plane."""
        own, kept = self.own_columns[level.key], self.planes.kept[level.key]
        for column, row in kept.beside:
            element = own.element(f"{kept.rows - 1}", f"{row + kept.above}", column)
            self.out.add(f"{element} = {self._passed(level, column, row, other=True)};")

    def _level(self, level: Level) -> None:
        out, planes, kept = self.out, self.planes, self.planes.kept[level.key]
        own, (x, y, z) = self.own_columns[level.key], self.ids
        _, _, (near, far) = self.inside
        self._label(level)
        self.open()
        if kept.rows > 1:
            i, j, k = self.i, self.j, self.k
            for name, count in ((i, kept.rows - 1), (j, own.high), (k, own.width)):
                self._unrolled(name, count)
            out.add(f"{own.name}[{i}][{j}][{k}] = {own.name}[{i} + 1][{j}][{k}];")
            for _ in range(3):
                self.close()
        low, high = (edge + more for edge, more in zip((0, -1), level.reach[2], strict=True))
        now = f"{self.plane} + {self.step}{plus(-kept.delay)}"
        out.add(f"const int {z} = clamp({now}, {near}{plus(low)}, {far}{plus(high)});")
        row, newest = own.left, f"{kept.rows - 1}"
        self._unrolled(row, planes.rows)
        call = self.call(
            level, self.calls[level.key].inside, self.own_columns, x, f"{y} + {row}", z
        )
        out.add(f"{own.element(newest, f'{row}{plus(kept.above)}')} = {call};")
        self.close()
        if level.key in planes.passed:
            for n in range(planes.rows):
                value = own.element(newest, f"{n + kept.above}")
                out.add(f"{self._passed(level, 0, n, other=False)} = {value};")
        self.close()

    def _last(self, level: Level) -> None:
        out, planes, (x, y, z) = self.out, self.planes, self.ids
        (first, last), (top, bottom), (front, back) = self.tile
        self._label(level)
        self.open()
        delay = planes.kept[level.key].delay
        out.add(f"const int {z} = {self.plane} + {self.step}{plus(-delay)};")
        self.open(f"if ({x} >= {first} && {x} < {last} && {z} >= {front} && {z} < {back})")
        row = next(iter(self.own_columns.values())).left
        self._unrolled(row, planes.rows)
        self.open(f"if ({y} + {row} >= {top} && {y} + {row} < {bottom})")
        item = x, f"{y} + {row}", z
        target = self.stored(*(f"({each})" for each in item))
        call = self.call(level, self.calls[level.key].inside, self.own_columns, *item)
        out.add(f"{target}{' = ' * bool(target)}{call};")
        for _ in range(4):
            self.close()


def tiles_of(
    planes: Planes, hint: Callable[[Key], str], names: Names, style: Style
) -> dict[Key, Rows]:
    """Of a piece of the frame."""
    left, top, pitch = map(names.new, ("left", "top_row", "pitch"))
    space = "__" * style.underscores + "local"
    return {
        each.key: Tile(
            names.new(f"{hint(each.key)}_tile"),
            each.type,
            each.rows,
            planes.tile,
            left,
            top,
            pitch,
            space,
        )
        for each in planes.levels.levels
    }


def columns_of(planes: Planes, hint: Callable[[Key], str], names: Names) -> dict[Key, Column]:
    row = names.new("row")
    found: dict[Key, Column] = {}
    for each in planes.levels.levels:
        kept, name = planes.kept[each.key], names.new(f"{hint(each.key)}_planes")
        wide, high = kept.left + 1 + kept.right, kept.above + planes.rows + kept.below
        found[each.key] = Column(
            name, each.type, kept.rows, wide, row, 0, kept.left, high, kept.above
        )
    return found
