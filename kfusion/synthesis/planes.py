"""The text of a kernel whose groups march through tiles, plane by plane (graph/planes.py).

What memory holds is loaded a plane ahead; groups load what is around their items, too, so tiles are
no smaller for it. Around the tiles, where offsets are not constant, is a frame. Some groups walk
through pieces of it: they keep the planes of each level that later ones need in local memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kfusion.graph.levels import Interval, Key, Level
from kfusion.graph.model import PIECE
from kfusion.graph.planes import Planes
from kfusion.graph.sources import Source
from kfusion.synthesis.names import Names, plus
from kfusion.synthesis.ranges import Given, GroupsWriter, multiple
from kfusion.synthesis.rows import LEFT, Column, Rows, Tile
from kfusion.synthesis.signature import Style

_INSIDE = (("inner", "outer"), ("upper", "lower"), ("near", "far"))
_GROUP = ("item", "groups", "most", "tiles", "chunks", "deep", "frame")
_SHARES = ("across", "along", "n", "plane", "step", "place")
_PIECES = ("side", "pieces", "wide", "high", "line", "lines", "above", "below")
_AHEAD = ("next", "beside", "beside_x", "beside_y", "beside_at")
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
        self.ahead = {each.level.key: tuple(map(new, _AHEAD)) for each in planes.sources}
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
        out.add(f"const int {self.deep} = {multiple(deep, unrolled)}{plus(-over)};")
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
        every = (*self.levels.levels, self.levels.last)
        early = max(level.ahead - level.reach[2][0] for level in every)
        front, back = self.tile[2]
        start = f"{self.plane} = {front}{plus(-early)}"
        self.open(f"for (int {start}, {self.ids[2]}; {self.plane} < {back}; {self.plane}++)")
        for level in every:
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
        row = f"{self.item} / {planes.across}{f' * {planes.rows}' * (planes.rows > 1)}"
        out.add(f"const int {x} = {self._corner(0)} + {self.item} % {planes.across};")
        out.add(f"const int {y} = {self._corner(1)} + {row};")
        if planes.sizes:
            row = f"{self.item} / {planes.across} * {planes.pitch * planes.rows}"
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
        for source in planes.sources:
            self._begin(source)
        out.blank()
        end = f"{back}{plus(planes.kept[self.levels.last.key].delay)}"
        start = f"{self.plane} = {front}{plus(planes.first)}"
        self.open(f"for (int {start}; {self.plane} < {end}; {self.plane} += {planes.unrolled})")
        self._unrolled(step, planes.unrolled)
        for level in planes.kept_levels:
            self._take(level)
        for source in planes.sources:
            self._source(source)
        for level in planes.of_memory.walked[:-1]:
            self._level(level)
        self._last(planes.last)
        if planes.sizes:
            out.add("barrier(CLK_LOCAL_MEM_FENCE);")
        self.close()
        self.close()

    def _passed(self, level: Level, column: int, row: int, *, other: bool) -> str:
        """Of what is passed in this step, or in the one before: an element near the item's."""
        place = self.planes.passed[level.key] + row * self.planes.pitch + column
        return self._place(level, f"{self.place}{plus(place)}", other=other)

    def _place(self, level: Level, place: str, *, other: bool) -> str:
        parity = f"({'~' * other}{self.step} & 1)"
        return f"{self.shared[level.type]}[{parity} * {self.planes.sizes[level.type]} + {place}]"

    def _take(self, level: Level) -> None:
        """What neighbours have made of the newest plane."""
        own, kept = self.own_columns[level.key], self.planes.kept[level.key]
        for column, row in kept.beside:
            element = own.element(f"{kept.rows - 1}", f"{row + kept.above}", column)
            self.out.add(f"{element} = {self._passed(level, column, row, other=True)};")

    def _begin(self, source: Source) -> None:
        """Declares what is loaded ahead, and where it is that a group loads beside its items."""
        out, planes, key = self.out, self.planes, source.level.key
        own, beside, x, y, at = self.ahead[key]
        out.add(f"{source.level.type} {own}[{planes.rows}];")
        if source.beside:
            kept, count = planes.kept[key], -(-planes.beside(key) // planes.items)
            wide, high = kept.left + planes.across + kept.right, planes.along * planes.rows
            flat, sides = (kept.above + kept.below) * wide, max(kept.left + kept.right, 1)
            start = planes.passed[key] - kept.above * planes.pitch - kept.left
            out.add(f"{source.level.type} {beside}[{count}];")
            out.add(f"int {x}[{count}], {y}[{count}], {at}[{count}];")
            i, n, level = self.i, self.j, self.k
            self._unrolled(i, count)
            out.add(f"const int {n} = {self.item} + {i} * {planes.items};")
            out.add(f"const bool {level} = {n} < {flat};  // above or below")
            x, y = f"{x}[{i}]", f"{y}[{i}]"
            out.add(f"{x} = {level} ? {n} % {wide} : ({n}{plus(-flat)}) % {sides};")
            out.add(f"{y} = {level} ? {n} / {wide} : ({n}{plus(-flat)}) / {sides};")
            out.add(f"{x} += {level} || {x} < {kept.left} ? 0 : {planes.across};")
            out.add(f"{y} += {level} ? ({y} < {kept.above} ? 0 : {high}) : {kept.above};")
            out.add(f"{at}[{i}] = {y} * {planes.pitch} + {x}{plus(start)};")
            if len(source.beside) > 1:  # what is in corners the program need not load
                column = f"clamp({x}, {kept.left}, {kept.left + planes.across - 1})"
                out.add(f"{x} = {level} ? {column} : {x};")
            out.add(f"{x} += {self._corner(0)}{plus(-kept.left)};")
            out.add(f"{y} += {self._corner(1)}{plus(-kept.above)};")
            self.close()
        self._load(source, f"{self.tile[2][0]}{plus(planes.first)}", passes=False)

    def _corner(self, dimension: int) -> str:
        """The first column of a group's items, or the first row."""
        less = self.levels.around(dimension)[0] - self.planes.stored[dimension]
        return f"{self.tile[dimension][1]}{plus(less)}"

    def _at(self, level: Level, plane: str, reach: Interval) -> str:
        """The plane that the level is at, or the nearest one that it is needed of."""
        (near, far), delay = self.inside[2], self.planes.kept[level.key].delay
        return f"clamp({plane}{plus(-delay)}, {near}{plus(reach[0])}, {far}{plus(reach[1] - 1)})"

    def _load(self, source: Source, plane: str, *, passes: bool) -> None:
        """The plane that comes next; `passes`: on what has been loaded beside the items."""
        out, planes, level, (x, y, z) = self.out, self.planes, source.level, self.ids
        own, beside, *at = self.ahead[level.key]
        self.open()
        out.add(f"const int {z} = {self._at(level, plane, level.reach[2])};")
        row = self.own_columns[level.key].left
        self._unrolled(row, planes.rows)
        out.add(f"{own}[{row}] = {self.loaded(level.key, x, f'({y} + {row})', z)};")
        self.close()
        self.close()
        if not source.beside:
            return
        i, count = self.i, planes.beside(level.key)
        self.open()
        out.add(f"const int {z} = {self._at(level, plane, source.beside[0][2])};")
        self._unrolled(i, -(-count // planes.items))
        self.open(f"if ({self.item} + {i} * {planes.items} < {count})")
        x, y, place = (f"{each}[{i}]" for each in at)
        if passes:
            out.add(f"{self._place(level, place, other=False)} = {beside}[{i}];")
        out.add(f"{beside}[{i}] = {self.loaded(level.key, x, y, z)};")
        for _ in range(3):
            self.close()

    def _source(self, source: Source) -> None:
        out, level, own = self.out, source.level, self.own_columns[source.level.key]
        out.blank()
        out.add(f"/* {own.name}: what memory holds, loaded a plane ahead */")
        self.open()
        newest = self._newest(level)
        self._unrolled(own.left, self.planes.rows)
        out.add(f"{newest} = {self.ahead[level.key][0]}[{own.left}];")
        self.close()
        self._pass(level)
        self._load(source, f"{self.plane} + {self.step} + 1", passes=True)
        self.close()

    def _level(self, level: Level) -> None:
        out, own, (x, y, z) = self.out, self.own_columns[level.key], self.ids
        self._label(level)
        self.open()
        newest = self._newest(level)
        now = self._at(level, f"{self.plane} + {self.step}", level.reach[2])
        out.add(f"const int {z} = {now};")
        self._unrolled(own.left, self.planes.rows)
        item = x, f"{y} + {own.left}", z
        call = self.call(level, self.calls[level.key].inside, self.own_columns, *item)
        out.add(f"{newest} = {call};")
        self.close()
        self._pass(level)
        self.close()

    def _newest(self, level: Level) -> str:
        """Makes room for a plane; the element of a row in it."""
        kept, own = self.planes.kept[level.key], self.own_columns[level.key]
        if kept.rows > 1:
            i, j, k = self.i, self.j, self.k
            for name, count in ((i, kept.rows - 1), (j, own.high), (k, own.width)):
                self._unrolled(name, count)
            self.out.add(f"{own.name}[{i}][{j}][{k}] = {own.name}[{i} + 1][{j}][{k}];")
            for _ in range(3):
                self.close()
        return own.element(f"{kept.rows - 1}", f"{own.left}{plus(kept.above)}")

    def _pass(self, level: Level) -> None:
        own, kept = self.own_columns[level.key], self.planes.kept[level.key]
        for n in range(self.planes.rows if level.key in self.planes.passed else 0):
            value = own.element(f"{kept.rows - 1}", f"{n + kept.above}")
            self.out.add(f"{self._passed(level, 0, n, other=False)} = {value};")

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
    left, top, pitch = names.new(*LEFT), *map(names.new, ("top_row", "pitch"))
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
    for each in planes.kept_levels:
        kept, name = planes.kept[each.key], names.new(f"{hint(each.key)}_planes")
        wide, high = kept.left + 1 + kept.right, kept.above + planes.rows + kept.below
        found[each.key] = Column(
            name, each.type, kept.rows, wide, row, 0, kept.left, high, kept.above
        )
    return found
