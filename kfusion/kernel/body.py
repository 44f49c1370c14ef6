"""A kernel's body split in two: declarations, openings and guards first, then the work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pycparser import c_ast

from kfusion.kernel.arithmetic import Typed, convert
from kfusion.kernel.builtins import is_value, is_work_item
from kfusion.kernel.evaluate import (
    Environment,
    conditions,
    evaluate,
    is_condition,
    resolve_pointer,
    vector,
)
from kfusion.kernel.flow import changed_in
from kfusion.kernel.images import sampler_value
from kfusion.kernel.model import Body, Declaration, PreludeItem
from kfusion.kernel.opening import opening
from kfusion.kernel.scopes import Scopes
from kfusion.kernel.strides import strided
from kfusion.kernel.tables import values_of
from kfusion.kernel.texels import texel_of
from kfusion.kernel.together import is_array_of_values
from kfusion.kernel.types import canonical, is_integer
from kfusion.parse.statements import Statement
from kfusion.parse.unit import Function, called_name, is_step


def split_body(
    env: Environment, scopes: Scopes, function: Function, *, strides: bool = True
) -> Body:
    """Binds the prelude's variables in `env` on the way."""
    prelude: list[PreludeItem] = []
    statements = list(function.body.children)
    nodes = nodes_of(env, function, statements)
    while statements:
        statement, here = statements[0], nodes[0]
        if is_empty(env, statement):
            statements, nodes = statements[1:], nodes[1:]
            continue
        item = _declarations(env, scopes, statement, here)
        if item is None:
            item = _guard(env, statement, here, early_return=True)
        if item is None and not any(i.guard is not None for i in prelude):
            item = opening(env, statement, here)
        if item is not None:
            prelude.append(item)
            statements, nodes = statements[1:], nodes[1:]
            continue
        rest = [s for s in statements[1:] if not (is_return(env, s) or is_empty(env, s))]
        item = None if rest else _guard(env, statement, here)
        opened = any(i.opening for i in prelude)
        if item is None and strides and not rest and not opened:
            item = strided(env, scopes, prelude, statement, here)
            strides = False  # the order of the iterations of one is kept
        if item is None:
            break
        prelude.append(item)
        inner = statement.children[0]
        statements = list(inner.children) if inner.kind == "compound" else [inner]
        if item.counter is not None and item.counter.last is not None:
            statements.remove(item.counter.last)
        nodes = nodes_of(env, function, statements)
    while statements and (is_return(env, statements[-1]) or is_empty(env, statements[-1])):
        statements.pop()
    if prelude and not any(i.guard is not None for i in prelude):
        # Nothing keeps the work from following what it begins with.
        kept = next((n for n, i in enumerate(prelude) if i.opening), len(prelude))
        statements[:0] = [item.statement for item in prelude[kept:]]
        del prelude[kept:]
    # Variables of the work itself stay with it; a copy that starts early needs its array.
    while prelude and prelude[-1].guard is None and not _stays(env, prelude[-1]):
        statements.insert(0, prelude.pop().statement)
    return Body(tuple(prelude), tuple(statements))


def _stays(env: Environment, item: PreludeItem) -> bool:
    """Does the statement declare an index, or an array in local memory?"""
    notes = env.unit.notes_between(item.statement.first, item.statement.last)
    index = any(d.constant and any(f.atoms for f in d.forms) for d in item.declarations)
    return index or any(note.text == "local" for note in notes)


def nodes_of(
    env: Environment, function: Function, statements: Sequence[Statement]
) -> list[list[c_ast.Node]]:
    """The tree's nodes for each statement of the body, wherever its block is; `int i, j;` is one
    statement and two nodes."""
    found: list[list[c_ast.Node]] = [[] for _ in statements]

    def place(node: c_ast.Node) -> None:
        index = env.unit.index(node) if node.coord is not None else -1
        for statement, here in zip(statements, found, strict=True):
            if statement.first <= index <= statement.last:
                here.append(node)
                return
        for _, child in node.children():
            place(child)

    for _, item in function.node.body.children():
        place(item)
    return found


def is_return(env: Environment, statement: Statement) -> bool:
    return (
        statement.kind == "plain"
        and statement.last == statement.first + 1
        and env.unit.tokens[statement.first].text == "return"
    )


def is_empty(env: Environment, statement: Statement) -> bool:
    """A semicolon, as behind `if (i < n) { ... };`"""
    return statement.first == statement.last and env.unit.tokens[statement.first].text == ";"


def only_returns(env: Environment, statement: Statement) -> bool:
    if statement.kind == "compound":
        return len(statement.children) == 1 and only_returns(env, statement.children[0])
    return is_return(env, statement)


def _work(env: Environment, statement: Statement) -> list[Statement]:
    """What a guard stands around; `else return;` says nothing."""
    first, *others = statement.children
    return [first] if all(only_returns(env, other) for other in others) else [first, *others]


def _declarations(
    env: Environment, scopes: Scopes, statement: Statement, nodes: list[c_ast.Node]
) -> PreludeItem | None:
    if statement.kind != "plain" or not nodes:
        return None
    if isinstance(nodes[0], c_ast.Assignment):
        return _late_initialisation(env, scopes, statement, nodes[0])
    if any(node in scopes.odd for node in nodes):
        return None
    if not all(isinstance(node, c_ast.Decl) and _may_lead(env, node) for node in nodes):
        return None
    found = [declare(env, scopes, node) for node in nodes]
    return PreludeItem(statement, tuple(found))


def _late_initialisation(
    env: Environment, scopes: Scopes, statement: Statement, node: c_ast.Assignment
) -> PreludeItem | None:
    """`int i; i = get_global_id(0);`"""
    symbol = env.symbol(node.lvalue)
    if symbol is None or symbol.parameter or node.op != "=" or symbol in scopes.pointers:
        return None
    if not is_pure_expression(env, node.rvalue):
        return None
    value = convert(evaluate(env, node.rvalue), symbol.canonical)
    env.bind(symbol, Typed(None, value.type) if symbol in scopes.address_taken else value)
    return PreludeItem(statement)


def declare(env: Environment, scopes: Scopes, node: c_ast.Decl) -> Declaration:
    """Bind a local variable: to its value, if it keeps it."""
    token = env.unit.name_index(node)
    symbol = env.uses[token]
    type_ = canonical(env.unit, node.type)
    once, named = scopes.assigned_once(symbol), symbol not in scopes.address_taken
    value = Typed(None, type_)
    env.pointers.pop(symbol, None)
    if node.init is not None:
        pointer = resolve_pointer(env, node.init)
        if isinstance(node.type, c_ast.PtrDecl) and pointer is not None:
            env.pointers[symbol] = pointer if named else replace(pointer, offset=None)
        elif named and isinstance(node.type, c_ast.TypeDecl):
            of_list = isinstance(node.init, c_ast.InitList)
            value = vector(env, node.init.exprs, type_) if of_list else evaluate(env, node.init)
            value = convert(value, type_)
    env.bind(symbol, value)
    env.truths.pop(symbol, None)
    if once and is_integer(type_) and node.init is not None and is_condition(node.init):
        env.truths[symbol] = (
            conditions(env, node.init),
            conditions(env, node.init, negated=True),
        )
    texel = texel_of(env, node.init) if once and type_ == "float2" and node.init else None
    if texel is not None:
        env.texels[symbol] = texel
    env.tables.pop(symbol, None)
    if node.init is not None:
        changed = not once or symbol in scopes.decaying
        env.tables[symbol] = values_of(env, node, address_space(env, node), changed=changed)
    if type_ == "sampler_t":
        env.samplers[symbol] = sampler_value(env, node.init)
    parts = tuple(part.form for part in value.parts if part.form is not None)
    known = parts if once and len(parts) == len(value.parts) else ()
    return Declaration(node.name, type_, value.form if once else None, once, token, known)


def _may_lead(env: Environment, node: c_ast.Decl) -> bool:
    if is_array_of_values(node) and address_space(env, node) == "local":
        return True
    if isinstance(node.type, c_ast.PtrDecl):
        pure = node.init is not None and not changed_in(env, node.init)
        return pure and resolve_pointer(env, node.init) is not None
    if not isinstance(node.type, (c_ast.TypeDecl, c_ast.ArrayDecl)):
        return False
    if address_space(env, node) in ("local", "constant") and not is_sampler(env, node):
        return False
    return node.init is None or is_pure_expression(env, node.init)


def is_sampler(env: Environment, node: c_ast.Decl) -> bool:
    return canonical(env.unit, node.type) == "sampler_t"


def address_space(env: Environment, node: c_ast.Decl) -> str:
    """The address space that a local declaration names."""
    name = env.unit.name_index(node)
    notes = env.unit.notes_between(env.unit.declaration_start(name), name)
    spaces = [note.text for note in notes]
    return spaces[0] if spaces else "private"


def is_pure_expression(env: Environment, node: c_ast.Node) -> bool:
    """No access to memory and no effect: it may move up or down, or happen once."""
    if isinstance(node, (c_ast.Assignment, c_ast.ArrayRef)) or is_step(node):
        return False
    if isinstance(node, c_ast.UnaryOp) and node.op in ("*", "&"):
        return False
    if isinstance(node, c_ast.StructRef) and node.type == "->":
        return False
    if isinstance(node, c_ast.ID):
        return env.symbol(node) not in env.pointers
    if isinstance(node, c_ast.FuncCall):
        name = called_name(node)
        if name in env.unit.functions:
            return evaluate(env, node).form is not None
        if not (is_value(name) or is_work_item(name)):
            return False
    return all(is_pure_expression(env, each) for _, each in node.children())


def _guard(
    env: Environment,
    statement: Statement,
    nodes: list[c_ast.Node],
    *,
    early_return: bool = False,
) -> PreludeItem | None:
    if statement.kind != "if" or not nodes:
        return None
    if early_return:
        alone = len(statement.children) == 1 and only_returns(env, statement.children[0])
    else:
        alone = len(_work(env, statement)) == 1
    if not alone:
        return None
    found, complete = conditions(env, nodes[0].cond, negated=early_return)
    understood = complete and not any(c.left.in_loop or c.right.in_loop for c in found)
    return PreludeItem(statement, guard=found, early_return=early_return) if understood else None
