"""Loops as their text shows them: which are functions of their inputs alone."""

from __future__ import annotations

from pycparser import c_ast

from kfusion.host import calls
from kfusion.host.expressions import Expressions
from kfusion.host.symbolic import Global


def is_never(node: c_ast.Node | None) -> bool:
    return isinstance(node, c_ast.Constant) and node.value.rstrip("uUlL") == "0"


def is_loop(node: c_ast.Node) -> bool:
    """May control come back to its beginning? Not in the `do { } while (0)` of a macro."""
    if isinstance(node, c_ast.DoWhile):
        return not is_never(node.cond)
    return isinstance(node, c_ast.For | c_ast.While)


class _Jumps(c_ast.NodeVisitor):
    """Those that stay in the function's flow: a `goto` out of a loop ends the path."""

    def __init__(self) -> None:
        self.found = False

    def visit_Break(self, node: c_ast.Break) -> None:
        self.found = True

    def visit_Continue(self, node: c_ast.Continue) -> None:
        self.found = True


def has_jump(node: c_ast.Node) -> bool:
    visitor = _Jumps()
    visitor.visit(node)
    return visitor.found


class PureLoop(c_ast.NodeVisitor):
    """Does a loop use nothing but the function's own scalars and pure functions?"""

    def __init__(self, executor: Expressions, loop: c_ast.Node) -> None:
        self.executor = executor
        self.reads: set[str] = set()
        self.writes: set[str] = set()
        self.is_pure = True
        for part in (loop.cond, loop.stmt, getattr(loop, "next", None)):
            if part is not None:
                self.visit(part)

    def visit_ID(self, node: c_ast.ID) -> None:
        place = self.executor.variable(node.name)
        if isinstance(place.root, Global):
            self.is_pure = self.is_pure and node.name in self.executor.program.enumerators_in(
                self.executor.frame.unit
            )
            return
        declaration = self.executor.frame.variables.get(node.name)
        if not isinstance(getattr(declaration, "type", None), c_ast.TypeDecl):
            self.is_pure = False
        self.reads.add(node.name)

    def visit_Assignment(self, node: c_ast.Assignment) -> None:
        if isinstance(node.lvalue, c_ast.ID):
            self.writes.add(node.lvalue.name)
        else:
            self.is_pure = False
        self.generic_visit(node)

    def visit_UnaryOp(self, node: c_ast.UnaryOp) -> None:
        if node.op in ("++", "--", "p++", "p--") and isinstance(node.expr, c_ast.ID):
            self.writes.add(node.expr.name)
        elif node.op in ("&", "*"):
            self.is_pure = False
        self.generic_visit(node)

    def visit_FuncCall(self, node: c_ast.FuncCall) -> None:
        name = node.name.name if isinstance(node.name, c_ast.ID) else ""
        executor = self.executor
        own = name in executor.frame.variables or executor.program.lookup(name, executor.frame.unit)
        if name not in calls.PURE or own:
            self.is_pure = False
            return
        if node.args is not None:
            self.visit(node.args)

    def visit_StructRef(self, node: c_ast.StructRef) -> None:
        self.is_pure = False

    def visit_ArrayRef(self, node: c_ast.ArrayRef) -> None:
        self.is_pure = False

    def visit_Return(self, node: c_ast.Return) -> None:
        self.is_pure = False

    def visit_Goto(self, node: c_ast.Goto) -> None:
        self.is_pure = False

    def visit_Decl(self, node: c_ast.Decl) -> None:
        self.is_pure = False


def shape_of(loop: c_ast.Node) -> str:
    """The loop's text: two loops of one text compute the same from the same inputs."""
    from pycparser.c_generator import CGenerator

    return str(CGenerator().visit(loop)).replace("\n", " ")


def has_inner_case(items: list[c_ast.Node]) -> bool:
    """Are there cases of a switch in loops or blocks inside it, or behind a label?"""
    outer = (c_ast.Case, c_ast.Default)
    listed = [i.stmts or [] if isinstance(i, outer) else [i] for i in items]
    return any(_holds_case(statement) for statements in listed for statement in statements)


def _holds_case(node: c_ast.Node) -> bool:
    if isinstance(node, c_ast.Case | c_ast.Default):
        return True
    return not isinstance(node, c_ast.Switch) and any(map(_holds_case, node))
