"""What a kernel begins with: asynchronous copies into local arrays, and waiting for them.

All items of a group come to these statements, in front of the guard. What they name is
known there: nothing is read from memory, but by the copy itself.
"""

from __future__ import annotations

from pycparser import c_ast

from kfusion.kernel.evaluate import Environment
from kfusion.kernel.model import PreludeItem, Symbol
from kfusion.parse.statements import Statement
from kfusion.parse.unit import arguments_of, called_name, descendants

COPIES = ("async_work_group_copy", "async_work_group_strided_copy")
WAITS = ("wait_group_events",)
_FENCE = "CLK_LOCAL_MEM_FENCE"


def opening(env: Environment, statement: Statement, nodes: list[c_ast.Node]) -> PreludeItem | None:
    """The statement, if it is one of those."""
    if statement.kind != "plain" or len(nodes) != 1 or _is_marked(env, statement):
        return None
    node, given = nodes[0], False
    if isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.TypeDecl):
        node, given = node.init, True
    elif isinstance(node, c_ast.Assignment) and _own(env, node.lvalue) is not None:
        node, given = node.rvalue if node.op == "=" else None, True
    if not isinstance(node, c_ast.FuncCall):
        return None
    name, arguments = called_name(node), arguments_of(node)
    if name in COPIES:
        found = given and _own(env, arguments[0]) is not None and _is_known(arguments[1:])
    elif name in WAITS:
        found = not given and _is_known(arguments[:1]) and _is_event(env, arguments[1])
    else:
        found = name == "barrier" and not given and _is_local_fence(arguments)
    return PreludeItem(statement, opening=True) if found else None


def _own(env: Environment, node: c_ast.Node) -> Symbol | None:
    """The variable of the kernel, not a parameter, that the expression names."""
    symbol = env.symbol(node) if isinstance(node, c_ast.ID) else None
    return symbol if symbol is not None and not symbol.parameter else None


def _is_event(env: Environment, node: c_ast.Node) -> bool:
    if isinstance(node, c_ast.UnaryOp) and node.op == "&":
        node = node.expr
    return _own(env, node) is not None


def _is_local_fence(arguments: list[c_ast.Node]) -> bool:
    return len(arguments) == 1 and getattr(arguments[0], "name", "") == _FENCE


def _is_known(arguments: list[c_ast.Node]) -> bool:
    """Variables, parameters and constants, with arithmetic: no loads, calls or changes."""
    return all(_is_plain(part) for argument in arguments for part in descendants(argument))


def _is_plain(node: c_ast.Node) -> bool:
    if isinstance(node, c_ast.UnaryOp):
        return node.op in ("+", "-", "~", "sizeof")
    loads = (c_ast.FuncCall, c_ast.ArrayRef, c_ast.Assignment, c_ast.StructRef)
    return not isinstance(node, loads)


def _is_marked(env: Environment, statement: Statement) -> bool:
    """`#pragma immovable` stands right before it."""
    start, before = (env.unit.range(i, i)[0] for i in (statement.first, statement.first - 1))
    return any(before < mark.start < start for mark in env.unit.annotations.immovable)
