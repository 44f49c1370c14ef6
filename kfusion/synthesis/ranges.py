"""What the text of a kernel that goes through levels needs, whichever way it goes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from textwrap import wrap

from kfusion.graph.levels import Key, Level, Levels, Limits
from kfusion.kernel.forms import Form
from kfusion.source.dataclasses import dataclass
from kfusion.synthesis.again import Function
from kfusion.synthesis.names import Names, plus, uncommented
from kfusion.synthesis.rows import Rows
from kfusion.synthesis.signature import Style
from kfusion.synthesis.statements import Lines

NAMES = ("columns", "rows", "planes")  # of the launch as it was: the last parameters
_TILE = ("first", "last", "top", "bottom", "front", "back")
_ITEM = ("x", "y", "z")
_RANGE = ("from", "to")
_WIDTH = 84


@dataclass(frozen=True)
class Number:
    """The text of an `int` and a number, or of a `long` that is `wide`."""

    text: str
    plus: int
    wide: bool = False

    def between(self, low: str, high: str) -> str:
        """Or the one of them that is nearest."""
        if self.wide:
            return f"(int)clamp({self.text}, (long){low}, (long){high})"
        if self.text == "0":
            known = low == "0" and self.plus >= 0
            return f"min({self.plus}, {high})" if known else f"clamp({self.plus}, {low}, {high})"
        low, high = (_sum(each, -self.plus) for each in (low, high))
        return f"clamp({self.text}, {low}, {high}){plus(self.plus)}"

    def compared(self, name: str, operator: str) -> str:
        if self.text == "0":
            return f"{name} {operator} {self.plus}"
        return f"{name}{plus(-self.plus)} {operator} {self.text}"


def _sum(text: str, more: int) -> str:
    return str(int(text) + more) if text.isdecimal() else f"{text}{plus(more)}"


def multiple(text: str, of: int) -> str:
    """The last one that is not more."""
    return f"({text}) / {of} * {of}" if of > 1 else text


@dataclass(frozen=True)
class Calls:
    """What makes a level: for any of its items, and for those away from borders."""

    label: str
    anywhere: Function
    inside: Function


@dataclass(frozen=True)
class Given:
    """What the writer of a kernel is given. `arguments`: what a function is given besides the item
    and rows. `number`: the text of a form of scalars. `stored`: the element of an item that gets
    the value of the last level; or nothing, if its function stores. `loaded`: the element of an
    item in memory."""

    calls: Mapping[Key, Calls]
    style: Style
    names: Names
    arguments: Callable[[Function], list[str]]
    number: Callable[[Form], Number]
    stored: Callable[..., str]
    loaded: Callable[..., str]


class LevelsWriter:
    def __init__(self, levels: Levels, rows: Mapping[Key, Rows], given: Given) -> None:
        """`rows`: of what is made of any items."""
        self.levels, self.rows, self.calls = levels, rows, given.calls
        self.style, self.arguments, self.number = given.style, given.arguments, given.number
        self.stored, self.loaded = given.stored, given.loaded
        self.out = Lines(given.style.indent)
        new = given.names.new
        dimensions = len(levels.last.reach)
        self.sizes = tuple(map(new, NAMES[:dimensions]))
        self.columns, self.count = self.sizes[:2]
        tile = tuple(map(new, _TILE[: 2 * dimensions]))
        self.tile = tuple(zip(tile[::2], tile[1::2], strict=True))
        self.first, self.last, self.top, self.bottom = tile[:4]
        self.ids = tuple(map(new, _ITEM[:dimensions]))
        self.x, self.y = self.ids[:2]
        self.from_, self.to = map(new, _RANGE)

    def open(self, head: str = "") -> None:
        self.out.add(f"{head}{self.style.opening(self.out.indent)}" if head else "{")
        self.out.depth += 1

    def close(self) -> None:
        self.out.depth -= 1
        self.out.add("}")

    def _unrolled(self, name: str, count: int) -> None:
        self.out.add("#pragma unroll")
        self.open(f"for (int {name} = 0; {name} < {count}; {name}++)")

    def _label(self, level: Level) -> None:
        self.out.blank()
        self.comment(self.calls[level.key].label)

    def comment(self, text: str) -> None:
        for line in wrap(f"/* {uncommented(text)} */", _WIDTH, subsequent_indent="   "):
            self.out.add(line)

    def _most(self, which: str, text: str, forms: tuple[Form, ...], size: str) -> str:
        ends = [self.number(form).between("0", size) for form in forms]
        if ends and text in ("0", size):  # none goes beyond
            text = ends.pop(0)
        for end in ends:
            text = f"{which}({end}, {text})"
        return text

    def limits(self, dimension: int, level: Level, first: str) -> tuple[str, str]:
        """From where to where the level is needed here, and has items; `first`: what the text
        calls the former."""
        low, high = level.reach[dimension]
        (starts, ends), size = self.tile[dimension], self.sizes[dimension]
        if (period := level.periods[dimension]) is not None:
            end = self.number(period).between(starts, ends)
            return f"{starts}{plus(low)}", f"{end}{plus(high)}"
        start = f"max({starts}{plus(low)}, 0)" if low else starts
        end = f"min({ends}{plus(high)}, {size})" if high else ends
        for form in level.domain.first[dimension]:
            start = self.number(form).between(start, end)
        for form in level.domain.end[dimension]:
            end = self.number(form).between(first, end)
        return start, end

    def walked(self, level: Level) -> Iterator[str]:
        """Whether the level is needed where the walk is, and has items."""
        (low, high), at = level.reach[-1], self.ids[-1]
        starts, ends = self.tile[-1]
        first, end = f"{starts}{plus(low)}", f"{ends}{plus(high)}"
        if (period := level.periods[-1]) is not None:
            end = f"{self.number(period).between(starts, ends)}{plus(high)}"
            yield from (f"{at} >= {first}", f"{at} < {end}", *self.when(level.domain))
            return
        yield f"{at} >= max({first}, 0)" if low else f"{at} >= {first}"
        yield f"{at} < min({end}, {self.sizes[-1]})" if high else f"{at} < {end}"
        yield from self.in_limits(level.domain)

    def in_limits(self, limits: Limits, dimensions: int = 1) -> Iterator[str]:
        """Whether the walk is, and rows, if it is told for more dimensions than the last one."""
        for d, at in [*enumerate(self.ids)][-dimensions:]:
            yield from (self.number(form).compared(at, ">=") for form in limits.first[d])
            yield from (self.number(form).compared(at, "<") for form in limits.end[d])
        yield from self.when(limits)

    def when(self, limits: Limits) -> Iterator[str]:
        numbers = map(self.number, limits.when)
        return (f"{each.text} >= {-each.plus}" for each in numbers)

    def make(self, level: Level, function: Function, rows: Mapping[Key, Rows], *item: str) -> str:
        """The call, and what gets its value."""
        made = rows.get(level.key)
        target = made.at(*item) if made is not None else self.stored(*item)
        return f"{target}{' = ' * bool(target)}{self.call(level, function, rows, *item)};"

    def call(self, level: Level, function: Function, rows: Mapping[Key, Rows], *item: str) -> str:
        read = [rows[key] for key in level.reads]
        places = read[0].places if read else ()
        given = [*(each.name for each in read), *places, *self.arguments(function)]
        return function.called(item, given)


class GroupsWriter(LevelsWriter):
    """Of a kernel whose groups march, or do pieces of the frame around what others march through.
    `shared`: by type the array in local memory."""

    shared: Mapping[str, str]
    item: str
    groups: str
    frame: str

    def whole(self, local: Mapping[str, int], walk: Callable[[], None]) -> list[str]:
        """`local`: by type, elements of local memory."""
        out, space = self.out, "__" * self.style.underscores
        for type_, name in self.shared.items():
            out.add(f"{space}local {type_} {name}[{local[type_]}];")
        out.add(f"const int {self.item} = get_local_id(0);")
        out.add(f"const int {self.groups} = get_num_groups(0);")
        self._shares()
        out.blank()
        self.open(f"if ((int)get_group_id(0) < {self.frame})")
        self._frame()
        self.close()
        self.open("else")
        walk()
        self.close()
        return out.lines

    @abstractmethod
    def _shares(self) -> None:
        """Declares where offsets are constant, and what groups do of that."""

    @abstractmethod
    def _frame(self) -> None:
        """Pieces of what is around."""
