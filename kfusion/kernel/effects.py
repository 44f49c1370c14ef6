"""Statements that do one thing only, so that they may go when nobody needs it."""

from __future__ import annotations

from pycparser import c_ast

from kfusion.kernel.builtins import is_pure, is_work_item
from kfusion.kernel.evaluate import Environment
from kfusion.kernel.model import Access, Effect
from kfusion.kernel.scopes import name_token
from kfusion.parse.statements import Statement

_CHANGES = ("++", "--", "p++", "p--")


def effect_of(
    env: Environment,
    statement: Statement,
    nodes: list[c_ast.Node],
    accesses: tuple[Access, ...],
) -> Effect | None:
    if statement.kind != "plain" or not nodes:
        return None
    if all(isinstance(node, c_ast.Decl) for node in nodes):
        if not all(node.init is None or _harmless(env, node.init) for node in nodes):
            return None
        tokens = tuple(name_token(env.unit, node) for node in nodes)
        if not all(token in env.uses for token in tokens):
            return None
        return Effect(tuple(env.uses[token] for token in tokens), tokens)
    node = nodes[0]
    if len(nodes) != 1 or not isinstance(node, (c_ast.Assignment, c_ast.UnaryOp)):
        return None
    if isinstance(node, c_ast.Assignment):
        if not _harmless(env, node.rvalue):
            return None
        target = node.lvalue
    elif node.op in _CHANGES:
        target = node.expr
    else:
        return None
    symbol = env.symbol(target)
    if symbol is not None:
        return Effect((symbol,), (env.unit.index(target),))
    stores = [n for n, a in enumerate(accesses) if a.assignment == statement and a.plain]
    return Effect(store=stores[0]) if len(stores) == 1 else None


def _harmless(env: Environment, node: c_ast.Node) -> bool:
    """It may read memory, but changes nothing."""
    checker = _Changes(env)
    checker.visit(node)
    return not checker.found


class _Changes(c_ast.NodeVisitor):
    def __init__(self, env: Environment) -> None:
        self.env = env
        self.found = False

    def visit_Assignment(self, node: c_ast.Assignment) -> None:
        self.found = True

    def visit_UnaryOp(self, node: c_ast.UnaryOp) -> None:
        if node.op in (*_CHANGES, "&"):
            self.found = True
        self.generic_visit(node)

    def visit_FuncCall(self, node: c_ast.FuncCall) -> None:
        name = node.name.name if isinstance(node.name, c_ast.ID) else ""
        if not (name in self.env.unit.functions or is_pure(name) or is_work_item(name)):
            self.found = True
        self.generic_visit(node)
