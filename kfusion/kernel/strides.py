"""Loops in which the items of a launch share out a longer range.

`for (int i = get_global_id(0); i < n; i += get_global_size(0))` runs its body for ids that
no other item has. Each is as good as an item of its own: bodies of several such loops may
share one loop, under the rules by which kernels may share one item. The same with `while`, where
the step is the last statement of the body.
"""

from __future__ import annotations

from dataclasses import replace

from pycparser import c_ast

from kfusion.kernel.arithmetic import UNKNOWN, Typed, convert
from kfusion.kernel.evaluate import Environment, conditions, evaluate
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
from kfusion.kernel.model import Access, Counter, Declaration, PreludeItem, Symbol
from kfusion.kernel.scopes import Scopes
from kfusion.kernel.types import is_wide
from kfusion.parse.statements import Statement
from kfusion.source.dataclasses import dataclass

_LEAVING = frozenset(("return", "goto"))


def strided(
    env: Environment,
    scopes: Scopes,
    prelude: list[PreludeItem],
    statement: Statement,
    nodes: list[c_ast.Node],
) -> PreludeItem | None:
    """The loop, if it is one; its variable is then bound."""
    if not nodes or not isinstance(nodes[0], (c_ast.For, c_ast.While)) or nodes[0].cond is None:
        return None
    loop = _declared(env, nodes[0]) or _of_its_own(env, prelude, statement, nodes[0])
    words = {token.text for token in env.unit.tokens[statement.first : statement.last + 1]}
    if loop is None or words & _LEAVING or _breaks(nodes[0].stmt):
        return None
    symbol, others = loop.symbol, [item for item in prelude if item is not loop.item]
    if not all(_stays(env, scopes, item) for item in others):
        return None
    # An int that would pass 2^31 is no index; of a uint `graph/strides.py` asks.
    dimension = _dimension(env, loop) if is_wide(symbol.canonical) else None
    if dimension is None or symbol in scopes.address_taken:
        return None
    item = PreludeItem(statement, counter=loop.counter)
    said = _named(env, [each for part in item.parts for each in part])
    if changed_in(env, *loop.body, nodes[0].cond) & {symbol, *said}:
        return None
    form, before = form_of(Id(STRIDED_ID, dimension)), env.values.get(symbol)
    env.bind(symbol, Typed(form, symbol.canonical))
    found, complete = conditions(env, nodes[0].cond)
    if not complete or not any(form in (c.left, c.right) for c in found):
        env.bind(symbol, before)
        return None
    prelude[:] = others
    scopes.settled[symbol] = symbol.token
    declared = Declaration(symbol.name, symbol.canonical, form, True, symbol.token)
    return replace(item, declarations=(declared,), guard=found)


@dataclass(frozen=True, eq=False)
class _Loop:
    symbol: Symbol
    first: Form | None  # its first value
    step: c_ast.Node | None
    body: tuple[c_ast.Node, ...]
    counter: Counter | None = None
    item: PreludeItem | None = None  # that declares the variable, in front of the loop


def _declared(env: Environment, node: c_ast.For | c_ast.While) -> _Loop | None:
    """A loop that declares its variable."""
    listed = isinstance(node, c_ast.For) and isinstance(node.init, c_ast.DeclList)
    declaration = node.init.decls[0] if listed and len(node.init.decls) == 1 else None
    symbol = env.uses.get(env.unit.index(declaration)) if declaration is not None else None
    if declaration is None or symbol is None or declaration.init is None:
        return None
    first = convert(evaluate(env, declaration.init), symbol.canonical).form
    return _Loop(symbol, first, node.next, (node.stmt,))


def _of_its_own(
    env: Environment,
    prelude: list[PreludeItem],
    statement: Statement,
    node: c_ast.For | c_ast.While,
) -> _Loop | None:
    """`int i = get_global_id(0); while (i < n) {... i += get_global_size(0); }`, and `for`s whose
    variable stands in front of them."""
    body, step, last = (node.stmt,), getattr(node, "next", None), None
    if isinstance(node, c_ast.While):
        inner = statement.children[0]
        if inner.kind != "compound" or not inner.children:
            return None
        *within, step = node.stmt.block_items
        body, last = tuple(within), inner.children[-1]
    symbol = env.symbol(step.lvalue) if isinstance(step, c_ast.Assignment) else None
    item = next((i for i in prelude if _declares(env, i, symbol)), None)
    if symbol is None or item is None:
        return None
    ends = env.unit.ends
    start = [(item.statement.first, item.statement.last - 1)]
    first = env.values.get(symbol, UNKNOWN).form
    init = getattr(node, "init", None)
    if init is not None:
        assigned = isinstance(init, c_ast.Assignment) and init.op == "="
        token = item.declarations[0].token
        if not assigned or env.symbol(init.lvalue) != symbol or token != start[0][1]:
            return None  # `int i;`
        first = convert(evaluate(env, init.rvalue), symbol.canonical).form
        start = [(start[0][0], token - 1), ends.of(init)]
    counter = Counter(tuple(start), ends.of(node.cond), ends.of(step), last)
    if last is not None and (last.first, last.last - 1) != counter.step:
        return None
    inside = range(statement.first, statement.last + 1)
    elsewhere = {t for t, s in env.uses.items() if s == symbol and t not in inside}
    if any(not item.statement.first <= token <= item.statement.last for token in elsewhere):
        return None
    return _Loop(symbol, first, step, body, counter, item)


def _declares(env: Environment, item: PreludeItem, symbol: Symbol | None) -> bool:
    """That variable, and no other one."""
    return [env.uses[d.token] for d in item.declarations] == [symbol] and item.guard is None


def _named(env: Environment, parts: list[tuple[int, int]]) -> set[Symbol]:
    """The variables that say which iterations there are."""
    tokens = (token for first, last in parts for token in range(first, last + 1))
    return {env.uses[token] for token in tokens if token in env.uses}


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


def _dimension(env: Environment, loop: _Loop) -> int | None:
    step = loop.step
    if not isinstance(step, c_ast.Assignment) or step.op != "+=":
        return None
    if env.symbol(step.lvalue) != loop.symbol:
        return None
    width = evaluate(env, step.rvalue).form
    for dimension in range(3):
        if loop.first == form_of(Id(GLOBAL_ID, dimension)):
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
