"""Helper functions that only compute an index: `int at(int x, int y) { return y*W + x; }`.

Not handled: pointers, control flow, several returns, variables that change, overloads.
"""

from __future__ import annotations

from functools import lru_cache

from pycparser import c_ast

from kfusion.kernel.model import Symbol
from kfusion.kernel.scopes import Scopes, find_scopes
from kfusion.kernel.types import canonical, is_integer, vector_of
from kfusion.parse.unit import Function, Unit
from kfusion.source.dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class SimpleHelper:
    """Integers in, or vectors of them, and one out: `result`, once the variables are bound."""

    uses: dict[int, Symbol]
    parameters: tuple[Symbol, ...]
    variables: tuple[tuple[Symbol, c_ast.Node], ...]  # with their initialisers, in order
    result: c_ast.Node
    type: str


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
    *declared, last = function.node.body.block_items or [None]
    if not _is_followed(type_) or parameters is None or scopes.odd:
        return None
    if not isinstance(last, c_ast.Return) or last.expr is None:
        return None
    variables: list[tuple[Symbol, c_ast.Node]] = []
    for node in declared:
        if not isinstance(node, c_ast.Decl) or node.init is None:
            return None
        symbol = _constant(unit, node, scopes)
        if symbol is None:
            return None
        variables.append((symbol, node.init))
    return SimpleHelper(scopes.uses, parameters, tuple(variables), last.expr, type_)


def _parameters(unit: Unit, function: Function, scopes: Scopes) -> tuple[Symbol, ...] | None:
    found: list[Symbol] = []
    for node in function.listed:
        if isinstance(node, c_ast.Typename):  # `(void)`
            return () if len(function.listed) == 1 and canonical(unit, node) == "void" else None
        symbol = _constant(unit, node, scopes) if isinstance(node, c_ast.Decl) else None
        if symbol is None:
            return None
        found.append(symbol)
    return tuple(found)


def _is_followed(type_: str) -> bool:
    return is_integer(type_) or vector_of(type_) is not None


def _constant(unit: Unit, node: c_ast.Decl, scopes: Scopes) -> Symbol | None:
    """An integer, or a vector of them, that keeps its first value."""
    symbol = scopes.uses.get(unit.name_index(node))
    keeps = symbol is not None and scopes.assigned_once(symbol) and _is_followed(symbol.canonical)
    return symbol if keeps and isinstance(node.type, c_ast.TypeDecl) else None
