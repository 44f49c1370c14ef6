"""Arithmetic types of expressions."""

from __future__ import annotations

from pycparser import c_ast

from kfusion.host.conversions import (
    INT,
    SIZE,
    Arithmetic,
    arithmetic,
    common,
    convert,
    of_call,
    of_constant,
    of_operation,
)
from kfusion.host.places import Places
from kfusion.host.symbolic import Sym


class Kinds(Places):
    """What type an expression has, as far as it is a number."""

    def kind(self, node: c_ast.Node | None) -> Arithmetic | None:
        """The arithmetic type of an expression as declarations tell it; None: not known."""
        method = getattr(self, "_kind_" + type(node).__name__, None)
        if method is not None:
            result: Arithmetic | None = method(node)
            return result
        return arithmetic(self.type_of(node), self.program.types) if node is not None else None

    def _kind_Constant(self, node: c_ast.Constant) -> Arithmetic | None:
        return of_constant(node)

    def _kind_ID(self, node: c_ast.ID) -> Arithmetic | None:
        if node.name not in self.frame.variables and node.name in self.program.enumerators:
            return INT
        return arithmetic(self.type_of(node), self.program.types)

    def _kind_StructRef(self, node: c_ast.StructRef) -> Arithmetic | None:
        if node.field.name in self.program.types.bit_fields:
            return None  # an int, if its bits fit in one
        return arithmetic(self.type_of(node), self.program.types)

    def _kind_UnaryOp(self, node: c_ast.UnaryOp) -> Arithmetic | None:
        if node.op == "!":
            return INT
        if node.op in ("sizeof", "_Alignof"):
            return SIZE
        if node.op == "*":
            return arithmetic(self.type_of(node), self.program.types)
        inner = self.kind(node.expr) if node.op != "&" else None
        if node.op not in ("-", "+", "~") or inner is None:
            return inner
        return None if inner.is_enum else inner.promoted

    def _kind_BinaryOp(self, node: c_ast.BinaryOp) -> Arithmetic | None:
        return of_operation(node.op, self.kind(node.left), self.kind(node.right))

    def _kind_TernaryOp(self, node: c_ast.TernaryOp) -> Arithmetic | None:
        return common(self.kind(node.iftrue), self.kind(node.iffalse))

    def _kind_CompoundLiteral(self, node: c_ast.CompoundLiteral) -> Arithmetic | None:
        return arithmetic(node.type.type, self.program.types)

    def _kind_Assignment(self, node: c_ast.Assignment) -> Arithmetic | None:
        return self.kind(node.lvalue)

    def _kind_ExprList(self, node: c_ast.ExprList) -> Arithmetic | None:
        return self.kind(node.exprs[-1])

    def _kind_FuncCall(self, node: c_ast.FuncCall) -> Arithmetic | None:
        name = node.name.name if isinstance(node.name, c_ast.ID) else ""
        function = self.program.lookup(name, self.frame.unit) if name else None
        if function is not None and name not in self.frame.variables:
            return arithmetic(function.result_type, self.program.types)
        return of_call(name)

    def declared_kind(self, declaration: c_ast.Decl | None) -> Arithmetic | None:
        return arithmetic(getattr(declaration, "type", None), self.program.types)

    def converted(self, value: Sym, node: c_ast.Node, target: Arithmetic | None) -> Sym:
        """The value of an expression as a variable of a type holds it."""
        return convert(value, self.kind(node), target) if target is not None else value
