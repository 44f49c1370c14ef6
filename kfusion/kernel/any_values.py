"""Whether a kernel may be computed of values that are none of the program's.

Arithmetic on floating-point numbers is harmless, whatever they are. It is not if such a value
decides which element is read, how often a loop goes round, or what an integer is divided by.
"""

from __future__ import annotations

from collections.abc import Iterable

from pycparser import c_ast

from kfusion.kernel.flow import LEAVING
from kfusion.kernel.model import Kernel
from kfusion.kernel.types import canonical
from kfusion.parse.unit import descendants

FLOATS = frozenset(f"{name}{n}" for name in ("float", "double") for n in ("", 2, 4, 8, 16))
_NUMBERS = frozenset(  # functions of floating-point numbers, to such
    """
    acos acosh acospi asin asinh asinpi atan atan2 atanh atanpi atan2pi cbrt ceil copysign cos
    cosh cospi erfc erf exp exp2 exp10 expm1 fabs fdim floor fma fmax fmin fmod hypot log log2
    log10 log1p mad max min clamp mix pow powr remainder rint round rsqrt sin sinh sinpi sqrt tan
    tanh tanpi trunc step smoothstep sign dot length distance normalize cross native_cos
    native_divide native_exp native_log native_powr native_recip native_rsqrt native_sin
    native_sqrt native_tan
    """.split()
)
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=", "&&", "||")
# What must not depend on such a value, and not happen where one decides whether it does.
_LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)
_STEERED = (*_LOOPS, *LEAVING, c_ast.Switch, c_ast.ArrayRef, c_ast.FuncCall)
_VALUES = (c_ast.ID, c_ast.Constant, c_ast.StructRef, c_ast.ExprList, c_ast.InitList)
_ACTING = ("/", "%", "++", "p++", "--", "p--")
_BLOCKS = (c_ast.Compound, c_ast.DeclList, c_ast.EmptyStatement)


def takes_any_values(kernel: Kernel, parameters: Iterable[str]) -> bool:
    """Whatever the elements of these parameters are."""
    return _Reader(kernel, parameters).harmless


class _Reader:
    def __init__(self, kernel: Kernel, parameters: Iterable[str]) -> None:
        self.unit, self.any = kernel.unit, set(parameters)
        declared = [*kernel.function.nodes.get(c_ast.Decl, ()), *kernel.function.listed]
        self.types: dict[str, set[str]] = {}
        for each in declared:
            type_ = canonical(self.unit, each.type).rstrip("[]*")
            self.types.setdefault(getattr(each, "name", None) or "", set()).add(type_)
        body, count = kernel.function.node.body, -1
        while count < len(self.any):  # what is computed of them is any value, too
            count = len(self.any)
            self.harmless = self._statement(body, steered=False)

    def _is_any(self, node: c_ast.Node | None) -> bool:
        return node is not None and any(
            isinstance(each, c_ast.ID) and each.name in self.any for each in descendants(node)
        )

    def _becomes_any(self, target: c_ast.Node) -> bool:
        """What is assigned to, or declared: is it of floating-point numbers?"""
        while isinstance(target, (c_ast.ArrayRef, c_ast.StructRef)):
            target = target.name
        name = target.name if isinstance(target, (c_ast.ID, c_ast.Decl)) else ""
        self.any.add(name)
        return bool(name) and self.types.get(name, {""}) <= FLOATS

    def _statement(self, node: c_ast.Node | None, *, steered: bool) -> bool:
        """`steered`: such a value decides whether it happens."""
        if node is None:
            return True
        if steered and isinstance(node, _STEERED):
            return False
        if isinstance(node, _BLOCKS):
            return all(self._statement(each, steered=steered) for _, each in node.children())
        if isinstance(node, (c_ast.Decl, c_ast.Assignment)):
            declares = isinstance(node, c_ast.Decl)
            value, target = (node.init, node) if declares else (node.rvalue, node.lvalue)
            found = [self._value(value, steered=steered)]
            if not declares:
                found.append(self._value(target, steered=steered))
            if self._is_any(value) or (steered and not declares):
                found.append(self._becomes_any(target))
            return all(found)
        if isinstance(node, c_ast.If):
            steers = steered or self._is_any(node.cond)
            found = [self._statement(each, steered=steers) for each in (node.iftrue, node.iffalse)]
            return all([self._condition(node.cond, steered=steered), *found])
        if isinstance(node, c_ast.For):
            if any(map(self._is_any, (node.init, node.cond, node.next))):
                return False
            return self._statement(node.stmt, steered=False)
        if isinstance(node, c_ast.Pragma):
            return True
        return self._value(node, steered=steered)

    def _condition(self, node: c_ast.Node, *, steered: bool) -> bool:
        if isinstance(node, c_ast.BinaryOp) and node.op in _COMPARISONS:
            steered = steered or (node.op in ("&&", "||") and self._is_any(node.left))
            return self._condition(node.left, steered=steered) and self._condition(
                node.right, steered=steered
            )
        if isinstance(node, c_ast.UnaryOp) and node.op == "!":
            return self._condition(node.expr, steered=steered)
        return self._value(node, steered=steered)

    def _value(self, node: c_ast.Node | None, *, steered: bool) -> bool:
        """An expression."""
        if node is None:
            return True
        op = getattr(node, "op", "")
        if steered and (isinstance(node, (*_STEERED, c_ast.Assignment)) or op in _ACTING):
            return False
        if not self._is_any(node):
            return not steered or all(
                self._value(each, steered=True) for _, each in node.children()
            )
        if isinstance(node, c_ast.ArrayRef):
            return not self._is_any(node.subscript) and self._value(node.name, steered=steered)
        if isinstance(node, c_ast.TernaryOp):
            steers = steered or self._is_any(node.cond)
            sides = [self._value(each, steered=steers) for each in (node.iftrue, node.iffalse)]
            return all([self._condition(node.cond, steered=steered), *sides])
        if isinstance(node, c_ast.Cast):
            to = canonical(self.unit, node.to_type)
            return to in FLOATS and self._value(node.expr, steered=steered)
        if isinstance(node, c_ast.FuncCall):
            name = getattr(node.name, "name", "")
            return name in _NUMBERS and self._value(node.args, steered=steered)
        if isinstance(node, c_ast.UnaryOp):
            return op in ("-", "+") and self._value(node.expr, steered=steered)
        if isinstance(node, c_ast.BinaryOp):
            chosen = any(isinstance(each, c_ast.TernaryOp) for each in descendants(node.right))
            if op not in ("+", "-", "*", "/") or (op == "/" and chosen):  # of integers, perhaps
                return False
        elif not isinstance(node, _VALUES):
            return False
        return all(self._value(each, steered=steered) for _, each in node.children())
