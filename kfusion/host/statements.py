"""Statements of a region: what they write and read, and whether they only check a status."""

from __future__ import annotations

from collections.abc import Callable

from pycparser import c_ast

from kfusion.host import calls as known_calls
from kfusion.host.program import HostFunction, HostProgram, constant
from kfusion.parse.unit import Unit

_NO_EFFECT = known_calls.PURE | known_calls.READS


class Written(c_ast.NodeVisitor):
    """Calls that are written in the file itself, not brought by a macro."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.calls: list[c_ast.FuncCall] = []
        self.pointers: list[c_ast.FuncCall] = []  # called through an expression

    def visit_FuncCall(self, node: c_ast.FuncCall) -> None:
        if isinstance(node.name, c_ast.ID):
            if self.unit.tokens[self.unit.index(node.name)].start >= 0 and not any(
                self._same_place(c, node) for c in self.calls
            ):
                self.calls.append(node)
        else:
            self.pointers.append(node)
        self.generic_visit(node)

    def _same_place(self, a: c_ast.FuncCall, b: c_ast.FuncCall) -> bool:
        """A macro may use its argument twice: one call in the text."""
        tokens = self.unit.tokens
        return tokens[self.unit.index(a.name)].start == tokens[self.unit.index(b.name)].start


class Checking:
    """Does a statement nothing but test the call's status, and leave when it is not zero?

    One statement stands for all calls of a group: what else it did after a success would be
    done once. On the failing way it may do anything.
    """

    def __init__(self, call: c_ast.FuncCall, program: HostProgram) -> None:
        self.call, self.program = call, program
        self.holders: set[str] = set()
        self.called = self.tested = False

    def holds(self, nodes: list[c_ast.Node]) -> bool:
        return all(self._is_plain(node, False) for node in nodes) and self.tested

    def _is_plain(self, node: c_ast.Node, in_loop: bool) -> bool:
        if isinstance(node, c_ast.DoWhile):
            return constant(node.cond, {}) == 0 and self._is_plain(node.stmt, True)
        if isinstance(node, c_ast.Compound):
            return all(self._is_plain(item, in_loop) for item in node.block_items or [])
        if isinstance(node, c_ast.If):
            return (
                node.iffalse is None
                and self._is_status(_tested(node.cond, self.program))
                and _leaves(node.iftrue, in_loop)
            )
        if isinstance(node, c_ast.Decl):
            return isinstance(node.type, c_ast.TypeDecl) and self._is_declared(node)
        if isinstance(node, c_ast.Assignment):
            return self._is_assigned(node)
        return isinstance(node, c_ast.EmptyStatement)

    def _is_declared(self, node: c_ast.Decl) -> bool:
        if node.init is None or constant(node.init, self.program.enumerators) is not None:
            self.holders.discard(node.name)
            return True
        return self._is_held(node.name, _strip(node.init))

    def _is_assigned(self, node: c_ast.Assignment) -> bool:
        if node.op != "=" or not isinstance(node.lvalue, c_ast.ID):
            return False
        return self._is_held(node.lvalue.name, _strip(node.rvalue))

    def _is_held(self, name: str, value: c_ast.Node | None) -> bool:
        """The variable gets the status, from the call or from another variable."""
        if isinstance(value, c_ast.ID) and value.name in self.holders:
            self.holders.add(name)
            return True
        if value is not self.call or self.called:
            return False
        self.called = True
        self.holders.add(name)
        return True

    def _is_status(self, node: c_ast.Node | None) -> bool:
        if isinstance(node, c_ast.Assignment):
            found = self._is_assigned(node)
        elif node is self.call:
            found = not self.called
            self.called = True
        else:
            found = isinstance(node, c_ast.ID) and node.name in self.holders
        self.tested = self.tested or found
        return found


def is_chained(node: c_ast.Node, call: c_ast.FuncCall, program: HostProgram) -> bool:
    """`if (!err) err = f(x);`: called if no call before it has failed."""
    if not isinstance(node, c_ast.If) or node.iffalse is not None:
        return False
    inner, condition = node.iftrue, node.cond
    if isinstance(inner, c_ast.Compound) and len(inner.block_items or []) == 1:
        inner = inner.block_items[0]
    if not isinstance(inner, c_ast.Assignment) or inner.op != "=" or inner.rvalue is not call:
        return False
    if isinstance(condition, c_ast.UnaryOp) and condition.op == "!":
        tested = condition.expr
    elif isinstance(condition, c_ast.BinaryOp) and condition.op == "==":
        tested = condition.left
        if constant(condition.right, program.enumerators) != 0:
            return False
    else:
        return False
    names = [getattr(part, "name", None) for part in (tested, inner.lvalue)]
    return isinstance(tested, c_ast.ID) and names[0] == names[1]


def _strip(node: c_ast.Node | None) -> c_ast.Node | None:
    while isinstance(node, c_ast.Cast):
        node = node.expr
    return node


def _tested(node: c_ast.Node, program: HostProgram) -> c_ast.Node | None:
    """x in `x`, `x != 0`, `0 != x`."""
    if isinstance(node, c_ast.BinaryOp) and node.op == "!=":
        if constant(node.right, program.enumerators) == 0:
            return _strip(node.left)
        if constant(node.left, program.enumerators) == 0:
            return _strip(node.right)
        return None
    if isinstance(node, c_ast.ID | c_ast.FuncCall | c_ast.Assignment | c_ast.Cast):
        return _strip(node)
    return None


def _checks(node: c_ast.Node, name: str, program: HostProgram) -> bool:
    """Is it `if (name != 0) return ...;` or the like?"""
    if not isinstance(node, c_ast.If) or node.iffalse is not None:
        return False
    tested = _tested(node.cond, program)
    return isinstance(tested, c_ast.ID) and tested.name == name and _leaves(node.iftrue)


def _leaves(node: c_ast.Node, in_loop: bool = False) -> bool:
    """Does control leave the region at the end of the statement?"""
    if isinstance(node, c_ast.Compound):
        return bool(node.block_items) and _leaves(node.block_items[-1], in_loop)
    if isinstance(node, c_ast.Break | c_ast.Continue):
        return not in_loop
    if isinstance(node, c_ast.Return | c_ast.Goto):
        return True
    return (
        isinstance(node, c_ast.FuncCall)
        and isinstance(node.name, c_ast.ID)
        and node.name.name in ("exit", "abort", "_Exit", "quick_exit")
    )


Lookup = Callable[[str], HostFunction | None]


def _is_libc(node: c_ast.FuncCall, names: frozenset[str], lookup: Lookup) -> bool:
    """Does it call one of these functions of libc? The program may have its own of the name."""
    name = node.name.name if isinstance(node.name, c_ast.ID) else ""
    return name in names and lookup(name) is None


class SideEffects(c_ast.NodeVisitor):
    def __init__(self, lookup: Lookup) -> None:
        self.lookup = lookup
        self.found = False
        self.what = "has a side effect"

    def visit_Assignment(self, node: c_ast.Assignment) -> None:
        self.found = True

    def visit_UnaryOp(self, node: c_ast.UnaryOp) -> None:
        if node.op in ("++", "--", "p++", "p--"):
            self.found = True
        elif node.op != "sizeof":
            self.generic_visit(node)

    def visit_FuncCall(self, node: c_ast.FuncCall) -> None:
        if not _is_libc(node, _NO_EFFECT, self.lookup):
            self.found = True
            self.what = "calls a function, which may have a side effect"
        self.generic_visit(node)


class _Assigned(c_ast.NodeVisitor):
    """Variables that a statement assigns, and whether it does nothing else."""

    def __init__(self, lookup: Lookup) -> None:
        self.lookup = lookup
        self.names: set[str] = set()
        self.harmless = True

    def visit_Assignment(self, node: c_ast.Assignment) -> None:
        if isinstance(node.lvalue, c_ast.ID):
            self.names.add(node.lvalue.name)
        else:
            self.harmless = False
        self.visit(node.rvalue)

    def visit_Decl(self, node: c_ast.Decl) -> None:
        self.names.add(node.name)
        if node.init is not None:
            self.visit(node.init)

    def visit_UnaryOp(self, node: c_ast.UnaryOp) -> None:
        if node.op in ("++", "--", "p++", "p--"):
            if isinstance(node.expr, c_ast.ID):
                self.names.add(node.expr.name)
            else:
                self.harmless = False
        elif node.op in ("&", "*"):
            self.harmless = False
        self.generic_visit(node)

    def visit_FuncCall(self, node: c_ast.FuncCall) -> None:
        if not _is_libc(node, known_calls.PURE, self.lookup):
            self.harmless = False
        if node.args is not None:
            self.visit(node.args)

    def _control(self, node: c_ast.Node) -> None:
        self.harmless = False
        self.generic_visit(node)

    visit_Return = visit_Goto = visit_Break = visit_Continue = visit_Label = _control
    visit_StructRef = visit_ArrayRef = visit_If = visit_For = visit_While = _control
    visit_DoWhile = visit_Switch = visit_Compound = _control


def assigned_in(nodes: list[c_ast.Node]) -> frozenset[str]:
    visitor = _Assigned(lambda _: None)  # only the names matter
    for node in nodes:
        visitor.visit(node)
    return frozenset(visitor.names)


class _IDs(c_ast.NodeVisitor):
    def __init__(self) -> None:
        self.found: set[str] = set()

    def visit_ID(self, node: c_ast.ID) -> None:
        self.found.add(node.name)

    def visit_FuncCall(self, node: c_ast.FuncCall) -> None:
        if node.args is not None:
            self.visit(node.args)

    def visit_StructRef(self, node: c_ast.StructRef) -> None:
        self.visit(node.name)


def names_of(nodes: list[c_ast.Node]) -> frozenset[str]:
    visitor = _IDs()
    for node in nodes:
        visitor.visit(node)
    return frozenset(visitor.found)
