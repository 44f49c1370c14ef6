"""Statements that do one thing only, so that they may go when nobody needs it."""

from __future__ import annotations

from functools import lru_cache

from pycparser import c_ast

from kfusion.kernel.builtins import is_value, is_work_item, reads_image
from kfusion.kernel.evaluate import Environment
from kfusion.kernel.model import Access, Effect
from kfusion.kernel.scopes import name_token
from kfusion.kernel.types import is_plain_value
from kfusion.parse.statements import Statement
from kfusion.parse.unit import Unit
from kfusion.source.protections import is_on, protection

ACTING = protection("acting", "a condition that changes something is computed in any case")
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
    if len(nodes) != 1:
        return None
    if isinstance(node, c_ast.FuncCall):
        return _texel_stored(env, statement, node, accesses)
    if isinstance(node, c_ast.Assignment):
        if not _harmless(env, node.rvalue):
            return None
        target = node.lvalue
    elif isinstance(node, c_ast.UnaryOp) and node.op in _CHANGES:
        target = node.expr
    else:
        return None
    symbol = env.symbol(target)
    if symbol is not None:
        return Effect((symbol,), (env.unit.index(target),))
    return _store_of(statement, accesses)


def _texel_stored(
    env: Environment, statement: Statement, node: c_ast.FuncCall, accesses: tuple[Access, ...]
) -> Effect | None:
    """`write_imagef(image, (int2)(x, y), value);`"""
    if node.args is None or not all(_harmless(env, each) for each in node.args.exprs):
        return None
    return _store_of(statement, accesses)


def _store_of(statement: Statement, accesses: tuple[Access, ...]) -> Effect | None:
    stores = [n for n, a in enumerate(accesses) if a.assignment == statement and a.plain]
    return Effect(store=stores[0]) if len(stores) == 1 else None


def is_acting(env: Environment, nodes: list[c_ast.Node]) -> bool:
    """`if (atomic_inc(&count[0]) > 3)`: whether what it guards is needed or not, it is done."""
    condition = nodes[0].cond if nodes and isinstance(nodes[0], c_ast.If) else None
    return condition is not None and is_on(ACTING) and not _harmless(env, condition)


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

    def visit_NamedInitializer(self, node: c_ast.NamedInitializer) -> None:
        self.visit(node.expr)

    def visit_FuncCall(self, node: c_ast.FuncCall) -> None:
        name = node.name.name if isinstance(node.name, c_ast.ID) else ""
        if name in self.env.unit.functions:
            self.found = self.found or not _takes_values(self.env.unit, name)
        elif not (is_value(name) or is_work_item(name) or reads_image(name)):
            self.found = True
        self.generic_visit(node)


@lru_cache(maxsize=256)
def _takes_values(unit: Unit, name: str) -> bool:
    """A helper that gets no pointer: all that it can do is return a value."""
    for function in unit.definitions[name]:
        arguments = function.node.decl.type.args
        for parameter in arguments.params if arguments else []:
            if not isinstance(parameter, (c_ast.Decl, c_ast.Typename)):
                return False  # `...`
            is_void = isinstance(parameter, c_ast.Typename) and len(arguments.params) == 1
            if not is_void and not is_plain_value(unit, parameter.type):
                return False
    return True
