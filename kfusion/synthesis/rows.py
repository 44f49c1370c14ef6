"""The text of rows that a kernel keeps of what it makes, and of accesses to them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field

from kfusion.graph.levels import Key, Level
from kfusion.graph.points import Point
from kfusion.kernel.forms import GLOBAL_ID, Id, form_of, number
from kfusion.kernel.types import INTEGERS
from kfusion.source.dataclasses import dataclass
from kfusion.synthesis.again import PointText

_OF_BRACKETS = re.compile(r"\w*\([^()]*\)")


def _is_single(text: str) -> bool:
    """A name, a call, or something in brackets."""
    while (inner := _OF_BRACKETS.sub("x", text)) != text:
        text = inner
    return text.isidentifier()


LEFT = ("left", "edge")  # names for the column that the first element of a row is of


@dataclass(frozen=True)
class Rows:
    """Of one level: `float blur_rows[4][260];`. A row has its place by its number."""

    name: str
    type: str
    count: int  # a power of two
    width: int
    left: str  # the variable with the column that the first element is of

    @property
    def parameter(self) -> str:
        return f"{self.type} (*{self.name})[{self.width}]"

    @property
    def places(self) -> tuple[str, ...]:
        """What a function is given, too, to find an element."""
        return (self.left,)

    @property
    def declaration(self) -> str:
        return f"{self.type} {self.name}[{self.count}][{self.width}];"

    def at(self, *item: str) -> str:
        x, y = item
        return f"{self.name}[{self._slot(y)}][{x} - {self.left}]"

    def _slot(self, row: str) -> str:
        if self.count == 1:
            return "0"
        return f"{row if _is_single(row) else f'({row})'} & {self.count - 1}"

    def of(self, point: Point, text: PointText) -> str:
        return self.at(*map(text.of, point))


@dataclass(frozen=True)
class Planes(Rows):
    """Of one level for some rows: `float t_planes[4][10][258];`. A plane has its place by its
    number."""

    high: int
    top: str  # the variable with the row that the first one of a plane is

    @property
    def parameter(self) -> str:
        return f"{self.type} (*{self.name})[{self.high}][{self.width}]"

    @property
    def places(self) -> tuple[str, ...]:
        return self.left, self.top

    @property
    def declaration(self) -> str:
        return f"{self.type} {self.name}[{self.count}][{self.high}][{self.width}];"

    def at(self, *item: str) -> str:
        x, y, z = item
        return f"{self.name}[{self._slot(z)}][{y} - {self.top}][{x} - {self.left}]"


@dataclass(frozen=True)
class Tile(Rows):
    """Of one level for some items, in local memory: `local float *blur_tile`."""

    top: str
    pitch: str  # the variable with the number of columns
    space: str  # `local`

    @property
    def places(self) -> tuple[str, ...]:
        return self.left, self.top, self.pitch

    @property
    def parameter(self) -> str:
        return f"{self.space} {self.type} *{self.name}"

    def at(self, *item: str) -> str:
        """In three dimensions `width` is how many a plane has."""
        x, y, *planes = item
        element = f"({y} - {self.top}) * {self.pitch} + {x} - {self.left}"
        if self.count > 1 and planes:
            element = f"({self._slot(planes[0])}) * {self.width} + {element}"
        return f"{self.name}[{element}]"


@dataclass(frozen=True)
class Own(Rows):
    """Of one level for some columns of an item and those beside them; the newest row is the last.

    `left`: the variable with the column, of the item's. `row`, `column`: where a function finds
    its own element, for the first column.
    """

    row: int = 0
    column: int = 0

    @property
    def zero(self) -> str:
        return "0" if self.type in ("float", "double", *INTEGERS) else f"({self.type})(0)"

    @property
    def declaration(self) -> str:
        return f"{super().declaration.removesuffix(';')} = {{{{{self.zero}}}}};"

    def of(self, point: Point, text: PointText) -> str:
        x, y = (form - form_of(Id(GLOBAL_ID, d)) for d, form in enumerate(point))
        row, column = text.of(y + number(self.row)), text.of(x + number(self.column))
        return f"{self.name}[{row}][{self.left}{f' + {column}' * (column != '0')}]"


@dataclass(frozen=True)
class Column(Own):
    """Of one level for some rows of a column and what is beside them, in three dimensions; the
    newest plane is the last. `left`: the variable with the row."""

    high: int = 0
    above: int = 0  # rows in front of the first one

    @property
    def parameter(self) -> str:
        return f"{self.type} (*{self.name})[{self.high}][{self.width}]"

    @property
    def declaration(self) -> str:
        sizes = f"[{self.count}][{self.high}][{self.width}]"
        return f"{self.type} {self.name}{sizes} = {{{{{{{self.zero}}}}}}};"

    def element(self, plane: str, row: str, column: int = 0) -> str:
        return f"{self.name}[{plane}][{row}][{self.column + column}]"

    def of(self, point: Point, text: PointText) -> str:
        x, y, z = (form - form_of(Id(GLOBAL_ID, d)) for d, form in enumerate(point))
        plane, row = text.of(z + number(self.row)), text.of(y + number(self.above))
        column = text.of(x + number(self.column))
        return f"{self.name}[{plane}][{self.left} + {row}][{column}]"


@dataclass(frozen=True)
class Kept:
    """Where the text of a function finds what other items have made.

    `inside`: the text is for items away from borders, where offsets are constant.
    """

    rows: Mapping[Key, Rows]
    level: Level
    inside: bool
    loads: Mapping[tuple[int, int], Key] = field(default_factory=dict)  # what rows hold of memory
