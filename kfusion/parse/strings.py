"""Which strings a C expression may be: variables, arrays, parameters and calls are followed.

What is found need not be all that is possible, nor need all of it be possible: a source or an
option string is compared with the real one when the program runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple, TypeVar

from pycparser import c_ast

from kfusion.parse.cpp import CppUnit
from kfusion.parse.literals import integer, literal_at
from kfusion.parse.unit import Function, Unit, argument_of, called_name
from kfusion.source.dataclasses import dataclass

_MOST = 32  # values of one expression
_CHARACTERS = ("char", "cl_char", "cl_uchar", "uint8_t", "int8_t", "uchar", "BYTE")


@dataclass(frozen=True, eq=False)
class Value:
    """A string, and the token at which it is written."""

    data: bytes
    unit: Unit | CppUnit
    token: int


@dataclass(frozen=True)
class Values:
    """What an expression may be. `all`: it is nothing else."""

    found: tuple[Value, ...] = ()
    all: bool = False


class Scope(NamedTuple):
    """Where an expression stands."""

    unit: Unit
    function: Function | None


@dataclass(frozen=True, eq=False)
class Call:
    scope: Scope
    node: c_ast.FuncCall

    def argument(self, position: int) -> c_ast.Node | None:
        return argument_of(self.node, position)


_UNKNOWN = Values()
_Found = TypeVar("_Found", Values, list[Values])
_Key = tuple[Unit, str, str]  # a name, and the function that it stands in


def either(parts: list[Values]) -> Values:
    found = {value.data: value for part in parts for value in part.found}
    return Values(tuple(found.values())[:_MOST], bool(parts) and all(part.all for part in parts))


class Strings:
    """Of the C files of one program."""

    def __init__(self, units: tuple[Unit, ...]) -> None:
        self.units = units
        self._variables: dict[_Key, Values] = {}
        self._results: dict[_Key, Values] = {}
        self._lists: dict[_Key, list[Values]] = {}

    @cached_property
    def _calls(self) -> dict[str, list[Call]]:
        result: dict[str, list[Call]] = {}
        for unit in self.units:
            for function in unit.functions.values():
                for node in function.nodes[c_ast.FuncCall]:
                    call = Call(Scope(unit, function), node)
                    result.setdefault(called_name(node), []).append(call)
        return result

    def calls(self, name: str) -> list[Call]:
        return self._calls.get(name, [])

    # One string

    def values(self, node: c_ast.Node | None, scope: Scope) -> Values:
        """Of an expression of the type `const char *`; a null pointer is an empty string."""
        if isinstance(node, c_ast.Constant):
            return _constant(node, scope)
        if isinstance(node, c_ast.Cast):
            return self.values(node.expr, scope)
        if isinstance(node, c_ast.TernaryOp):
            return either([self.values(part, scope) for part in (node.iftrue, node.iffalse)])
        if isinstance(node, c_ast.ID):
            return _once(self._variables, self._variable, node.name, scope, _UNKNOWN)
        if isinstance(node, c_ast.UnaryOp) and node.op in ("&", "*"):
            return self._pointed(node, scope)
        if isinstance(node, c_ast.ArrayRef):
            elements = self.elements(node.name, scope)
            place = number_of(node.subscript)
            if place is None:
                return either([Values(e.found) for e in elements])
            return elements[place] if place < len(elements) else _UNKNOWN
        if isinstance(node, c_ast.FuncCall):
            return _once(self._results, self._returned, called_name(node), scope, _UNKNOWN)
        return _UNKNOWN

    def _pointed(self, node: c_ast.UnaryOp, scope: Scope) -> Values:
        """`&text[0]`, `&text`, `*lines`."""
        inner = node.expr
        if node.op == "*":
            elements = self.elements(inner, scope)
            return elements[0] if elements else _UNKNOWN
        if isinstance(inner, c_ast.ArrayRef) and number_of(inner.subscript) == 0:
            return self.values(inner.name, scope)
        return self.values(inner, scope) if isinstance(inner, c_ast.ID) else _UNKNOWN

    def _returned(self, name: str, scope: Scope) -> Values:
        for unit in self._seen_from(scope.unit):
            function = unit.functions.get(name)
            if function is not None:
                inside = Scope(unit, function)
                returns = function.nodes[c_ast.Return]
                return either([self.values(node.expr, inside) for node in returns])
        return _UNKNOWN

    def _variable(self, name: str, scope: Scope) -> Values:
        parts: list[Values] = []
        for declaration, where in self._declarations(name, scope):
            if isinstance(declaration.type, c_ast.ArrayDecl):
                parts.append(self._array(declaration, where))
            elif declaration.init is not None:
                parts.append(self.values(declaration.init, where))
        position = _parameter(name, scope.function)
        if position is not None:
            parts += [self.values(c.argument(position), c.scope) for c in self._callers(scope)]
        for node, where in self._assignments(name, scope):
            parts.append(self.values(node, where))
        return either(parts)

    def _array(self, declaration: c_ast.Decl, scope: Scope) -> Values:
        """Characters in an array; what the program writes to it later is not looked at."""
        if not _is_of_characters(declaration.type):
            return _UNKNOWN
        value = array_text(declaration, scope.unit)
        return Values((value,), "const" in declaration.quals) if value else _UNKNOWN

    # Several strings

    def elements(self, node: c_ast.Node | None, scope: Scope) -> list[Values]:
        """Of an expression of the type `const char **`."""
        if isinstance(node, c_ast.Cast):
            return self.elements(node.expr, scope)
        if isinstance(node, c_ast.CompoundLiteral):
            return self._listed(node.init, scope)
        if isinstance(node, c_ast.UnaryOp) and node.op == "&":
            if isinstance(node.expr, c_ast.ArrayRef):
                place = number_of(node.expr.subscript) or 0
                return self.elements(node.expr.name, scope)[place:]
            return [self.values(node.expr, scope)]
        if isinstance(node, c_ast.ID):
            return _once(self._lists, self._list_variable, node.name, scope, [])
        return []

    def _listed(self, node: c_ast.Node, scope: Scope) -> list[Values]:
        if not isinstance(node, c_ast.InitList):
            return []
        if any(isinstance(each, c_ast.NamedInitializer) for each in node.exprs):
            return []
        return [self.values(each, scope) for each in node.exprs]

    def _list_variable(self, name: str, scope: Scope) -> list[Values]:
        for declaration, where in self._declarations(name, scope):
            if isinstance(declaration.init, c_ast.InitList):
                return self._listed(declaration.init, where)
            if declaration.init is not None:
                return self.elements(declaration.init, where)
        position = _parameter(name, scope.function)
        if position is not None:
            lists = [self.elements(c.argument(position), c.scope) for c in self._callers(scope)]
            lists = [each for each in lists if each]
            if lists and all(len(each) == len(lists[0]) for each in lists):
                return [either(list(column)) for column in zip(*lists, strict=True)]
            return []
        return self._filled(name, scope)

    def _filled(self, name: str, scope: Scope) -> list[Values]:
        """`parts[0] = head; parts[1] = body;`"""
        found: dict[int, list[Values]] = {}
        for node in scope.function.nodes[c_ast.Assignment] if scope.function else ():
            left = node.lvalue
            if node.op != "=" or not isinstance(left, c_ast.ArrayRef):
                continue
            place = number_of(left.subscript)
            if isinstance(left.name, c_ast.ID) and left.name.name == name and place is not None:
                found.setdefault(place, []).append(self.values(node.rvalue, scope))
        whole = sorted(found) == list(range(len(found)))
        return [either(found[place]) for place in range(len(found))] if whole else []

    # Names

    def _seen_from(self, unit: Unit) -> Iterator[Unit]:
        yield unit
        yield from (other for other in self.units if other is not unit)

    def _declarations(self, name: str, scope: Scope) -> Iterator[tuple[c_ast.Decl, Scope]]:
        """Definitions of a variable: those of the function, or else of the files."""
        local = _local(name, scope.function)
        if local or _parameter(name, scope.function) is not None:
            yield from ((declaration, scope) for declaration in local)
            return
        for unit in self._seen_from(scope.unit):
            found = [
                node
                for node in unit.ast.ext
                if isinstance(node, c_ast.Decl) and node.name == name and node.init is not None
            ]
            if unit is not scope.unit:
                found = [node for node in found if "static" not in node.storage]
            if found:
                yield from ((node, Scope(unit, None)) for node in found)
                return

    def _assignments(self, name: str, scope: Scope) -> Iterator[tuple[c_ast.Node, Scope]]:
        inside = _local(name, scope.function) or _parameter(name, scope.function) is not None
        for unit in [scope.unit] if inside else self._seen_from(scope.unit):
            for function in unit.functions.values():
                if (function is not scope.function) if inside else _local(name, function):
                    continue
                for node in function.nodes[c_ast.Assignment]:
                    if isinstance(node.lvalue, c_ast.ID) and node.lvalue.name == name:
                        yield node.rvalue, Scope(unit, function)

    def _callers(self, scope: Scope) -> list[Call]:
        return self.calls(scope.function.name) if scope.function is not None else []


def _once(
    known: dict[_Key, _Found],
    find: Callable[[str, Scope], _Found],
    name: str,
    scope: Scope,
    while_sought: _Found,
) -> _Found:
    """A search may lead back to the name that it is for."""
    key = (scope.unit, scope.function.name if scope.function else "", name)
    if key not in known:
        known[key] = while_sought
        known[key] = find(name, scope)
    return known[key]


def _constant(node: c_ast.Constant, scope: Scope) -> Values:
    index = scope.unit.index(node)
    if node.type == "string":
        literal = literal_at(scope.unit.tokens, index)
        if literal is None:
            return _UNKNOWN
        return Values((Value(_before_nul(literal.data), scope.unit, index),), True)
    is_null = integer(node.value) == 0
    return Values((Value(b"", scope.unit, index),), True) if is_null else _UNKNOWN


def array_text(declaration: c_ast.Decl, unit: Unit) -> Value | None:
    """What an array of characters begins with, as text: up to its first NUL."""
    init = declaration.init
    if isinstance(init, c_ast.InitList) and len(init.exprs) == 1:
        init = init.exprs[0] if _is_string(init.exprs[0]) else init
    if init is not None and _is_string(init):
        literal = literal_at(unit.tokens, unit.index(init))
        return Value(_before_nul(literal.data), unit, literal.first) if literal else None
    if not isinstance(init, c_ast.InitList):
        return None
    numbers = [number_of(each) for each in init.exprs]
    known = [number & 255 for number in numbers if number is not None]
    if not known or len(known) < len(numbers):
        return None
    return Value(_before_nul(bytes(known)), unit, unit.name_index(declaration.type))


def _before_nul(data: bytes) -> bytes:
    return data.partition(b"\0")[0]


def _is_string(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.Constant) and node.type == "string"


def _is_of_characters(type_: c_ast.ArrayDecl) -> bool:
    inner = type_.type
    names = getattr(getattr(inner, "type", None), "names", [])
    return isinstance(inner, c_ast.TypeDecl) and any(name in _CHARACTERS for name in names)


def number_of(node: c_ast.Node) -> int | None:
    if isinstance(node, c_ast.Cast):
        return number_of(node.expr)
    if isinstance(node, c_ast.UnaryOp) and node.op in ("-", "+"):
        value = number_of(node.expr)
        return -value if value is not None and node.op == "-" else value
    return integer(node.value) if isinstance(node, c_ast.Constant) else None


def _local(name: str, function: Function | None) -> list[c_ast.Decl]:
    if function is None:
        return []
    return [node for node in function.nodes[c_ast.Decl] if node.name == name]


def _parameter(name: str, function: Function | None) -> int | None:
    for position, each in enumerate(function.listed if function is not None else ()):
        if getattr(each, "name", None) == name:
            return position
    return None
