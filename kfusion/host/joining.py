"""Two ways that differ only in a number are one, and the number has one value.

    if (a < b) return a;            return a < b ? a : b;
    return b;
    if (r != 0) n = n + m - r;      n = r != 0 ? n + m - r : n;

So sizes that hosts round up are what they are for every length. Other ways (of flags, statuses,
pointers that may be null) stay apart: what is launched later may depend on them.
"""

from __future__ import annotations

from pycparser import c_ast

from kfusion.host.expressions import has_effects
from kfusion.parse.unit import descendants


def joined_return(node: c_ast.If, following: c_ast.Node | None) -> c_ast.Return | None:
    """What an `if` and the statement behind it return."""
    first, second = _only(node.iftrue), _only(node.iffalse or following)
    if not (isinstance(first, c_ast.Return) and isinstance(second, c_ast.Return)):
        return None
    values = first.expr, second.expr
    if not all(map(_is_computed, values)) or not _is_of(node.cond, *values):
        return None
    return c_ast.Return(c_ast.TernaryOp(node.cond, *values, node.coord), node.coord)


def joined_assignment(node: c_ast.If) -> c_ast.Assignment | None:
    """What an `if` without `else` that changes one variable assigns to it."""
    inner = _only(node.iftrue)
    if not isinstance(inner, c_ast.Assignment) or not isinstance(inner.lvalue, c_ast.ID):
        return None
    if node.iffalse is not None or not _is_computed(inner.rvalue):
        return None
    if not _is_of(node.cond, inner.lvalue):
        return None
    value, name = inner.rvalue, inner.lvalue
    if inner.op != "=":
        value = c_ast.BinaryOp(inner.op[:-1], name, value, inner.coord)
    either = c_ast.TernaryOp(node.cond, value, name, node.coord)
    return c_ast.Assignment("=", name, either, inner.coord)


def _only(node: c_ast.Node | None) -> c_ast.Node | None:
    """The statement that a block consists of."""
    while isinstance(node, c_ast.Compound) and len(node.block_items or ()) == 1:
        node = node.block_items[0]
    return node


def _is_computed(node: c_ast.Node | None) -> bool:
    """From a variable, without a call."""
    return node is not None and not has_effects(node) and bool(_names(node))


def _is_of(condition: c_ast.Node, *values: c_ast.Node | None) -> bool:
    """Does a condition ask for one of the numbers themselves?"""
    asked = _names(condition)
    return not has_effects(condition) and any(asked & _names(v) for v in values if v is not None)


def _names(node: c_ast.Node) -> set[str]:
    return {n.name for n in (node, *descendants(node)) if isinstance(n, c_ast.ID)}
