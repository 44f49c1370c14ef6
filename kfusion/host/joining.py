"""Two ways that differ only in a number are one, and the number has one value.

    if (a < b) return a;            return a < b ? a : b;
    return b;
    if (r != 0) n = n + m - r;      n = r != 0 ? n + m - r : n;

So sizes that hosts round up are what they are for every length. Ways that give constants (flags,
statuses) stay apart: what is launched later may depend on them.
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
    if has_effects(node.cond) or not all(map(_is_computed, values)):
        return None
    return c_ast.Return(c_ast.TernaryOp(node.cond, *values, node.coord), node.coord)


def joined_assignment(node: c_ast.If) -> c_ast.Assignment | None:
    """What an `if` without `else` that changes one variable assigns to it."""
    inner = _only(node.iftrue)
    if not isinstance(inner, c_ast.Assignment) or not isinstance(inner.lvalue, c_ast.ID):
        return None
    if node.iffalse is not None or has_effects(node.cond) or not _is_computed(inner.rvalue):
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
    if node is None or has_effects(node):
        return False
    return any(isinstance(inner, c_ast.ID) for inner in (node, *descendants(node)))
