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
