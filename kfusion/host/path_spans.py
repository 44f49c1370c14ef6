"""Where a call stands in the text, for messages."""

from __future__ import annotations

from pycparser import c_ast

from kfusion.parse.unit import Unit
from kfusion.source.text import Span


def call_span(call: c_ast.FuncCall, unit: Unit) -> Span | None:
    """The text of a call; that of the macro, if one has it in its body."""
    node: c_ast.Node = call.name
    while node.coord is None and node.children():
        node = node.children()[0][1]
    if node.coord is None:
        return None
    return _until_bracket(unit, unit.index(node))


def _until_bracket(unit: Unit, first: int) -> Span:
    """From a token to the bracket that closes the call's arguments."""
    tokens, position = unit.tokens, first
    while position + 1 < len(tokens) and tokens[position].text != "(":
        if tokens[position].text == "[":
            position = unit.match(position)
        elif tokens[position].text in (";", "{", "}"):
            return unit.span(first, first)
        position += 1
    return unit.span(first, unit.match(position))
