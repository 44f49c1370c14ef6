"""How much a kernel computes: a rough count of the operations in its text."""

from __future__ import annotations

from functools import cache

from pycparser import c_ast

from kfusion.kernel.model import Kernel
from kfusion.parse.unit import Unit


@cache
def operations(kernel: Kernel) -> int:
    """Operators and calls, each once, with those of the functions of its file."""
    return _Counter(kernel.unit).count(kernel.function.node.body)


class _Counter(c_ast.NodeVisitor):
    def __init__(self, unit: Unit) -> None:
        self.unit, self.found = unit, 0
        self.of_functions: dict[str, int] = {}  # 0 while one is counted: it may call itself

    def count(self, node: c_ast.Node) -> int:
        before, self.found = self.found, 0
        self.visit(node)
        found, self.found = self.found, before
        return found

    def visit_BinaryOp(self, node: c_ast.Node) -> None:
        self.found += 1
        self.generic_visit(node)

    visit_TernaryOp = visit_BinaryOp

    def visit_FuncCall(self, node: c_ast.FuncCall) -> None:
        name = getattr(node.name, "name", "")
        self.found += 1 + self._of(name)
        if node.args is not None:
            self.visit(node.args)

    def _of(self, name: str) -> int:
        function = self.unit.functions.get(name)
        if function is not None and name not in self.of_functions:
            self.of_functions[name] = 0
            self.of_functions[name] = self.count(function.node.body)
        return self.of_functions.get(name, 0)
