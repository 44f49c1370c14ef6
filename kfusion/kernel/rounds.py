"""Loops that go round a number of times that their text tells."""

from __future__ import annotations

from pycparser import c_ast

from kfusion.kernel.model import Kernel
from kfusion.parse.unit import descendants, is_step

_NONE = -1  # the number is not told


def short_loops(kernel: Kernel, most: int) -> frozenset[int]:
    """The `for` tokens of loops whose bodies, with the loops in them, happen so often at most."""
    if most == 0:
        return frozenset()
    tokens = kernel.unit.tokens[kernel.function.body.first : kernel.function.body.last + 1]
    notes = kernel.unit.notes_between(kernel.function.body.first, kernel.function.body.last)
    texts = [token.text for token in tokens] + [note.text for note in notes]
    if any("unroll" in text for text in texts) or _has_pragmas(kernel):
        return frozenset()  # the author has thought of it
    finder = _Finder(kernel, most)
    finder.visit(kernel.function.node.body)
    return frozenset(finder.found)


def _has_pragmas(kernel: Kernel) -> bool:
    return any(statement.kind == "pragma" for statement in kernel.body.statements)


class _Finder(c_ast.NodeVisitor):
    def __init__(self, kernel: Kernel, most: int) -> None:
        self.kernel, self.most = kernel, most
        self.found: set[int] = set()

    def visit_For(self, node: c_ast.For) -> None:
        loops = _Loops(node)
        if 0 < loops.rounds <= self.most:
            tokens = {self.kernel.unit.index(each) for each in loops.nodes}
            self.found |= {t for t in tokens if not self.kernel.unit.notes_between(t, t)}
        else:
            self.generic_visit(node)


class _Loops(c_ast.NodeVisitor):
    """A loop with all that are in it, and how often the innermost body happens."""

    def __init__(self, node: c_ast.For) -> None:
        self.nodes, self.rounds, self._most = [node], _rounds(node), 1
        self.visit(node.stmt)
        unknown = _changes_counter(node) or _NONE in (self.rounds, self._most)
        self.rounds = _NONE if unknown else self.rounds * self._most

    def visit_For(self, node: c_ast.For) -> None:
        inner = _Loops(node)
        self.nodes += inner.nodes
        unknown = _NONE in (self._most, inner.rounds)
        self._most = _NONE if unknown else max(self._most, inner.rounds)

    def visit_While(self, node: c_ast.While) -> None:
        self._most = _NONE

    visit_DoWhile = visit_Goto = visit_Break = visit_Pragma = visit_While


def _changes_counter(node: c_ast.For) -> bool:
    """Does the body give the counter another value, or may it?"""
    declared = getattr(node.init, "decls", [])
    name = declared[0].name if declared else ""
    inside = [*descendants(node.stmt)]
    changed = [each.lvalue for each in inside if isinstance(each, c_ast.Assignment)]
    changed += [
        each.expr
        for each in inside
        if is_step(each) or (isinstance(each, c_ast.UnaryOp) and each.op == "&")
    ]
    volatile = any("volatile" in each.quals for each in declared)
    return volatile or any(getattr(each, "name", "") == name for each in changed)


def _rounds(node: c_ast.For) -> int:
    """`for (int i = 0; i < 3; i++)`"""
    declared = getattr(node.init, "decls", [])
    name = declared[0].name if len(declared) == 1 else ""
    start = _number(declared[0].init) if name else None
    cond, step = node.cond, node.next
    if start is None or not isinstance(cond, c_ast.BinaryOp) or cond.op not in ("<", "<="):
        return _NONE
    counts = isinstance(step, c_ast.UnaryOp) and step.op in ("p++", "++")
    end = _number(cond.right)
    if getattr(cond.left, "name", "") != name or end is None or not counts:
        return _NONE
    if getattr(step.expr, "name", "") != name:
        return _NONE
    return end - start + int(cond.op == "<=")


def _number(node: c_ast.Node | None) -> int | None:
    sign = 1
    if isinstance(node, c_ast.UnaryOp) and node.op == "-":
        sign, node = -1, node.expr
    if isinstance(node, c_ast.Constant) and node.value.isdigit() and len(node.value) < 9:
        return sign * int(node.value, 10)
    return None
