"""The tokens that an access is written with, for messages.

pycparser places `*(global float *)(a + i)` at the first token of what is cast.
"""

from __future__ import annotations

from pycparser import c_ast

from kfusion.parse.unit import Unit


def dereference(unit: Unit, node: c_ast.UnaryOp) -> tuple[int, int]:
    """`*(global float *)(a + i)`"""
    at = unit.index(node)
    first = at - 1
    while unit.tokens[first].text in ("(", "&"):
        first -= 1
    begins = unit.tokens[first].text == "*"
    return (first, _last(unit, node.expr, first + 1)) if begins else (at, at)


def element(unit: Unit, node: c_ast.ArrayRef) -> tuple[int, int]:
    """`((global float *)a)[i]`"""
    first = unit.index(node.name)
    while unit.tokens[first - 1].text == "(" and not _is_subscripted(unit, first):
        first -= 1
    last = unit.match(first) if unit.tokens[first].text == "(" else first
    return first, _behind(unit, last)


def _is_subscripted(unit: Unit, first: int) -> bool:
    opened = unit.tokens[first].text == "("
    return opened and unit.tokens[unit.match(first) + 1].text == "["


def _last(unit: Unit, node: c_ast.Node, first: int) -> int:
    """Of an operand that begins at the token."""
    if isinstance(node, c_ast.Cast) and unit.index(node) == first:
        return _last(unit, node.expr, unit.match(first) + 1)
    if unit.tokens[first].text == "(":
        return _behind(unit, unit.match(first))
    if isinstance(node, c_ast.UnaryOp) and unit.index(node) > first:
        return _last(unit, node.expr, first + 1)
    return _behind(unit, first)


def _behind(unit: Unit, last: int) -> int:
    """With the brackets and members that follow."""
    tokens = unit.tokens
    while True:
        following = tokens[last + 1].text
        if following in ("[", "("):
            last = unit.match(last + 1)
        elif following in (".", "->"):
            last += 2
        elif following in ("++", "--"):
            last += 1
        else:
            return last
