"""Through which pointer parameters does a function only read?

A pointer that is passed on, copied or cast is followed here as far as its text goes, without
asking where it points to. What becomes of it otherwise (stored, returned, given to a function
that is not known) may write.
"""

from __future__ import annotations

from functools import lru_cache

from pycparser import c_ast

from kfusion.kernel.model import Symbol
from kfusion.kernel.scopes import find_scopes
from kfusion.kernel.types import is_member_array, resolved
from kfusion.parse.unit import Function, Unit, arguments_of, called_name, is_step

_ASKING = ("==", "!=", "<", ">", "<=", ">=", "&&", "||", "!")
_STATEMENTS = (c_ast.Compound, c_ast.If, c_ast.For, c_ast.While, c_ast.DoWhile, c_ast.Switch)
_LABELS = (c_ast.Case, c_ast.Default, c_ast.Label, c_ast.DeclList)


def only_reads(unit: Unit, function: Function, parameter: str) -> bool:
    return _only_reads(unit, function, parameter, frozenset())


@lru_cache(maxsize=4096)
def _only_reads(unit: Unit, function: Function, parameter: str, inside: frozenset[str]) -> bool:
    walk = _Walk(unit, function, parameter, inside | {function.name})
    return walk.only_reads()


class _Walk:
    def __init__(
        self, unit: Unit, function: Function, parameter: str, inside: frozenset[str]
    ) -> None:
        self.unit, self.function, self.inside = unit, function, inside
        self.types: dict[Symbol, c_ast.Node] = {}
        self.uses = find_scopes(unit, function).uses
        self.followed: set[Symbol] = set()
        self.writes = False
        named = [p for p in function.listed if getattr(p, "name", None) == parameter]
        for node in [*named, *function.nodes.get(c_ast.Decl, ())]:
            symbol = self.uses.get(unit.name_index(node))
            if symbol is not None:
                self.types[symbol] = node.type
        for node in named:
            self._follow(self.uses[unit.name_index(node)])

    def only_reads(self) -> bool:
        known = 0
        while known < len(self.followed) and not self.writes:
            known = len(self.followed)
            self._statement(self.function.node.body)
        return not self.writes and bool(self.followed)

    def _statement(self, node: c_ast.Node) -> None:
        for _, child in node.children():
            if isinstance(child, (*_STATEMENTS, *_LABELS)):
                self._statement(child)
            elif isinstance(child, c_ast.Decl):
                if child.init is not None and self._points(child.init):
                    self._follow(self.uses.get(self.unit.name_index(child)))
            elif self._points(child) and isinstance(node, c_ast.Return):
                self.writes = True

    def _follow(self, symbol: Symbol | None) -> None:
        if symbol is not None and self._is_pointer(self.types.get(symbol)):
            self.followed.add(symbol)
        else:
            self.writes = True

    def _is_pointer(self, node: c_ast.Node | None) -> bool:
        """To values, not to arrays of them."""
        return isinstance(node, c_ast.PtrDecl) and isinstance(
            resolved(self.unit, node.type), c_ast.TypeDecl
        )

    def _points(self, node: c_ast.Node) -> bool:
        """Looks at an expression. Is its value such a pointer?"""
        if isinstance(node, c_ast.ID):
            return self._is_followed(node)
        if isinstance(node, c_ast.Assignment):
            return self._assigned(node)
        if isinstance(node, c_ast.FuncCall):
            return self._called(node)
        if isinstance(node, (c_ast.ArrayRef, c_ast.StructRef)):
            return self._reaches(node) and is_member_array(self.unit, node)
        if isinstance(node, c_ast.UnaryOp):
            return self._unary(node)
        found = [self._points(child) for _, child in node.children()]
        if isinstance(node, c_ast.BinaryOp):
            return any(found) and node.op not in _ASKING
        if isinstance(node, c_ast.TernaryOp):
            return any(found)
        if isinstance(node, c_ast.Cast) and any(found) and self._is_pointer(node.to_type.type):
            return True
        if any(found):
            self.writes = True  # in a list, a statement expression: where it goes is not known
        return False

    def _is_followed(self, node: c_ast.Node) -> bool:
        return isinstance(node, c_ast.ID) and self.uses.get(self.unit.index(node)) in self.followed

    def _reaches(self, node: c_ast.Node) -> bool:
        """Looks at what an expression names. Is that memory behind such a pointer?"""
        if isinstance(node, c_ast.ArrayRef):
            if self._points(node.subscript):
                self.writes = True
            return self._points(node.name)
        if isinstance(node, c_ast.StructRef):
            return self._points(node.name) if node.type == "->" else self._reaches(node.name)
        if isinstance(node, c_ast.UnaryOp) and node.op == "*":
            return self._points(node.expr)
        return False if isinstance(node, c_ast.ID) else self._points(node)

    def _unary(self, node: c_ast.UnaryOp) -> bool:
        if node.op == "sizeof":
            return False
        if node.op == "*":
            self._reaches(node)
            return False
        if node.op == "&":
            if self._is_followed(node.expr):
                self.writes = True
            return self._reaches(node.expr)
        if is_step(node):
            if self._reaches(node.expr):
                self.writes = True
            return self._is_followed(node.expr)
        return self._points(node.expr) and node.op not in _ASKING

    def _assigned(self, node: c_ast.Assignment) -> bool:
        value = self._points(node.rvalue)
        if not isinstance(node.lvalue, c_ast.ID):
            if self._reaches(node.lvalue) or value:
                self.writes = True
            return False
        if value:
            self._follow(self.uses.get(self.unit.index(node.lvalue)))
        return value or self._is_followed(node.lvalue)

    def _called(self, node: c_ast.FuncCall) -> bool:
        name = called_name(node)
        for place, argument in enumerate(arguments_of(node)):
            if self._points(argument) and not reads_argument(self.unit, name, place, self.inside):
                self.writes = True
        return False


def reads_argument(unit: Unit, name: str, place: int, inside: frozenset[str] = frozenset()) -> bool:
    """Does the function only read through the argument at the place?"""
    if name not in unit.functions or name in inside:
        return name not in unit.functions and name.startswith(("vload", "prefetch"))
    for function in unit.definitions[name]:
        parameters = function.listed
        named = parameters[place].name if place < len(parameters) else None
        if named is None or not _only_reads(unit, function, named, inside):
            return False
    return True
