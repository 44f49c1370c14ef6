"""The text of a kernel whose groups march down strips of columns, row by row (graph/march.py).

Around the strips, where offsets are not constant, is a frame. Some groups do pieces of it, level by
level in local memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from kfusion.graph.levels import Key, Level
from kfusion.graph.march import Kept, March
from kfusion.graph.model import FRAME
from kfusion.synthesis.names import Names, plus
from kfusion.synthesis.ranges import Given, GroupsWriter, multiple
from kfusion.synthesis.rows import LEFT, Own, Rows, Tile
from kfusion.synthesis.signature import Style

_GROUP = ("item", "group", "groups", "frame", "strips", "chunks", "high", "own")
_INSIDE = ("inner", "outer", "upper", "lower")
_PIECES = ("piece", "pieces", "across", "along", "over", "under", "before", "flat")
_COUNTS = ("above", "below", "n", "i", "j")
_WALK = ("row", "step", "strip")


class MarchWriter(GroupsWriter):
    def __init__(
        self,
        march: March,
        tiles: Mapping[Key, Rows],
        rows: Mapping[Key, Own],
        given: Given,
    ) -> None:
        super().__init__(march.levels, tiles, given)
        names = given.names
        self.march, self.tiles, self.own_rows = march, tiles, rows
        self.shared = {type_: names.new(f"shared_{type_}") for type_ in march.local}
        self.item, self.group, self.groups, self.frame = map(names.new, _GROUP[:4])
        self.strips, self.chunks, self.high, self.own = map(names.new, _GROUP[4:])
        self.inner, self.outer, self.upper, self.lower = map(names.new, _INSIDE)
        self.pieces = {name: names.new(name) for name in (*_PIECES, *_COUNTS)}
        self.most = names.new("most")
        self.row, self.step, self.strip_ = map(names.new, _WALK)
        self.next = {each.level.key: names.new("next") for each in march.sources}

    def write(self) -> list[str]:
        return self.whole(self.march.local, self._strip)

    def _shares(self) -> None:
        """Declares where offsets are constant, and what groups do of that."""
        out, march, inside = self.out, self.march, self.march.inside
        columns, rows, wide = self.columns, self.count, march.wide
        sides = (march.before * march.columns, march.behind * march.columns)
        inner = self._most("max", "0", inside.first[0], columns)
        if sides[0] or march.columns > 1:
            more = sides[0] + march.columns - 1
            inner = multiple(f"{inner}{plus(more)}", march.columns)
        outer = self._most("min", columns, inside.end[0], columns) + plus(-sides[1])
        low, high = march.levels.rows
        out.add("/* where offsets are constant in all that a group computes */")
        out.add(f"int {self.inner} = {inner};")
        out.add(f"int {self.outer} = {outer};")
        out.add(f"int {self.upper} = {self._most('max', str(-low), inside.first[1], rows)};")
        end = f"{rows}{plus(-high)}"
        out.add(f"int {self.lower} = {self._most('min', end, inside.end[1], rows)};")
        spare = (
            f"({columns} + {FRAME[0] - 1}) / {FRAME[0]} + ({rows} + {FRAME[0] - 1}) / {FRAME[0]}"
        )
        # Some are left for the frame.
        out.add(f"const int {self.most} = {self.groups} - ({spare});")
        strips = f"({self.outer} - {self.inner} + {wide - 1}) / {wide}"
        none = f"{self.outer} - {self.inner} < {wide} || {self.upper} >= {self.lower}"
        none += "".join(f" || !({each})" for each in self.when(inside))
        self.open(f"if ({none} || {self.most} < {strips})")
        out.add(f"{self.inner} = {self.outer} = 0;")
        out.add(f"{self.upper} = {self.lower} = {rows};")
        self.close()
        if march.columns > 1:
            out.add(f"{self.outer} -= ({self.outer} - {self.inner}) % {march.columns};")
        out.add(f"const int {self.strips} = {strips};")
        height, over, unrolled = f"({self.lower} - {self.upper})", march.over, march.unrolled
        high_ = f"{height} / max({self.most} / max({self.strips}, 1), 1) + {over + unrolled}"
        out.add(f"const int {self.high} = {multiple(high_, unrolled)}{plus(-over)};")
        out.add(f"const int {self.chunks} = ({height} + {self.high} - 1) / {self.high};")
        out.add(f"const int {self.frame} = {self.groups} - {self.strips} * {self.chunks};")

    def _frame(self) -> None:
        """Pieces of what is around the strips: above, below, left and right."""
        out, each = self.out, self.pieces
        columns, rows, (wide, high) = self.columns, self.count, FRAME
        inner, outer, upper, lower = self.inner, self.outer, self.upper, self.lower
        across, along, n = each["across"], each["along"], each["n"]
        over, under, before = each["over"], each["under"], each["before"]

        def pieces(of: str, size: int) -> str:
            return f"({of} + {size - 1}) / {size}"

        out.add(f"const int {across} = {pieces(columns, wide)};")
        out.add(f"const int {along} = {pieces(f'{lower} - {upper}', wide)};")
        out.add(f"const int {over} = {across} * ({pieces(upper, high)});")
        out.add(f"const int {under} = {over} + {across} * ({pieces(f'{rows} - {lower}', high)});")
        out.add(f"const int {before} = {under} + {along} * ({pieces(inner, high)});")
        right = f"{along} * ({pieces(f'{columns} - {outer}', high)})"
        out.add(f"const int {each['pieces']} = {before} + {right};")
        piece, flat = each["piece"], each["flat"]
        count = f"{piece} < {each['pieces']}; {piece} += {self.frame}"
        self.open(f"for (int {piece} = get_group_id(0); {count})")
        out.add(f"const bool {flat} = {piece} < {under};")
        start = f"{piece} < {over} ? 0 : {flat} ? {over} : {piece} < {before} ? {under} : {before}"
        out.add(f"const int {n} = {piece} - ({start});")
        left, right = (
            f"{piece} < {before} ? 0 : {outer}",
            f"{piece} < {before} ? {inner} : {columns}",
        )
        first, last, top, bottom = self.first, self.last, self.top, self.bottom
        out.add(
            f"const int {first} = {flat} ? {n} % {across} * {wide} "
            f": ({left}) + {n} / {along} * {high};"
        )
        out.add(
            f"const int {last} = min({first} + ({flat} ? {wide} : {high}), "
            f"{flat} ? {columns} : {right});"
        )
        upon, down = f"{piece} < {over} ? 0 : {lower}", f"{piece} < {over} ? {upper} : {rows}"
        out.add(
            f"const int {top} = {flat} ? ({upon}) + {n} / {across} * {high} "
            f": {upper} + {n} % {along} * {wide};"
        )
        out.add(
            f"const int {bottom} = min({top} + ({flat} ? {high} : {wide}), "
            f"{flat} ? {down} : {lower});"
        )
        tile = next(iter(self.tiles.values()))
        assert isinstance(tile, Tile)
        (low, beside), up = self.levels.halo, self.levels.rows[0]
        out.add(f"const int {tile.left} = {first}{plus(low)};")
        out.add(f"const int {tile.top} = {top}{plus(up)};")
        out.add(f"const int {tile.pitch} = {last} - {first}{plus(beside - low)};")
        for level in self.levels.levels:
            place, pointer = self.march.tiles[level.key], self.tiles[level.key].parameter
            out.add(f"{pointer} = {self.shared[level.type]}{plus(place)};")
        for level in self.levels.levels:
            self._piece(level)
        self._piece(self.levels.last)
        self.close()

    def _piece(self, level: Level) -> None:
        """A level, for one piece of the frame."""
        out, x, y, i = self.out, self.x, self.y, self.pieces["i"]
        self._label(level)
        self.open()
        from_, to, above, below = self.from_, self.to, self.pieces["above"], self.pieces["below"]
        for d, names in enumerate(((from_, to), (above, below))):
            start, end = self.limits(d, level, names[0])
            out.add(f"const int {names[0]} = {start}, {names[1]} = {end};")
        count = self.pieces["j"]
        # All items go round as often: PoCL 3.0 gets some others wrong.
        out.add(f"const int {count} = ({to} - {from_}) * ({below} - {above});")
        items = self.march.items
        self.open(f"for (int {i} = 0; {i} < {count}; {i} += {items})")
        limits = [f"{i} + {self.item} < {count}", *self.when(level.domain)]
        self.open(f"if ({' && '.join(limits)})")
        at = f"({i} + {self.item})"
        out.add(f"const int {x} = {from_} + {at} % ({to} - {from_});")
        out.add(f"const int {y} = {above} + {at} / ({to} - {from_});")
        out.add(self.make(level, self.calls[level.key].anywhere, self.tiles, x, y))
        self.close()
        self.close()
        self.close()
        out.add("barrier(CLK_LOCAL_MEM_FENCE);")

    def _strip(self) -> None:
        out, march = self.out, self.march
        columns, wide = march.columns, march.wide
        first, top, bottom = self.first, self.top, self.bottom
        out.add(f"const int {self.group} = (int)get_group_id(0) - {self.frame};")
        strip, group = self.strip_, self.group
        out.add(f"const int {strip} = {self.inner} + {group} % {self.strips} * {wide};")
        # The last strip ends where the others do: its first columns are theirs.
        out.add(f"const int {first} = min({strip}, {self.outer} - {wide});")
        out.add(f"const int {top} = {self.upper} + {group} / {self.strips} * {self.high};")
        out.add(f"const int {bottom} = min({top} + {self.high}, {self.lower});")
        left = f"{self.item}{plus(-march.before)}"
        out.add(f"const int {self.x} = {first} + ({left}) * {columns};")
        own = [f"{self.item} >= {march.before}"] if march.before else []
        own += [f"{self.item} < {march.items - march.behind}"] if march.behind else []
        out.add(f"const bool {self.own} = {' && '.join([*own, f'{self.x} >= {strip}'])};")
        for each in self.own_rows.values():
            out.add(each.declaration)
        for type_, size in march.sizes.items():
            i = self.pieces["i"]
            self.open(f"for (int {i} = 0; {i} < {2 * size}; {i} += {march.items})")
            at = f"{i} + {self.item}"
            out.add(f"if ({at} < {2 * size}) {self.shared[type_]}[{at}] = 0;")
            self.close()
        if march.sizes:
            out.add("barrier(CLK_LOCAL_MEM_FENCE);")
        for source in march.sources:
            key, at = source.level.key, f"{top}{plus(march.first)}"
            out.add(f"{source.level.type} {self.next[key]}[{columns}];")
            self._load(source.level, at)
        out.blank()
        row, step, unrolled = self.row, self.step, march.unrolled
        end = f"{bottom}{plus(march.kept[self.levels.last.key].delay)}"
        head = f"{row} = {top}{plus(march.first)}; {row} < {end}; {row} += {unrolled}"
        self.open(f"for (int {head})")
        self._unrolled(step, unrolled)
        for level in march.kept_levels:
            self._take(level)
        for level in march.kept_levels:
            self._level(level)
        self._last(march.last)
        if march.sizes:
            out.add("barrier(CLK_LOCAL_MEM_FENCE);")
        self.close()
        self.close()

    def _place(self, level: Level, *, other: bool) -> str:
        """Of what is passed in this step, or in the one before."""
        size = self.march.sizes[level.type]
        parity = f"({'~' * other}{self.step} & 1)"
        return f"{self.shared[level.type]}[{parity} * {size} + {self.item} + {{}}]"

    def _take(self, level: Level) -> None:
        """The columns of the newest row that neighbours have made."""
        march, kept = self.march, self.march.kept[level.key]
        if level.key not in march.passed:
            return
        passed, columns = march.passed[level.key], march.columns
        place, name = self._place(level, other=True), self.own_rows[level.key].name
        for column in (*range(-kept.left, 0), *range(columns, columns + kept.right)):
            which = passed.columns.index(column % columns) * passed.width
            at = passed.start + which + passed.before + column // columns
            self.out.add(f"{name}[{kept.rows - 1}][{kept.left + column}] = {place.format(at)};")

    def _load(self, source: Level, row: str) -> None:
        """The row of the group that comes next."""
        out, column = self.out, self.own_rows[source.key].left
        low, high = source.reach[1]
        delay = self.march.kept[source.key].delay
        limits = f"{self.upper}{plus(low)}, {self.lower}{plus(high - 1)}"
        self.open()
        out.add(f"const int {self.y} = clamp({row}{plus(-delay)}, {limits});")
        self._unrolled(column, self.march.columns)
        element = self.loaded(source.key, f"({self.x} + {column})", self.y)
        out.add(f"{self.next[source.key]}[{column}] = {element};")
        self.close()
        self.close()

    def _level(self, level: Level) -> None:
        out, march, kept, x, y = self.out, self.march, self.march.kept[level.key], self.x, self.y
        rows = self.own_rows[level.key]
        if level.key in self.next:
            out.blank()
            out.add(f"/* {rows.name}: what memory holds, loaded a row ahead */")
        else:
            self._label(level)
        self.open()
        i, j = self.pieces["i"], self.pieces["j"]
        if kept.rows > 1:
            self._unrolled(i, kept.rows - 1)
            self._unrolled(j, rows.width)
            out.add(f"{rows.name}[{i}][{j}] = {rows.name}[{i} + 1][{j}];")
            self.close()
            self.close()
        now = f"{self.row} + {self.step}"
        newest = f"{rows.name}[{kept.rows - 1}][{f'{kept.left} + ' * bool(kept.left)}{rows.left}]"
        if level.key in self.next:
            self._unrolled(rows.left, march.columns)
            out.add(f"{newest} = {self.next[level.key]}[{rows.left}];")
            self.close()
            self._load(level, f"{now} + 1")
        else:
            low, high = level.reach[1]
            limits = f"{self.upper}{plus(low)}, {self.lower}{plus(high - 1)}"
            out.add(f"const int {y} = clamp({now}{plus(-kept.delay)}, {limits});")
            self._unrolled(rows.left, march.columns)
            function, at = self.calls[level.key].inside, (f"{x} + {rows.left}", y)
            out.add(f"{newest} = {self.call(level, function, self.own_rows, *at)};")
            self.close()
        if level.key in march.passed:
            passed = march.passed[level.key]
            place = self._place(level, other=False)
            for number, column in enumerate(passed.columns):
                start = passed.start + number * passed.width + passed.before
                value = f"{rows.name}[{kept.rows - 1}][{kept.left + column}]"
                out.add(f"{place.format(start)} = {value};")
        self.close()

    def _last(self, level: Level) -> None:
        out, march, y = self.out, self.march, self.y
        self._label(level)
        self.open()
        now = f"{self.row} + {self.step}{plus(-march.kept[level.key].delay)}"
        out.add(f"const int {y} = {now};")
        self.open(f"if ({self.own} && {y} >= {self.top} && {y} < {self.bottom})")
        column = next(iter(self.own_rows.values())).left
        self._unrolled(column, march.columns)
        function, x = self.calls[level.key].inside, f"{self.x} + {column}"
        target = self.stored(f"({x})", y)
        call = self.call(level, function, self.own_rows, x, y)
        out.add(f"{target}{' = ' * bool(target)}{call};")
        self.close()
        self.close()
        self.close()


def tiles_of(
    march: March, hint: Callable[[Key], str], names: Names, style: Style
) -> dict[Key, Rows]:
    """Of a piece of the frame."""
    left, top, pitch = names.new(*LEFT), *map(names.new, ("top_row", "pitch"))
    space = "__" * style.underscores + "local"
    return {
        each.key: Tile(
            names.new(f"{hint(each.key)}_tile"), each.type, 0, 0, left, top, pitch, space
        )
        for each in march.levels.levels
    }


def own_rows_of(march: March, hint: Callable[[Key], str], names: Names) -> dict[Key, Own]:
    column = names.new("column")
    found: dict[Key, Own] = {}
    for each in march.kept_levels:
        kept, name = march.kept[each.key], names.new(f"{hint(each.key)}_rows")
        width = kept.left + march.columns + kept.right
        found[each.key] = Own(name, each.type, kept.rows, width, column, column=kept.left)
    return found


def read_by(kept: Mapping[Key, Kept], reader: Key, rows: Mapping[Key, Own]) -> dict[Key, Rows]:
    """As the level finds its own element: it is behind those that it reads."""
    delay = kept[reader].delay
    return {
        key: replace(each, row=kept[key].rows - 1 - (delay - kept[key].delay))
        for key, each in rows.items()
    }
