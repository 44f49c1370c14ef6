"""Which declaration each name of a kernel's body refers to, and how often it is assigned."""

from __future__ import annotations

from dataclasses import field

from pycparser import c_ast

from kfusion.kernel.model import Symbol
from kfusion.kernel.types import canonical, is_member_array, resolved
from kfusion.parse.unit import Function, Unit, is_step
from kfusion.source.dataclasses import dataclass


@dataclass(eq=False)
class Scopes:
    """`uses` maps every token that names a parameter or local variable to its symbol."""

    uses: dict[int, Symbol] = field(default_factory=dict)
    writes: dict[Symbol, int] = field(default_factory=dict)  # assignments, initialisers too
    settled: dict[Symbol, int] = field(default_factory=dict)  # the token of the last of those
    address_taken: set[Symbol] = field(default_factory=set)
    pointers: set[Symbol] = field(default_factory=set)
    arrays: set[Symbol] = field(default_factory=set)
    decaying: set[Symbol] = field(default_factory=set)  # arrays that become pointers somewhere
    odd: list[c_ast.Node] = field(default_factory=list)  # local types, static variables, labels

    @property
    def parameters(self) -> dict[str, Symbol]:
        return {symbol.name: symbol for symbol in self.writes if symbol.parameter}

    def assigned_once(self, symbol: Symbol) -> bool:
        return self.writes.get(symbol, 0) == 1 and symbol not in self.address_taken


def find_scopes(unit: Unit, function: Function) -> Scopes:
    finder = _Finder(unit)
    finder.push()
    for parameter in function.listed:
        if isinstance(parameter, c_ast.Decl) and parameter.name:
            finder.declare(parameter, parameter=True)
    finder.visit(function.node.body)
    return finder.found


class _Finder(c_ast.NodeVisitor):
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.found = Scopes()
        self.stack: list[dict[str, Symbol]] = []

    def push(self) -> None:
        self.stack.append({})

    def declare(self, node: c_ast.Decl, *, parameter: bool = False) -> None:
        token = self.unit.name_index(node)
        symbol = Symbol(node.name, token, parameter, canonical(self.unit, node.type))
        self.stack[-1][node.name] = symbol
        self.found.uses[token] = symbol
        if parameter or node.init is not None:
            self.found.writes[symbol] = 1
            self.found.settled[symbol] = token
        if isinstance(node.type, c_ast.PtrDecl):
            self.found.pointers.add(symbol)
        if isinstance(resolved(self.unit, node.type), c_ast.ArrayDecl):
            self.found.arrays.add(symbol)

    def lookup(self, name: str) -> Symbol | None:
        for scope in reversed(self.stack):
            if name in scope:
                return scope[name]
        return None

    def visit_Compound(self, node: c_ast.Node) -> None:
        self.push()
        self.generic_visit(node)
        self.stack.pop()

    visit_For = visit_Compound

    def visit_Decl(self, node: c_ast.Decl) -> None:
        if node.name is None or {"static", "extern"} & set(node.storage):
            self.found.odd.append(node)
            return
        self.visit(node.type)
        self.declare(node)  # C: the name is in scope in its own initialiser
        if node.init is not None:
            self.visit(node.init)

    def visit_Typedef(self, node: c_ast.Node) -> None:
        self.found.odd.append(node)

    visit_Goto = visit_Typedef

    def visit_Struct(self, node: c_ast.Struct | c_ast.Union) -> None:
        if node.decls is not None:
            self.found.odd.append(node)

    visit_Union = visit_Struct

    def visit_Enum(self, node: c_ast.Enum) -> None:
        if node.values is not None:
            self.found.odd.append(node)

    def visit_Label(self, node: c_ast.Label) -> None:
        self.found.odd.append(node)
        self.generic_visit(node)

    def visit_StructRef(self, node: c_ast.StructRef) -> None:
        if is_member_array(self.unit, node):
            self._component(node)
        self.visit(node.name)

    def visit_ArrayRef(self, node: c_ast.ArrayRef) -> None:
        if is_member_array(self.unit, node):
            self._component(node)
        base: c_ast.Node = node
        while isinstance(base, c_ast.ArrayRef):
            self.visit(base.subscript)
            base = base.name
        # An element of it is no pointer to it.
        base = base.name if isinstance(base, c_ast.StructRef) else base
        symbol = self.lookup(base.name) if isinstance(base, c_ast.ID) else None
        if symbol is not None:
            self.found.uses[self.unit.index(base)] = symbol
        else:
            self.visit(base)

    def visit_NamedInitializer(self, node: c_ast.NamedInitializer) -> None:
        """`.x = ...`, `[1] = ...`: the designators name members, and constants."""
        self.visit(node.expr)

    def visit_ID(self, node: c_ast.ID) -> None:
        symbol = self.lookup(node.name)
        if symbol is not None:
            self.found.uses[self.unit.index(node)] = symbol
            if symbol in self.found.arrays:
                self.found.decaying.add(symbol)

    def _written(self, target: c_ast.Node) -> None:
        symbol = self.lookup(target.name) if isinstance(target, c_ast.ID) else None
        if symbol is not None:
            self._change(symbol, target, 1)
        elif isinstance(target, (c_ast.StructRef, c_ast.ArrayRef)):
            self._component(target)

    def _component(self, target: c_ast.Node) -> Symbol | None:
        """`v.x = ...` and `t[0] = ...` change the variable as well: which."""
        while isinstance(target, (c_ast.StructRef, c_ast.ArrayRef)):
            if isinstance(target, c_ast.StructRef) and target.type == "->":
                return None
            target = target.name
        symbol = self.lookup(target.name) if isinstance(target, c_ast.ID) else None
        if symbol is None or symbol in self.found.pointers:
            return None
        self._change(symbol, target, 2)
        return symbol

    def _change(self, symbol: Symbol, target: c_ast.Node, times: int) -> None:
        self.found.writes[symbol] = self.found.writes.get(symbol, 0) + times
        self.found.settled[symbol] = self.unit.index(target)

    def visit_Assignment(self, node: c_ast.Assignment) -> None:
        self._written(node.lvalue)
        if node.op != "=":
            self._written(node.lvalue)  # it reads the old value: never a first assignment
        self.generic_visit(node)

    def visit_UnaryOp(self, node: c_ast.UnaryOp) -> None:
        if is_step(node):
            self._written(node.expr)
            self._written(node.expr)
        elif node.op == "&" and isinstance(node.expr, c_ast.ID):
            symbol = self.lookup(node.expr.name)
            if symbol is not None:
                self.found.address_taken.add(symbol)
        elif node.op == "&":
            part_of = self._component(node.expr)
            if part_of is not None:
                self.found.address_taken.add(part_of)
        self.generic_visit(node)
