"""Symbolic values as C, for messages, with the names that the user gave: `bytes / sizeof(float)`,
`tmp->buf`."""

from __future__ import annotations

import re
from typing import NamedTuple

from kfusion.host.symbolic import (
    LOOP,
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

# How tightly an operator binds, and what its operands must: more than C asks for where compilers
# warn.
_BINARY = {
    **dict.fromkeys(("*", "/", "%"), (10, 10, 11)),
    **dict.fromkeys(("+", "-"), (9, 9, 10)),
    **dict.fromkeys(("<<", ">>"), (8, 11, 11)),
    **dict.fromkeys(("<", ">", "<=", ">="), (7, 8, 8)),
    **dict.fromkeys(("==", "!="), (6, 8, 8)),
    "&": (5, 11, 11),
    "^": (4, 11, 11),
    "|": (3, 11, 11),
    "&&": (2, 2, 3),
    "||": (1, 5, 5),
}
_CONDITIONAL, _UNARY, _PRIMARY = 0, 11, 12
_WORDS = frozenset(("(size_t)", "(cl_ulong)", "(uint64_t)", "(unsigned long)"))
_MASK = re.compile(r"-\d+$")
_OPERATION = re.compile(r"^([-+*/%&|^])\(([\w.]+), ([\w.]+)\)")  # of a place: `-(1, g.now)`
_EXECUTION = re.compile(r" of execution \d+")  # of a local variable, in what a place is called


class _Text(NamedTuple):
    """C text, and how tightly its outermost operator binds."""

    text: str
    level: int = _PRIMARY

    def at(self, level: int) -> str:
        """As an operand of an operator that binds as tightly as this."""
        return self.text if self.level >= level else f"({self.text})"


def spell(value: Sym | None) -> str:
    return "NULL" if value is None else _spelled(value).text


def _spelled(value: Sym) -> _Text:
    if isinstance(value, Num | Literal):
        text = str(value)
        return _Text(text, _UNARY if text.startswith("-") else _PRIMARY)
    if isinstance(value, Entry):
        text = _place(value.place)
        return _Text(text, _UNARY if text.startswith("*") else _PRIMARY)
    if isinstance(value, Ref):
        if isinstance(value.place.root, Pointee) and not value.place.path:
            return _spelled(value.place.root.pointer)
        return _Text(f"&{_place(value.place)}", _UNARY)
    if isinstance(value, Op):
        return _operation(value.name, value.args)
    if isinstance(value, Made):
        return _Text(value.name or f"a new {value.kind}")
    return _Text("a value that is not known")


def _place(place: Place) -> str:
    steps = "".join(
        f"[{_index(s[2:])}" if s.startswith("[?") else s if s[0] == "[" else f".{s}"
        for s in place.path
    )
    if not isinstance(place.root, Pointee):
        return place.root.name + steps
    pointer = _spelled(place.root.pointer).at(_PRIMARY)
    if not steps:
        return f"*{pointer}"
    return pointer + (steps if steps.startswith("[") else f"->{steps[1:]}")


def _index(text: str) -> str:
    """`1 - g.now]`"""
    return _OPERATION.sub(r"\2 \1 \3", _EXECUTION.sub("", text))


def _operation(name: str, args: tuple[Sym, ...]) -> _Text:
    """An operator, cast, sizeof or call with its operands."""
    if name.startswith(LOOP):
        return _Text(f"'{name.rpartition(':')[2]}' of a loop")
    if name.startswith("sizeof("):
        return _Text(name)
    parts = [_spelled(arg) for arg in args]
    if name == "part":
        return _Text(parts[0].at(_PRIMARY) + parts[1].text)
    if name == "?:":
        condition, first, second = parts
        return _Text(f"{condition.at(1)} ? {first.text} : {second.text}", _CONDITIONAL)
    if len(parts) == 2 and name in _BINARY:
        level, left, right = _BINARY[name]
        if name in ("||", "|", "&", "^") and parts[0].level == level:
            left = level  # a || b || c
        return _Text(f"{parts[0].at(left)} {name} {parts[1].at(right)}", level)
    if len(parts) == 1 and (name.startswith("(") or name in "-+~!"):
        operand = parts[0].at(_UNARY)
        if name in _WORDS and _MASK.match(operand) and operand != "-1":  # ~(size_t)15
            return _Text(f"~{name}{~int(operand)}", _UNARY)
        if operand.startswith(name) and name in "-+":  # no `--x`
            operand = f"({operand})"
        return _Text(f"{name}{operand}", _UNARY)
    if name.isidentifier() and name != STRUCT:
        return _Text(f"{name}({', '.join(p.text for p in parts)})")
    return _Text("a value that is not known")
