"""Which statements may reach what, how control leaves them, and whether it gives up there."""

from __future__ import annotations

from collections.abc import Mapping, Set

from pycparser import c_ast

from kfusion.host.names import path_to
from kfusion.host.program import HostProgram, constant
from kfusion.parse.unit import Function, Unit, arguments_of, descendants

NEVER_RETURN = frozenset("exit abort _Exit _exit quick_exit __assert_fail".split())
_FREES = frozenset("free fclose".split())


class Reach:
    """Which statements can reach a call of certain functions, or one of certain blocks."""

    def __init__(
        self,
        program: HostProgram,
        names: frozenset[str],
        blocks: Mapping[c_ast.Node, Function] | None = None,
    ) -> None:
        """`blocks`: with the functions that they stand in."""
        self.program = program
        self._around: set[c_ast.Node] = set()
        wanted = set(names)
        for block, function in (blocks or {}).items():
            self._around |= set(path_to(block, function.node.body) or ())
            wanted.add(function.name)
        self._leading = self._with_callers(wanted)
        if any(f.name in self._leading for f in program.all_functions):
            # A call through a pointer may be one of any function.
            self._leading = self._with_callers(self._leading | program.pointers)

    def _with_callers(self, names: Set[str]) -> set[str]:
        found, before = set(names), 0
        while len(found) > before:
            before = len(found)
            for function in self.program.all_functions:
                if not found.isdisjoint(self.program.names_called(function.node.body)):
                    found.add(function.name)
        return found

    @classmethod
    def of(cls, program: HostProgram, names: frozenset[str]) -> Reach:
        """The same for all regions of a program."""
        return program.remember(("reach", names), lambda: cls(program, names))

    def has(self, node: c_ast.Node | None) -> bool:
        """Can executing the statement get there, itself or through calls?"""
        if node is None:
            return False
        names = self.program.names_called(node)
        return node in self._around or not self._leading.isdisjoint(names)

    def in_function(self, function: Function) -> bool:
        return self.has(function.node.body)


def is_never(node: c_ast.Node | None) -> bool:
    """Is it the condition of `do { } while (0)`?"""
    return isinstance(node, c_ast.Constant) and node.value.rstrip("uUlL") == "0"


def leaves(node: c_ast.Node | None) -> bool:
    """May control leave the statement other than below it?"""
    return _leaves(node, frozenset())


def _leaves(node: c_ast.Node | None, inside: frozenset[str]) -> bool:
    if node is None:
        return False
    if isinstance(node, c_ast.Return | c_ast.Goto):
        return True
    if isinstance(node, c_ast.Break):
        return "break" not in inside
    if isinstance(node, c_ast.Continue):
        return "continue" not in inside
    if isinstance(node, c_ast.For | c_ast.While | c_ast.DoWhile):
        inside |= {"break", "continue"}
    elif isinstance(node, c_ast.Switch):
        inside |= {"break"}
    return any(_leaves(child, inside) for _, child in node.children())


def gives_up(node: c_ast.Node | None, program: HostProgram, unit: Unit) -> bool:
    """Does the statement always leave by its end: by a jump, or by ending the program?"""
    if isinstance(node, c_ast.Compound):
        items = node.block_items or []
        return bool(items) and gives_up(items[-1], program, unit)
    if isinstance(node, c_ast.DoWhile | c_ast.Label):
        return gives_up(node.stmt, program, unit)
    if isinstance(node, c_ast.If):
        return gives_up(node.iftrue, program, unit) and gives_up(node.iffalse, program, unit)
    if isinstance(node, c_ast.Cast):
        return gives_up(node.expr, program, unit)
    if isinstance(node, c_ast.ExprList):
        return gives_up(node.exprs[-1], program, unit)
    if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID):
        name = node.name.name
        if name in NEVER_RETURN:
            return True
        function = program.lookup(name, unit)
        body = function.node.body if function is not None else None
        last = (body.block_items or [None])[-1] if body is not None else None
        return isinstance(last, c_ast.FuncCall) and getattr(last.name, "name", "") in NEVER_RETURN
    return isinstance(node, c_ast.Return | c_ast.Goto | c_ast.Break | c_ast.Continue)


def undoes(node: c_ast.Node | None) -> bool:
    """Does the statement give a variable up, `free(text); text = NULL;`, as where reading fails?"""
    freed: set[str] = set()
    cleared: set[str] = set()
    for inner in descendants(node) if node is not None else ():
        if isinstance(inner, c_ast.FuncCall) and getattr(inner.name, "name", "") in _FREES:
            freed.update(a.name for a in arguments_of(inner) if isinstance(a, c_ast.ID))
        elif isinstance(inner, c_ast.Assignment) and isinstance(inner.lvalue, c_ast.ID):
            value = inner.rvalue
            while isinstance(value, c_ast.Cast):
                value = value.expr
            if constant(value, {}) == 0:
                cleared.add(inner.lvalue.name)
    return bool(freed & cleared)


def is_early_end(node: c_ast.Node | None, function: Function | None) -> bool:
    """Does a statement that leaves do so because there is nothing left to do, and not because
    something has failed? `return 0` tells of success, if the function does not end in `return 1`.
    """
    last = last_of(node)
    if isinstance(last, c_ast.Break | c_ast.Continue):
        return True
    if not isinstance(last, c_ast.Return):
        return False
    if last.expr is None:
        return True
    end = last_of(function.node.body) if function is not None else None
    succeeds = constant(end.expr, {}) if isinstance(end, c_ast.Return) and end.expr else None
    return constant(last.expr, {}) == 0 and succeeds in (None, 0)


def last_of(node: c_ast.Node | None) -> c_ast.Node | None:
    while isinstance(node, c_ast.Compound) and node.block_items:
        node = node.block_items[-1]
    return node
