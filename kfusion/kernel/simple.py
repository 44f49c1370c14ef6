"""Helper functions that only compute an index: `int at(int x, int y) { return y*W + x; }`.

Their variables may change, and there may be conditions, with returns of their own. Not handled:
pointers, loops, overloads.
"""

from __future__ import annotations

from functools import lru_cache

from pycparser import c_ast

from kfusion.kernel.members import keeps_members
from kfusion.kernel.model import Symbol
from kfusion.kernel.scopes import Scopes, find_scopes
from kfusion.kernel.types import canonical, is_integer, members_of, vector_of
from kfusion.parse.unit import Function, Unit, descendants, is_step
from kfusion.source.dataclasses import dataclass

_MOST = 6  # conditions: each may double the ways through the function


@dataclass(frozen=True, eq=False)
class SimpleHelper:
    """Integers in, or vectors of them, or structures, and one integer or vector out."""

    uses: dict[int, Symbol]
    parameters: tuple[Symbol, ...]
    statements: tuple[c_ast.Node, ...]
    type: str
    tokens: tuple[int, int]  # of the body

    @property
    def result(self) -> c_ast.Node | None:
        """What it returns behind declarations, if it consists of nothing else."""
        *declared, last = self.statements
        plain = all(isinstance(node, c_ast.Decl) for node in declared)
        return last.expr if plain and isinstance(last, c_ast.Return) else None


@lru_cache(maxsize=256)
def simple_helper(unit: Unit, name: str) -> SimpleHelper | None:
    """The function of that name, if it is as simple as that."""
    listed = unit.definitions.get(name, [])
    if len(listed) != 1:
        return None
    function = listed[0]
    type_ = canonical(unit, function.node.decl.type.type)
    scopes = find_scopes(unit, function)
    parameters = _parameters(unit, function, scopes)
    statements = tuple(function.node.body.block_items or ())
    if not _is_followed(type_) or parameters is None or scopes.odd or not statements:
        return None
    if not all(_is_simple(unit, node, scopes) for node in statements):
        return None
    if sum(isinstance(n, c_ast.If) for node in statements for n in descendants(node)) > _MOST:
        return None
    tokens = (function.body.first, function.body.last)
    return SimpleHelper(scopes.uses, parameters, statements, type_, tokens)


def _is_simple(unit: Unit, node: c_ast.Node | None, scopes: Scopes) -> bool:
    """A statement that has no effect but on variables."""
    if node is None or isinstance(node, c_ast.EmptyStatement):
        return True
    if isinstance(node, c_ast.Compound):
        return all(_is_simple(unit, each, scopes) for each in node.block_items or ())
    if isinstance(node, c_ast.If):
        return _is_simple(unit, node.iftrue, scopes) and _is_simple(unit, node.iffalse, scopes)
    if isinstance(node, c_ast.Return):
        return node.expr is not None
    if isinstance(node, c_ast.Decl):
        return _followed(unit, node, scopes) is not None
    if isinstance(node, c_ast.Assignment):
        return isinstance(node.lvalue, c_ast.ID)
    return is_step(node) and isinstance(node.expr, c_ast.ID)


def _parameters(unit: Unit, function: Function, scopes: Scopes) -> tuple[Symbol, ...] | None:
    found: list[Symbol] = []
    for node in function.listed:
        if isinstance(node, c_ast.Typename):  # `(void)`
            return () if len(function.listed) == 1 and canonical(unit, node) == "void" else None
        symbol = _followed(unit, node, scopes) if isinstance(node, c_ast.Decl) else None
        if symbol is None and getattr(node, "name", None) in keeps_members(unit, scopes, function):
            symbol = scopes.parameters[node.name] if members_of(unit, node.type) else None
        if symbol is None:
            return None
        found.append(symbol)
    return tuple(found)


def _is_followed(type_: str) -> bool:
    return is_integer(type_) or vector_of(type_) is not None


def _followed(unit: Unit, node: c_ast.Decl, scopes: Scopes) -> Symbol | None:
    """An integer, or a vector of them, that nothing changes but assignments."""
    symbol = scopes.uses.get(unit.name_index(node))
    named = symbol is not None and symbol not in scopes.address_taken
    followed = named and symbol is not None and _is_followed(symbol.canonical)
    return symbol if followed and isinstance(node.type, c_ast.TypeDecl) else None
