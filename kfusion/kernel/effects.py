"""Statements that do one thing only, so that they may go when nobody needs it."""

from __future__ import annotations

from functools import lru_cache

from pycparser import c_ast

from kfusion.kernel.builtins import is_value, is_work_item, reads_image, reads_lanes
from kfusion.kernel.evaluate import Environment, resolve_pointer
from kfusion.kernel.model import Access, Effect
from kfusion.kernel.only_read import reads_argument
from kfusion.kernel.types import is_plain_value
from kfusion.parse.statements import Statement
from kfusion.parse.unit import Unit, arguments_of, called_name, descendants, is_step
from kfusion.source.protections import is_on, protection

ACTING = protection("acting", "a condition that changes something is computed in any case")


def effect_of(
    env: Environment,
    statement: Statement,
    nodes: list[c_ast.Node],
    accesses: tuple[Access, ...],
) -> Effect | None:
    if statement.kind != "plain" or not nodes:
        return None
    if all(isinstance(node, c_ast.Decl) for node in nodes):
        if not all(node.init is None or is_harmless(env, node.init) for node in nodes):
            return None
        tokens = tuple(map(env.unit.name_index, nodes))
        if not all(token in env.uses for token in tokens):
            return None
        return Effect(tuple(env.uses[token] for token in tokens), tokens)
    node = nodes[0]
    if len(nodes) != 1:
        return None
    if isinstance(node, c_ast.FuncCall):
        # `write_imagef(image, (int2)(x, y), value);`
        harmless = all(is_harmless(env, each) for each in arguments_of(node))
        return _store_of(statement, accesses) if harmless else None
    if isinstance(node, c_ast.Assignment):
        if not is_harmless(env, node.rvalue):
            return None
        target = node.lvalue
    elif is_step(node):
        target = node.expr
    else:
        return None
    symbol = env.symbol(target)
    if symbol is not None:
        return Effect((symbol,), (env.unit.index(target),))
    return _store_of(statement, accesses)


def _store_of(statement: Statement, accesses: tuple[Access, ...]) -> Effect | None:
    stores = [n for n, a in enumerate(accesses) if a.assignment == statement and a.plain]
    return Effect(store=stores[0]) if len(stores) == 1 else None


def is_acting(env: Environment, nodes: list[c_ast.Node]) -> bool:
    """`if (atomic_inc(&count[0]) > 3)`: whether what it guards is needed or not, it is done."""
    condition = nodes[0].cond if nodes and isinstance(nodes[0], c_ast.If) else None
    return condition is not None and is_on(ACTING) and not is_harmless(env, condition)


def is_harmless(env: Environment, node: c_ast.Node) -> bool:
    """It may read memory, but changes nothing."""
    return not any(_changes(env, each) for each in descendants(node))


def _changes(env: Environment, node: c_ast.Node) -> bool:
    """The node itself, whatever is below it."""
    if isinstance(node, c_ast.FuncCall):
        return not is_value_call(env.unit, node)
    taken = isinstance(node, c_ast.UnaryOp) and node.op == "&"
    into_buffer = taken and resolve_pointer(env, node) is not None
    return isinstance(node, c_ast.Assignment) or is_step(node) or (taken and not into_buffer)


def is_value_call(unit: Unit, call: c_ast.FuncCall) -> bool:
    """It returns a value, and does nothing else."""
    name = called_name(call)
    if name in unit.functions:
        return _only_returns(unit, name)
    return is_value(name) or is_work_item(name) or reads_image(name) or reads_lanes(name)


@lru_cache(maxsize=256)
def _only_returns(unit: Unit, name: str) -> bool:
    """A helper that gets values, and pointers through which it reads: all that it can do is
    return a value."""
    for function in unit.definitions[name]:
        for place, parameter in enumerate(function.listed):
            if not isinstance(parameter, (c_ast.Decl, c_ast.Typename)):
                return False  # `...`
            is_void = isinstance(parameter, c_ast.Typename) and len(function.listed) == 1
            given = is_plain_value(unit, parameter.type) or reads_argument(unit, name, place)
            if not is_void and not given:
                return False
    return True
