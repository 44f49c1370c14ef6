"""The first and the last token of each expression.

pycparser places an expression at the first token of its first part that is no bracket. From
there on the tree says what follows, and the pairs of brackets say where it ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pycparser import c_ast

from kfusion.parse.preprocess import PToken

Range = tuple[int, int]


class Ends:
    """Of the expressions of a file, found when they are asked for."""

    def __init__(
        self,
        tokens: Sequence[PToken],
        closing: Mapping[int, int],
        index: Callable[[c_ast.Node], int],
    ) -> None:
        self._tokens, self._closing, self._index = tokens, closing, index
        self._known: dict[c_ast.Node, Range] = {}

    def of(self, node: c_ast.Node) -> Range:
        """Without round brackets around it."""
        if node not in self._known:
            self._known[node] = self._find(node)
        return self._known[node]

    def operand(self, node: c_ast.Node) -> Range:
        """With the round brackets around it, of a node that is not all there is in a call."""
        first, last = self.of(node)
        while self._tokens[first - 1].text == "(" and self._closing[first - 1] == last + 1:
            first, last = first - 1, last + 1
        return first, last

    def _find(self, node: c_ast.Node) -> Range:
        if isinstance(node, c_ast.BinaryOp):
            return self._row(node.left, node.right)
        if isinstance(node, c_ast.Assignment):
            return self._row(node.lvalue, node.rvalue)
        if isinstance(node, c_ast.TernaryOp):
            return self._row(node.cond, node.iffalse)
        if isinstance(node, c_ast.ExprList):
            return self._row(node.exprs[0], node.exprs[-1])
        if isinstance(node, c_ast.UnaryOp):
            return self._unary(node)
        if isinstance(node, (c_ast.ArrayRef, c_ast.FuncCall, c_ast.StructRef)):
            first, last = self.operand(node.name)
            member = isinstance(node, c_ast.StructRef)  # `.x`, `->x`
            return first, last + 2 if member else self._closing[last + 1]
        if isinstance(node, c_ast.NamedInitializer):
            first = self._index(node.name[0]) - 1  # `.x = ...`, `[1] = ...`
            return first, self.operand(node.expr)[1]
        if isinstance(node, c_ast.InitList) and node.exprs:
            first = self.operand(node.exprs[0])[0] - 1
            return first, self._closing[first]
        first = self._index(node)
        if isinstance(node, c_ast.Cast):
            return first, self.operand(node.expr)[1]
        if isinstance(node, c_ast.CompoundLiteral):
            return first, self._closing[self._closing[first] + 1]
        if isinstance(node, c_ast.InitList):
            return first, self._closing[first]
        last = first
        while self._tokens[last].text.endswith('"') and self._tokens[last + 1].text.endswith('"'):
            last += 1
        return first, last

    def _row(self, first: c_ast.Node, last: c_ast.Node) -> Range:
        return self.operand(first)[0], self.operand(last)[1]

    def _unary(self, node: c_ast.UnaryOp) -> Range:
        if isinstance(node.expr, c_ast.Typename):  # `sizeof(int)`
            first = self._index(node)
            return first, self._closing[first + 1]
        first, last = self.operand(node.expr)
        return (first, last + 1) if node.op.startswith("p") else (first - 1, last)
