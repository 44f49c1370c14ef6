"""How much a kernel computes: a rough count of the operations in its text."""

from __future__ import annotations

from functools import cache

from pycparser import c_ast

from kfusion.kernel.model import Kernel
from kfusion.parse.unit import Unit


@cache
def operations(kernel: Kernel) -> int:
    """Operators and calls, each once, with those of the functions of its file."""
    return _Counter(kernel.unit, (kernel.name,)).count(kernel.function.node.body)


class _Counter(c_ast.NodeVisitor):
    def __init__(self, unit: Unit, inside: tuple[str, ...]) -> None:
        self.unit, self.inside, self.found = unit, inside, 0

    def count(self, node: c_ast.Node) -> int:
        self.visit(node)
        return self.found

    def visit_BinaryOp(self, node: c_ast.Node) -> None:
        self.found += 1
        self.generic_visit(node)

    visit_TernaryOp = visit_BinaryOp

    def visit_FuncCall(self, node: c_ast.FuncCall) -> None:
        self.found += 1
        name = getattr(node.name, "name", "")
        function = self.unit.functions.get(name)
        if function is not None and name not in self.inside:
            inner = _Counter(self.unit, (*self.inside, name))
            self.found += inner.count(function.node.body)
        if node.args is not None:
            self.visit(node.args)
