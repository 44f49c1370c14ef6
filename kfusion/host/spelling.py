"""Symbolic values as C: `bytes / sizeof(cl_uint)`, `tmp->buf`.

`operation` puts the texts of operands together, for messages and generated code alike;
`spell` writes any value for a person, with the names that the user gave.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from kfusion.host.symbolic import (
    STRUCT,
    Entry,
    Literal,
    Made,
    Num,
    Op,
    Place,
    Pointee,
    Ref,
    Sym,
)

_BINARY = {
    **dict.fromkeys(("*", "/", "%"), 10),
    **dict.fromkeys(("+", "-"), 9),
    **dict.fromkeys(("<<", ">>"), 8),
    **dict.fromkeys(("<", ">", "<=", ">="), 7),
    **dict.fromkeys(("==", "!="), 6),
    "&": 5,
    "^": 4,
    "|": 3,
    "&&": 2,
    "||": 1,
}
_CONDITIONAL, UNARY, PRIMARY = 0, 11, 12
_WORDS = frozenset(("(size_t)", "(cl_ulong)", "(uint64_t)", "(unsigned long)"))
_MASK = re.compile(r"-\d+$")
_LOOP = "loop:"
_EXECUTION = re.compile(r" of execution \d+")  # of a local variable, in what a place is called


class Text(NamedTuple):
    """C text, and how tightly its outermost operator binds."""

    text: str
    level: int

    def at(self, level: int) -> str:
        """As an operand of an operator that binds as tightly as this."""
        return self.text if self.level >= level else f"({self.text})"


# A part of what is known as a whole, an object with some parts changed: no C is for them.
_INTERNAL = frozenset(["part", STRUCT])


def literal(value: Num | Literal) -> Text:
    text = str(value)
    return Text(text, UNARY if text.startswith("-") else PRIMARY)


def operation(name: str, parts: Sequence[Text]) -> Text | None:
    """An operator, cast, sizeof or call with its operands; None if C has no word for it."""
    if name.startswith(_LOOP):
        return None
    if name.startswith("sizeof("):
        return Text(name, PRIMARY)
    if name == "sizeof":
        return Text(f"sizeof({parts[0].text})", PRIMARY)
    if name == "?:":
        condition, first, second = parts
        return Text(f"{condition.at(1)} ? {first.text} : {second.text}", _CONDITIONAL)
    if len(parts) == 2 and name in _BINARY:
        level = _BINARY[name]
        left, right = _operands(level)
        if name in ("||", "|", "&", "^") and parts[0].level == level:
            left = level  # a || b || c
        return Text(f"{parts[0].at(left)} {name} {parts[1].at(right)}", level)
    if len(parts) == 1 and (name.startswith("(") or name in "-+~!"):
        operand = parts[0].at(UNARY)
        if name in _WORDS and _MASK.match(operand) and operand != "-1":  # ~(size_t)15
            return Text(f"~{name}{~int(operand)}", UNARY)
        if operand.startswith(name) and name in "-+":  # no `--x`
            operand = f"({operand})"
        return Text(f"{name}{operand}", UNARY)
    if name.isidentifier() and name not in _INTERNAL:
        return Text(f"{name}({', '.join(p.text for p in parts)})", PRIMARY)
    return None


def _operands(level: int) -> tuple[int, int]:
    """How tightly they must bind: more than C asks for where compilers warn."""
    if level in (_BINARY["<<"], _BINARY["&"], _BINARY["^"], _BINARY["|"]):
        return UNARY, UNARY
    if level in (_BINARY["<"], _BINARY["=="]):
        return _BINARY["<<"], _BINARY["<<"]
    if level == _BINARY["||"]:
        return _BINARY["&"], _BINARY["&"]
    return level, level + 1


def member_path(path: tuple[str, ...]) -> str:
    """`.device`, `[3].buffer`"""
    return "".join(step if step.startswith("[") else f".{step}" for step in path)


def through_pointer(pointer: str, path: tuple[str, ...]) -> str:
    """`*p`, `p[3]`, `p->device`"""
    if not path:
        return f"*{pointer}"
    if path[0].startswith("["):
        return pointer + member_path(path)
    return f"{pointer}->{path[0]}" + member_path(path[1:])


def spell(value: Sym | None) -> str:
    """The value for a message."""
    return "NULL" if value is None else _spelled(value).text


def spell_place(place: Place) -> str:
    path = tuple(
        "[" + _EXECUTION.sub("", step[2:]) if step.startswith("[?") else step for step in place.path
    )
    if isinstance(place.root, Pointee):
        return through_pointer(_spelled(place.root.pointer).at(PRIMARY), path)
    return place.root.name + member_path(path)


def _spelled(value: Sym) -> Text:
    if isinstance(value, Num | Literal):
        return literal(value)
    if isinstance(value, Entry):
        text = spell_place(value.place)
        return Text(text, UNARY if text.startswith("*") else PRIMARY)
    if isinstance(value, Ref):
        if isinstance(value.place.root, Pointee) and not value.place.path:
            return _spelled(value.place.root.pointer)
        return Text(f"&{spell_place(value.place)}", UNARY)
    if isinstance(value, Op):
        return _operation(value)
    if isinstance(value, Made):
        return Text(f"a new {value.kind}" if not value.name else value.name, PRIMARY)
    return Text("a value that is not known", PRIMARY)


def _operation(value: Op) -> Text:
    if value.name.startswith(_LOOP):  # `loop:text:variable`
        return Text(f"'{value.name.rpartition(':')[2]}' of a loop", PRIMARY)
    parts = [_spelled(a) for a in value.args]
    if value.name == "part":
        return Text(parts[0].at(PRIMARY) + parts[1].text, PRIMARY)
    return operation(value.name, parts) or Text("a value that is not known", PRIMARY)
