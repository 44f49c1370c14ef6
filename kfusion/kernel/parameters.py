"""The parameters of a kernel."""

from __future__ import annotations

from pycparser import c_ast

from kfusion.kernel.model import Parameter
from kfusion.kernel.types import (
    canonical,
    qualifiers,
    resolved,
    spaces_in_typedefs,
    type_macro,
    without_qualifiers,
)
from kfusion.parse.opencl import IMAGES
from kfusion.parse.unit import Function, Unit

_POINTERS = (c_ast.PtrDecl, c_ast.ArrayDecl)
_NOT_TYPE = frozenset(("const", "volatile", "restrict", "*", "[", "]"))


def read_parameters(unit: Unit, function: Function) -> tuple[Parameter, ...]:
    declared = [p for p in function.listed if isinstance(p, c_ast.Decl)]
    ranges = unit.ranges_in(unit.index(function.node.decl) + 1)
    return tuple(
        _parameter(unit, node, number, first, last)
        for number, (node, (first, last)) in enumerate(zip(declared, ranges, strict=False))
    )


def _parameter(unit: Unit, node: c_ast.Decl, number: int, first: int, last: int) -> Parameter:
    notes = unit.notes_between(first, last)
    type_ = resolved(unit, node.type)
    pointer = isinstance(type_, _POINTERS)
    inner = type_.type if pointer else type_
    named = [n.text for n in notes] + spaces_in_typedefs(unit, node.type)
    spaces = [text for text in named if text in ("global", "local", "constant", "generic")]
    quals = qualifiers(unit, type_.type if pointer else node.type)
    canonical_type = canonical(unit, inner)
    start, end = unit.range(first, last)
    start = min([start, *(n.start for n in notes if n.start >= 0)])
    is_image = canonical_type in IMAGES
    access = next((n.text for n in notes if n.text in _ACCESS), "read_only")
    return Parameter(
        name=node.name,
        index=number,
        space=spaces[0] if spaces else "private",
        type=_written_type(unit, first, last, node.name),
        canonical=canonical_type,
        pointer=pointer,
        const="const" in quals,
        restrict="restrict" in getattr(node.type, "quals", []),
        volatile="volatile" in quals,
        image=access if is_image else None,
        text=unit.source.text[start:end],
        span=unit.span(last, last),
        hidden=pointer and not isinstance(node.type, _POINTERS),
        nested=pointer and isinstance(resolved(unit, inner), _POINTERS),
    )


_ACCESS = ("read_only", "write_only", "read_write")


def _written_type(unit: Unit, first: int, last: int, name: str) -> str:
    parts: list[str] = []
    for index in range(first, last + 1):
        token = unit.tokens[index]
        if token.text in _NOT_TYPE or token.text == name:
            continue
        written = type_macro(unit, index) or without_qualifiers(unit, token.text)
        if written == token.text or written not in parts:
            parts.append(written)
    return " ".join(parts)
