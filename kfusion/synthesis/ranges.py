"""What the text of a kernel that goes through levels needs, whichever way it goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from kfusion.graph.levels import Key, Level, Levels, Limits
from kfusion.kernel.forms import Form
from kfusion.source.dataclasses import dataclass
from kfusion.synthesis.again import Function
from kfusion.synthesis.names import Names, plus
from kfusion.synthesis.rows import Rows
from kfusion.synthesis.signature import Style
from kfusion.synthesis.statements import Lines

NAMES = ("columns", "rows")  # of the launch as it was: the last two parameters
_TILE = ("first", "last", "top", "bottom")
_ITEM = ("x", "y")
_RANGE = ("from", "to", "above", "below")


@dataclass(frozen=True)
class Calls:
    """What makes a level: for any of its items, and for those away from borders."""

    label: str
    anywhere: Function
    inside: Function


class LevelsWriter:
    def __init__(
        self,
        levels: Levels,
        rows: Mapping[Key, Rows],
        calls: Mapping[Key, Calls],
        style: Style,
        names: Names,
        arguments: Callable[[Function], list[str]],
        number: Callable[[Form], tuple[str, bool]],
    ) -> None:
        """`rows`: of what is made of any items. `arguments`: what a function is given besides the
        item and rows. `number`: the text of a form of scalars, and whether it is an `int`."""
        self.levels, self.rows, self.calls = levels, rows, calls
        self.style, self.arguments, self.number = style, arguments, number
        self.out = Lines(style.indent)
        self.columns, self.count = (names.new(name) for name in NAMES)
        self.first, self.last, self.top, self.bottom = map(names.new, _TILE)
        self.x, self.y = map(names.new, _ITEM)
        self.from_, self.to, self.above, self.below = map(names.new, _RANGE)

    @property
    def sizes(self) -> tuple[str, str]:
        return self.columns, self.count

    def open(self, head: str = "") -> None:
        self.out.add(f"{head}{self.style.opening(self.out.indent)}" if head else "{")
        self.out.depth += 1

    def close(self) -> None:
        self.out.depth -= 1
        self.out.add("}")

    def range(self, dimension: int, level: Level) -> tuple[str, str]:
        """Declares from where to where the level is needed here, and has items."""
        low, high = level.reach[dimension]
        starts, ends = ((self.first, self.last), (self.top, self.bottom))[dimension]
        from_, to = ((self.from_, self.to), (self.above, self.below))[dimension]
        size = (self.columns, self.count)[dimension]
        base = f"max({starts}{plus(low)}, 0)" if low else starts
        end = f"min({ends}{plus(high)}, {size})" if high else ends
        if low > 0 or high < 0:
            base = f"min({base}, {end})"  # none of it may be here
        first, last = level.domain.first[dimension], level.domain.end[dimension]
        for form in first:
            base = self.clamped(form, base, end)
        self.out.add(f"const int {from_} = {base};")
        for form in last:
            end = self.clamped(form, from_, end)
        self.out.add(f"const int {to} = {end};")
        return from_, to

    def when(self, limits: Limits) -> Iterator[str]:
        return (f" && {self.number(form)[0]} >= 0" for form in limits.when)

    def clamped(self, form: Form, low: str, high: str) -> str:
        text, narrow = self.number(form)
        if narrow:
            return f"clamp({text}, {low}, {high})"
        return f"(int)clamp({text}, (long){low}, (long){high})"

    def call(self, function: Function, x: str, y: str) -> str:
        return f"{function.name}({', '.join([x, y, *function.rows, *self.arguments(function)])})"
