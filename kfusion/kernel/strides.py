"""Loops in which the items of a launch share out a longer range.

`for (int i = get_global_id(0); i < n; i += get_global_size(0))` runs its body for ids that
no other item has. Each is as good as an item of its own: bodies of several such loops may
share one loop, under the rules by which kernels may share one item.
"""

from __future__ import annotations

from pycparser import c_ast

from kfusion.kernel.evaluate import Environment, Typed, conditions, convert, evaluate
from kfusion.kernel.flow import changed_in
from kfusion.kernel.forms import (
    GLOBAL_ID,
    GLOBAL_SIZE,
    GROUP_ID,
    LOCAL_ID,
    STRIDED_ID,
    Atom,
    Form,
    Id,
    form_of,
)
from kfusion.kernel.model import Access, Declaration, PreludeItem, Symbol
from kfusion.kernel.scopes import Scopes
from kfusion.kernel.types import is_wide
from kfusion.parse.statements import Statement

_LEAVING = frozenset(("return", "goto"))


def strided(
    env: Environment,
    scopes: Scopes,
    prelude: list[PreludeItem],
    statement: Statement,
    nodes: list[c_ast.Node],
) -> PreludeItem | None:
    """The loop, if it is one; its variable is then bound."""
    if statement.kind != "for" or not nodes or not isinstance(nodes[0], c_ast.For):
        return None
    loop = nodes[0]
    words = {token.text for token in env.unit.tokens[statement.first : statement.last + 1]}
    if words & _LEAVING or _breaks(loop.stmt):
        return None
    if not all(_stays(env, scopes, item) for item in prelude):
        return None
    if not isinstance(loop.init, c_ast.DeclList) or len(loop.init.decls) != 1:
        return None
    declaration = loop.init.decls[0]
    symbol = env.uses.get(env.unit.index(declaration))
    # An int that would pass 2^31 is no index; of a uint `graph/strides.py` asks.
    if symbol is None or declaration.init is None or not is_wide(symbol.canonical):
        return None
    dimension = _dimension(env, symbol, declaration.init, loop.next)
    if dimension is None or loop.cond is None or symbol in scopes.address_taken:
        return None
    if changed_in(env, loop.stmt, loop.cond) & {symbol, *_named(env, statement)}:
        return None
    form = form_of(Id(STRIDED_ID, dimension))
    env.bind(symbol, Typed(form, symbol.canonical))
    found, complete = conditions(env, loop.cond)
    if not complete or not any(form in (c.left, c.right) for c in found):
        env.bind(symbol, None)
        return None
    declared = Declaration(symbol.name, symbol.canonical, form, True, symbol.token)
    return PreludeItem(statement, (declared,), found)


def _named(env: Environment, statement: Statement) -> set[Symbol]:
    """The variables that say which iterations there are."""
    assert statement.header is not None
    first, last = statement.header
    return {env.uses[t] for t in range(first, last + 1) if t in env.uses}


def _breaks(node: c_ast.Node) -> bool:
    """May a statement of the loop end it early?"""
    if isinstance(node, (c_ast.For, c_ast.While, c_ast.DoWhile, c_ast.Switch)):
        return False
    return isinstance(node, c_ast.Break) or any(_breaks(child) for _, child in node.children())


def _stays(env: Environment, scopes: Scopes, item: PreludeItem) -> bool:
    """What stands in front of the loop is the same in each iteration."""
    if item.guard is not None:
        return True
    declared = [env.uses[d.token] for d in item.declarations] or [env.uses[item.statement.first]]
    words = {t.text for t in env.unit.tokens[item.statement.first : item.statement.last]}
    return "[" not in words and all(scopes.assigned_once(symbol) for symbol in declared)


def _dimension(
    env: Environment, symbol: Symbol, start: c_ast.Node, step: c_ast.Node | None
) -> int | None:
    if not isinstance(step, c_ast.Assignment) or step.op != "+=":
        return None
    if env.symbol(step.lvalue) != symbol:
        return None
    first = convert(evaluate(env, start), symbol.canonical).form
    width = evaluate(env, step.rvalue).form
    for dimension in range(3):
        if first == form_of(Id(GLOBAL_ID, dimension)):
            return dimension if width == form_of(Id(GLOBAL_SIZE, dimension)) else None
    return None


def mixes_ids(accesses: list[Access], stride: Declaration) -> bool:
    """Is memory reached by the id of the item, too, which several iterations have?"""
    (atom,) = (stride.form or Form()).atoms
    assert isinstance(atom, Id)
    own: dict[Atom, Form] = {
        Id(kind, atom.dimension): Form() for kind in (GLOBAL_ID, LOCAL_ID, GROUP_ID)
    }
    return any(a.form is not None and a.form.replace(own) != a.form for a in accesses)
