"""The text of rows that a kernel keeps of what it makes, and of accesses to them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kfusion.graph.levels import Key, Level
from kfusion.source.dataclasses import dataclass

_SIMPLE = re.compile(r"\w+(\([^()]*\))?")


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
    def declaration(self) -> str:
        return f"{self.type} {self.name}[{self.count}][{self.width}];"

    def at(self, x: str, y: str) -> str:
        if self.count == 1:
            return f"{self.name}[0][{x} - {self.left}]"
        row = y if _SIMPLE.fullmatch(y) else f"({y})"
        return f"{self.name}[{row} & {self.count - 1}][{x} - {self.left}]"


@dataclass(frozen=True)
class Kept:
    """Where the text of a function finds what other items have made.

    `inside`: the text is for items away from borders, where offsets are constant.
    """

    rows: Mapping[Key, Rows]
    level: Level
    inside: bool
