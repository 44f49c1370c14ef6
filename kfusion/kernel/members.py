"""Members of structures that a kernel gets by value: `size.width`, `shape.strides[1]`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from pycparser import c_ast

from kfusion.kernel.scopes import Scopes
from kfusion.kernel.types import canonical, is_member_array, known_size, members_of, resolved
from kfusion.parse.unit import Function, Unit
from kfusion.source.dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Member:
    """A part of a parameter: `path` is how C reaches it, `.strides[1]`, and so many `bytes` lie
    before it (-1: not known)."""

    parameter: str
    path: str
    type: c_ast.Node
    whole: str  # the parameter's type: another one may have the same members in other places
    bytes: int = 0

    def inner(self, unit: Unit, name: str) -> Member | None:
        found = [m for m in members_of(unit, self.type) if m.name == name]
        bits = any(m.bitsize is not None for m in found)
        if len(found) != 1 or bits:
            return None
        before = _before(unit, self.type, name) if self.bytes >= 0 else -1
        place = self.bytes + before if before >= 0 else -1
        return Member(self.parameter, f"{self.path}.{name}", found[0].type, self.whole, place)

    def element(self, unit: Unit, place: int) -> Member | None:
        type_ = resolved(unit, self.type)
        if not isinstance(type_, c_ast.ArrayDecl) or place < 0:
            return None
        layout = layout_of(unit, type_.type)
        bytes_ = self.bytes + place * layout.size if layout and self.bytes >= 0 else -1
        return Member(self.parameter, f"{self.path}[{place}]", type_.type, self.whole, bytes_)


class Layout(NamedTuple):
    """Bytes of a type, and of what its address is a multiple of."""

    size: int
    alignment: int


def layout_of(unit: Unit, node: c_ast.Node) -> Layout | None:
    """As OpenCL lays numbers, arrays and structures out; None: it is not known."""
    type_ = resolved(unit, node)
    if isinstance(type_, c_ast.ArrayDecl):
        element, count = layout_of(unit, type_.type), type_.dim
        length = _number(count.value) if isinstance(count, c_ast.Constant) else None
        if element is None or length is None:
            return None
        return Layout(element.size * length, element.alignment)
    members = members_of(unit, node)
    if not members:
        size = known_size(name) if not (name := canonical(unit, node)).endswith("_t") else None
        return Layout(size, size) if size else None
    end, alignment = 0, 1
    for member in members:
        layout = layout_of(unit, member.type) if member.bitsize is None else None
        if layout is None or not _as_usual(unit):
            return None
        end = _aligned(end, layout.alignment) + layout.size
        alignment = max(alignment, layout.alignment)
    return Layout(_aligned(end, alignment), alignment)


def _number(text: str) -> int | None:
    """A whole number of C: also `010`, which is 8."""
    digits = text.lower().rstrip("ul")
    if re.fullmatch("0[0-7]*", digits):
        return int(digits, 8)
    return int(digits, 0) if re.fullmatch(r"0x[0-9a-f]+|[0-9]+", digits) else None


def _before(unit: Unit, structure: c_ast.Node, name: str) -> int:
    """Bytes that lie before a member; -1: not known."""
    if layout_of(unit, structure) is None:
        return -1
    end = 0
    for member in members_of(unit, structure):
        layout = layout_of(unit, member.type)
        assert layout is not None
        end = _aligned(end, layout.alignment)
        if member.name == name:
            return end
        end += layout.size
    return -1


def _aligned(end: int, alignment: int) -> int:
    return -(-end // alignment) * alignment


@lru_cache(maxsize=16)
def _as_usual(unit: Unit) -> bool:
    """Nothing in the file lays members out in another way, or another structure of the tag."""
    tagged = (*unit.nodes.get(c_ast.Struct, ()), *unit.nodes.get(c_ast.Union, ()))
    tags = [node.name for node in tagged if node.name and node.decls is not None]
    words = (t.text for t in unit.tokens if t.text.startswith("#pragma") or t.text == "_Alignas")
    notes = (note.text for note in unit.notes if note.text.startswith("__attr"))
    otherwise = any(re.search("pack|[aA]lign", text) for text in (*words, *notes))
    return not otherwise and len(set(tags)) == len(tags)


def keeps_members(unit: Unit, scopes: Scopes, function: Function) -> frozenset[str]:
    """Parameters of which no member changes: no member that is an array becomes a pointer."""
    chains = (*function.nodes.get(c_ast.StructRef, ()), *function.nodes.get(c_ast.ArrayRef, ()))
    inner = {node.name for node in chains}
    whole = (node for node in chains if node not in inner)
    decaying = {_root(node) for node in whole if is_member_array(unit, node)}
    parameters = {s for s in scopes.writes if s.parameter and scopes.assigned_once(s)}
    return frozenset(s.name for s in parameters) - decaying


def _root(node: c_ast.Node) -> str:
    """The name of the variable that has the member as a part of it."""
    while isinstance(node, c_ast.ArrayRef) or (
        isinstance(node, c_ast.StructRef) and node.type == "."
    ):
        node = node.name
    return str(node.name) if isinstance(node, c_ast.ID) else ""
