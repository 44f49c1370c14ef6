"""Symbolic values as C text inside the generated function."""

from __future__ import annotations

from functools import cached_property

from pycparser import c_ast

from kfusion.host.program import EXTERN
from kfusion.host.spelling import (
    PRIMARY,
    UNARY,
    Text,
    literal,
    member_path,
    operation,
    through_pointer,
)
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
        return text.text if text else None

    def _value(self, value: Sym) -> Text | None:
        if value in self.parameters:
            return Text(self.parameters[value], PRIMARY)
        if isinstance(value, Num | Literal):
            return literal(value)
        if isinstance(value, Entry):
            place = self.place(value.place)
            return Text(place, UNARY if place.startswith("*") else PRIMARY) if place else None
        if isinstance(value, Ref):
            address = self.address(value.place)
            if address is None:
                return None
            return Text(address, UNARY if address.startswith("&") else PRIMARY)
        if isinstance(value, Op):
            parts = [self._value(a) for a in value.args]
            known = [p for p in parts if p is not None]
            return operation(value.name, known) if len(known) == len(parts) else None
        return None

    def address(self, place: Place) -> str | None:
        """`&a->device`; `k` for what the pointer k points to."""
        text = self.place(place)
        if text is None:
            return None
        return text[1:] if text.startswith("*") else f"&{text}"

    def place(self, place: Place) -> str | None:
        """The lvalue that names the place: `a->device`, `state.queue`, `table[3]`."""
        if any(step.startswith("[?") for step in place.path):
            return None  # an element that the function finds by itself
        for length in range(len(place.path), -1, -1):
            whole = Place(place.root, place.path[:length])
            rest = place.path[length:]
            if Ref(whole) in self.parameters:
                return through_pointer(self.parameters[Ref(whole)], rest)
            if Entry(whole) in self.parameters and rest:
                return self.parameters[Entry(whole)] + member_path(rest)
        root = place.root
        if isinstance(root, Global):
            seen = root.name in self._names and root.home in ("", EXTERN, self.unit.source.name)
            return root.name + member_path(place.path) if seen else None
        if isinstance(root, Pointee):
            pointer = self._value(root.pointer)
            if pointer:
                return through_pointer(pointer.at(PRIMARY), place.path)
        if isinstance(root, App | Local):
            return None
        return None
