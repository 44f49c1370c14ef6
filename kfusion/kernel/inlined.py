"""What a helper function does with the pointers that it is given, as if its text stood there.

In: a walker at a call. Out: the accesses of the function's body, each at the place of the call:
nothing of them can be replaced, but whose elements they are is known. A call that is nothing but an
element is read as that element.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pycparser import c_ast

from kfusion.kernel.arithmetic import convert
from kfusion.kernel.effects import is_harmless
from kfusion.kernel.evaluate import (
    Environment,
    cast_pointer,
    evaluate,
    member_of,
    resolve_pointer,
)
from kfusion.kernel.images import sampler_of
from kfusion.kernel.members import keeps_members
from kfusion.kernel.model import Body, Mode, Symbol
from kfusion.kernel.only_read import reads_argument
from kfusion.kernel.scopes import Scopes, find_scopes
from kfusion.kernel.types import canonical
from kfusion.parse.unit import Function, arguments_of
from kfusion.source.protections import is_on, protection

if TYPE_CHECKING:
    from kfusion.kernel.accesses import ExpressionWalker

ELEMENTS = protection("elements", "a call of a function is more than the element that it reads")

_MOST = 64  # calls that are followed in a kernel


def follow_call(walker: ExpressionWalker, node: c_ast.FuncCall, name: str) -> bool:
    """False: the function or its arguments are not of the kind that can be followed."""
    unit, env = walker.unit, walker.env
    listed = unit.definitions[name]
    arguments = arguments_of(node)
    if len(listed) != 1 or name in env.inside or walker.followed_calls[0] >= _MOST:
        return False
    function = listed[0]
    scopes = find_scopes(unit, function)
    parameters = _parameters(function)
    if scopes.odd or parameters is None or len(parameters) != len(arguments):
        return False
    if isinstance(function.node.decl.type.type, c_ast.PtrDecl):
        return False  # it may return one of them
    memory = [resolve_pointer(env, a) is not None or env.image(a) is not None for a in arguments]
    if not any(memory):
        return False
    walker.followed_calls[0] += 1
    within = env.within(name, scopes.uses)
    within.ranks = env.ranks
    within.samplers.update({k: v for k, v in env.samplers.items() if isinstance(k, str)})
    writing: set[str] = set()
    for place, (parameter, argument) in enumerate(zip(parameters, arguments, strict=True)):
        symbol = scopes.uses[unit.name_index(parameter)]
        pointer = resolve_pointer(env, argument)
        if pointer is not None and not reads_argument(unit, name, place):
            writing.add(pointer.parameter)
        _bind(walker, within, scopes, function, symbol, parameter, argument)
    inner = type(walker)(within, scopes, function, Body((), ()), walker.helpers)
    inner.only_reads = lambda parameter: parameter not in writing
    _walk(walker, inner, node)
    return True


def _parameters(function: Function) -> list[c_ast.Decl] | None:
    named = all(isinstance(each, c_ast.Decl) and each.name for each in function.listed)
    return function.listed if named else None


def _bind(
    walker: ExpressionWalker,
    within: Environment,
    scopes: Scopes,
    function: Function,
    symbol: Symbol,
    parameter: c_ast.Decl,
    argument: c_ast.Node,
) -> None:
    env = walker.env
    pointer, image = resolve_pointer(env, argument), env.image(argument)
    if pointer is not None:
        walker.offsets(argument)
        given = cast_pointer(walker.unit, pointer, parameter.type)
        if given is None:
            walker.passed(pointer.parameter, argument)
        else:
            named = symbol not in scopes.address_taken
            within.pointers[symbol] = given if named else replace(given, offset=None)
        return
    if image is not None:
        within.images[symbol] = image
        return
    if symbol.canonical == "sampler_t":
        within.samplers[symbol] = sampler_of(env, argument)
        return
    if (structure := member_of(env, argument)) is not None and symbol not in scopes.address_taken:
        if symbol.name in keeps_members(walker.unit, scopes, function):
            within.structures[symbol] = structure
    walker.expression(argument)
    value = convert(evaluate(env, argument), symbol.canonical)
    within.bind(symbol, replace(value, form=None) if symbol in scopes.address_taken else value)


def _walk(walker: ExpressionWalker, inner: ExpressionWalker, node: c_ast.FuncCall) -> None:
    inner.followed_calls = walker.followed_calls
    inner.begin_under(walker)
    inner.walk()
    walker.local_ids = walker.local_ids or inner.local_ids
    first, last = walker.unit.ends.of(node)
    is_element = _is_element(walker, inner, node)
    for access in inner.accesses:
        found = replace(
            access,
            statement=walker.body.statement_at(first),
            first=first,
            last=last,
            span=walker.unit.span(first, last),
            plain=is_element,
            assignment=None,
        )
        if not is_element:  # an earlier return of the function is not looked at
            found = replace(found, conditional=True, every_item=False, when=None)
        walker.accesses.append(found)


def _is_element(walker: ExpressionWalker, inner: ExpressionWalker, node: c_ast.FuncCall) -> bool:
    """Is the call nothing but an element: `at(t, i - 1)` of a function that returns `t[i]`?"""
    unit, function, accesses = walker.unit, inner.function, inner.accesses
    *others, last = function.node.body.block_items or [None]
    if len(accesses) != 1 or not isinstance(last, c_ast.Return):
        return False
    (access,), element = accesses, last.expr
    if not is_on(ELEMENTS):
        return access.mode is Mode.READ
    if not isinstance(element, c_ast.ArrayRef) or not isinstance(element.name, c_ast.ID):
        return False
    pointers = [p for p in function.listed if p.name == element.name.name]
    pointee = canonical(unit, pointers[0].type.type) if len(pointers) == 1 else ""
    return (
        access.mode is Mode.READ
        and access.plain
        and (access.first, access.last) == unit.ends.of(element)
        and pointee == canonical(unit, function.node.decl.type.type)
        and all(is_harmless(walker.env, each) for each in arguments_of(node))
        and all(isinstance(each, c_ast.Decl) and is_harmless(inner.env, each) for each in others)
    )
