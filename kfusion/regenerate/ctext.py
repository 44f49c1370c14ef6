"""Symbolic values as C text inside the generated function."""

from __future__ import annotations

from functools import cached_property

from pycparser import c_ast

from kfusion.host.program import EXTERN
from kfusion.host.symbolic import (
    App,
    Entry,
    Global,
    Literal,
    Local,
    Num,
    Op,
    Place,
    Pointee,
    Ref,
    Sym,
)
from kfusion.parse.unit import Unit
from kfusion.source.dataclasses import dataclass

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
_UNARY_LEVEL, _PRIMARY = 11, 12


@dataclass(frozen=True)
class Renderer:
    """`parameters` maps values of the generated function's parameters to their names."""

    parameters: dict[Sym, str]
    unit: Unit  # the file that the function is added to

    @cached_property
    def _names(self) -> frozenset[str]:
        """Variables that the file declares."""
        return frozenset(n.name for n in self.unit.ast.ext if isinstance(n, c_ast.Decl) and n.name)

    def value(self, value: Sym) -> str | None:
        """The text of the value, or None if it cannot be written down on entry."""
        text = self._value(value)
        return text[0] if text else None

    def _value(self, value: Sym) -> tuple[str, int] | None:
        if value in self.parameters:
            return self.parameters[value], _PRIMARY
        if isinstance(value, Num | Literal):
            text = str(value)
            return text, _UNARY_LEVEL if text.startswith("-") else _PRIMARY
        if isinstance(value, Entry):
            place = self.place(value.place)
            return (place, _PRIMARY) if place else None
        if isinstance(value, Ref):
            place = self.place(value.place)
            return (f"&{place}", _UNARY_LEVEL) if place else None
        if isinstance(value, Op):
            return self._operation(value)
        return None

    def _operation(self, value: Op) -> tuple[str, int] | None:
        parts = [self._value(a) for a in value.args]
        if any(p is None for p in parts) or value.name.startswith("loop:"):
            return None
        known = [p for p in parts if p is not None]
        if value.name.startswith("sizeof("):
            return value.name, _PRIMARY
        if value.name == "sizeof":
            return f"sizeof({known[0][0]})", _PRIMARY
        if value.name == "?:":
            return f"{_at(known[0], 1)} ? {known[1][0]} : {known[2][0]}", 0
        if len(known) == 2 and value.name in _BINARY:
            level = _BINARY[value.name]
            left, right = _at(known[0], level), _at(known[1], level + 1)
            return f"{left} {value.name} {right}", level
        if len(known) == 1 and (value.name.startswith("(") or value.name in "-+~!"):
            return f"{value.name}{_at(known[0], _UNARY_LEVEL)}", _UNARY_LEVEL
        if value.name.isidentifier():
            return f"{value.name}({', '.join(p[0] for p in known)})", _PRIMARY
        return None

    def place(self, place: Place) -> str | None:
        """The lvalue that names the place: `a->device`, `state.queue`, `table[3]`."""
        if any(step.startswith("[?") for step in place.path):
            return None  # an element that the function finds by itself
        for length in range(len(place.path), -1, -1):
            whole = Place(place.root, place.path[:length])
            rest = place.path[length:]
            if Ref(whole) in self.parameters:
                return _through_pointer(self.parameters[Ref(whole)], rest)
            if Entry(whole) in self.parameters and rest:
                return self.parameters[Entry(whole)] + _path(rest)
        root = place.root
        if isinstance(root, Global):
            seen = root.name in self._names and root.home in ("", EXTERN, self.unit.source.name)
            return root.name + _path(place.path) if seen else None
        if isinstance(root, Pointee):
            pointer = self._value(root.pointer)
            if pointer:
                return _through_pointer(_at(pointer, _PRIMARY), place.path)
        if isinstance(root, App | Local):
            return None
        return None


def _at(part: tuple[str, int], level: int) -> str:
    return part[0] if part[1] >= level else f"({part[0]})"


def _path(path: tuple[str, ...]) -> str:
    return "".join(step if step.startswith("[") else f".{step}" for step in path)


def _through_pointer(pointer: str, path: tuple[str, ...]) -> str:
    if not path:
        return f"*{pointer}"
    if path[0].startswith("["):
        return pointer + _path(path)
    return f"{pointer}->{path[0]}" + _path(path[1:])
