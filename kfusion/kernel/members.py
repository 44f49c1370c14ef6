"""Members of structures that a kernel gets by value: `size.width`, `shape.strides[1]`."""

from __future__ import annotations

from pycparser import c_ast

from kfusion.kernel.scopes import Scopes
from kfusion.kernel.types import is_member_array, members_of, resolved
from kfusion.parse.unit import Function, Unit
from kfusion.source.dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Member:
    """A part of a parameter: `path` is how C reaches it, `.strides[1]`."""

    parameter: str
    path: str
    type: c_ast.Node
    whole: str  # the parameter's type: another one may have the same members in other places

    def inner(self, unit: Unit, name: str) -> Member | None:
        found = [m for m in members_of(unit, self.type) if m.name == name]
        bits = any(m.bitsize is not None for m in found)
        if len(found) != 1 or bits:
            return None
        return Member(self.parameter, f"{self.path}.{name}", found[0].type, self.whole)

    def element(self, unit: Unit, place: int) -> Member | None:
        type_ = resolved(unit, self.type)
        if not isinstance(type_, c_ast.ArrayDecl) or place < 0:
            return None
        return Member(self.parameter, f"{self.path}[{place}]", type_.type, self.whole)


def root_of(node: c_ast.Node) -> c_ast.Node:
    while isinstance(node, c_ast.ArrayRef) or (
        isinstance(node, c_ast.StructRef) and node.type == "."
    ):
        node = node.name
    return node


def keeps_members(unit: Unit, scopes: Scopes, function: Function) -> frozenset[str]:
    """Parameters of which no member changes: no member that is an array becomes a pointer."""
    finder = _Decays(unit)
    finder.visit(function.node.body)
    parameters = {s for s in scopes.writes if s.parameter and scopes.assigned_once(s)}
    return frozenset(s.name for s in parameters) - finder.names


class _Decays(c_ast.NodeVisitor):
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.names: set[str] = set()

    def visit_StructRef(self, node: c_ast.StructRef) -> None:
        self._chain(node)

    def visit_ArrayRef(self, node: c_ast.ArrayRef) -> None:
        self._chain(node)

    def _chain(self, node: c_ast.Node) -> None:
        root = root_of(node)
        if is_member_array(self.unit, node) and isinstance(root, c_ast.ID):
            self.names.add(root.name)
        inner: c_ast.Node = node
        while isinstance(inner, (c_ast.StructRef, c_ast.ArrayRef)):
            if isinstance(inner, c_ast.ArrayRef):
                self.visit(inner.subscript)
            inner = inner.name
        self.visit(inner)
