"""Evaluate host expressions symbolically: values, places, and what happens on the way.

Numbers are computed, all else is kept as an operation on values. Types matter where they change
numbers that are stored. Nothing is lost to what is not known: what comes out is a guess.
"""

from __future__ import annotations

from abc import abstractmethod

from pycparser import c_ast

from kfusion.host.arithmetic import arithmetic, compute
from kfusion.host.equality import strip
from kfusion.host.initialisers import Initialisers
from kfusion.host.names import function_value
from kfusion.host.program import constant
from kfusion.host.symbolic import FALSE, TRUE, Literal, Num, Op, Place, Pointee, Ref, Sym, Unknown
from kfusion.host.types import named_type

_INVERSE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
RELATIONS = frozenset([*_INVERSE, "&&", "||", "!"])
_STEPS = ("++", "--", "p++", "p--")


class Expressions(Initialisers):
    """Evaluation of expressions; statements and calls are the executor's."""

    def value(self, node: c_ast.Node | None) -> Sym:
        method = getattr(self, "_value_" + type(node).__name__, None)
        if method is None:
            if node is not None:
                self.ways.doubt(f"{type(node).__name__} is not followed")
            return self.unknown()
        result: Sym = method(node)
        return self.state.resolve(result)

    def _value_Constant(self, node: c_ast.Constant) -> Sym:
        number = constant(node, {})
        return Literal(node.value) if number is None else Num(number)

    def _value_ID(self, node: c_ast.ID) -> Sym:
        name = node.name
        if name not in self.frame.variables:
            enumerators = self.program.enumerators_in(self.frame.unit)
            if name in enumerators:
                return Num(enumerators[name])
            function = self.function_named(name)
            if function is not None:
                return function_value(self.program, function)
        place = self.variable(name)
        if self.is_array(node, place):
            return Ref(place / "[0]")
        self.initialise_global(place)
        return self.read(place)

    def _value_StructRef(self, node: c_ast.StructRef | c_ast.ArrayRef) -> Sym:
        place = self.place(node)
        if place is None:
            return self.unknown()
        return Ref(place / "[0]") if self.is_array(node, place) else self.read(place)

    _value_ArrayRef = _value_StructRef

    def _value_Cast(self, node: c_ast.Cast) -> Sym:
        value = self.value(node.expr)
        is_pointer = isinstance(node.to_type.type, c_ast.PtrDecl | c_ast.ArrayDecl)
        if is_pointer or isinstance(value, Ref):
            return value
        if isinstance(value, Num):
            return self.arithmetic(node.to_type.type, value)
        kind = arithmetic(node.to_type.type, self.program.types)
        if kind is not None and kind.real:
            return Op(kind.cast, (value,))
        if kind is None and named_type(node.to_type.type).startswith("cl_"):
            return value  # `(cl_mem)v->handle`, of a `void *`
        return Op(f"({type_text(node.to_type)})", (value,))

    def _value_UnaryOp(self, node: c_ast.UnaryOp) -> Sym:
        if node.op == "&":
            if isinstance(node.expr, c_ast.ID) and self.function_named(node.expr.name) is not None:
                return self.value(node.expr)
            place = self.place(node.expr)
            return Ref(place) if place else self.unknown()
        if node.op == "*":
            return self.read(self.target(self.value(node.expr)))
        if node.op == "sizeof":
            return self._sizeof(node.expr)
        if node.op in _STEPS:
            return self._step_by_one(node)
        if node.op == "!":
            return self.negated(self.value(node.expr))
        value = self.value(node.expr)
        if isinstance(value, Num):
            return Num({"-": -value.value, "+": value.value, "~": ~value.value}[node.op])
        return Op(node.op, (value,))

    def _sizeof(self, node: c_ast.Node) -> Sym:
        """The size of an expression is that of its type."""
        type_ = node if isinstance(node, c_ast.Typename) else self.type_of(node)
        if type_ is None:
            return self.unknown()
        if isinstance(type_, c_ast.TypeDecl):
            return Op(f"sizeof({named_type(type_)})", ())
        return Op(f"sizeof({type_text(type_)})", ())

    def _step_by_one(self, node: c_ast.UnaryOp) -> Sym:
        place, before = self._lvalue(node.expr)
        after = self.binary("+" if "+" in node.op else "-", before, TRUE)
        after = self.arithmetic(self.type_of(node.expr), after)
        self.assign(place, after)
        return before if node.op.startswith("p") else after

    def _lvalue(self, node: c_ast.Node) -> tuple[Place | None, Sym]:
        """The place that an expression names, and what it holds: evaluated once."""
        place = self.place(node)
        return place, self.unknown() if place is None else self.read(place)

    def _value_BinaryOp(self, node: c_ast.BinaryOp) -> Sym:
        length = self.array_length(node)
        if length is not None:
            return Num(length)
        if node.op in ("&&", "||"):
            return self._short_circuit(node)
        left = self.value(node.left)
        return self.binary(node.op, left, self.value(node.right))

    def _value_Assignment(self, node: c_ast.Assignment) -> Sym:
        value = self.value(node.rvalue)
        if node.op == "=":
            place = self.place(node.lvalue)
        else:
            place, before = self._lvalue(node.lvalue)
            value = self.binary(node.op[:-1], before, value)
        source = node.rvalue if node.op == "=" else None
        value = self.arithmetic(self.type_of(node.lvalue), value, source)
        self.assign(place, value)
        return value

    def _value_ExprList(self, node: c_ast.ExprList) -> Sym:
        value: Sym = FALSE
        for expression in node.exprs:
            value = self.value(expression)
        return value

    # Operators on values

    def binary(self, op: str, left: Sym, right: Sym) -> Sym:
        if isinstance(left, Num) and isinstance(right, Num):
            number = compute(op, left.value, right.value)
            if not all(0 <= n < 1 << 31 for n in (left.value, right.value, number or 0)):
                self.turns += 1  # in an unsigned type it may be another number
            if number is not None:
                return Num(number)
        if op in ("==", "!="):
            same = self._same(left, right)
            if same is not None:
                return TRUE if same == (op == "==") else FALSE
        if isinstance(left, Num) and op in ("==", "!=", "+", "*", "&", "|", "^"):
            left, right = right, left  # constants stand on the right
        if (op in ("+", "-", "|") and right == FALSE) or (op in ("*", "/") and right == TRUE):
            return left
        # What takes turns comes back: `now = 1 - now`, `now ^= 1`.
        if op == "-" and isinstance(right, Op) and (right.name, right.args[:-1]) == (op, (left,)):
            return right.args[1]
        if op == "-" and (around := _around(strip(left), strip(right))) is not None:
            return Ref(around)
        if op == "^" and isinstance(left, Op) and (left.name, left.args[1:]) == (op, (right,)):
            return left.args[0]
        if op == "+" and isinstance(left, Op) and left.name == op and isinstance(right, Num):
            text, before = left.args
            if isinstance(text, Literal) and isinstance(before, Num):
                return Op(op, (text, Num(before.value + right.value)))
        if op == "+" and isinstance(left, Ref) and isinstance(right, Num):
            moved = left.place.moved(right.value)
            return Op(op, (left, right)) if moved is None else Ref(moved)
        return Op(op, (left, right))

    def _same(self, left: Sym, right: Sym) -> bool | None:
        """Is one value the other? None: not known."""
        if left == right and not isinstance(left, Unknown):
            return True
        if isinstance(left, Num):
            left, right = right, left
        if isinstance(right, Num) and self.state.excludes(left, right.value):
            return False
        if isinstance(left, Ref) and isinstance(right, Ref):
            some = left.place.is_of_some_element or right.place.is_of_some_element
            return None if some else False
        return None

    def truth(self, value: Sym) -> bool | None:
        """What is assumed of the opposite, or of the parts, says it, too."""
        known = self._known(value)
        if known is not None or not isinstance(value, Op):
            return known
        if value.name in ("&&", "||"):
            parts = [self.truth(part) for part in value.args]
            deciding = value.name == "||"
            return deciding if deciding in parts else None if None in parts else not deciding
        opposite = self._known(inverted(value))
        return None if opposite is None else not opposite

    def _known(self, value: Sym) -> bool | None:
        value = self.state.resolve(value)
        if isinstance(value, Num):
            return value.value != 0
        return True if self.state.excludes(value, 0) else None

    def as_bool(self, value: Sym) -> Sym:
        truth = self.truth(value)
        if truth is not None:
            return TRUE if truth else FALSE
        is_truth = isinstance(value, Op) and value.name in RELATIONS
        return value if is_truth else Op("!=", (value, FALSE))

    def negated(self, value: Sym) -> Sym:
        truth = self.truth(value)
        return inverted(value) if truth is None else FALSE if truth else TRUE

    @abstractmethod
    def _short_circuit(self, node: c_ast.BinaryOp) -> Sym: ...


def inverted(condition: Sym) -> Sym:
    """The condition that holds exactly when this one does not. A number is taken to be a flag."""
    if isinstance(condition, Op):
        if condition.name in _INVERSE:
            return Op(_INVERSE[condition.name], condition.args)
        if condition.name in ("&&", "||"):
            name = "||" if condition.name == "&&" else "&&"
            return Op(name, tuple(map(inverted, condition.args)))
        if condition.name == "!":
            return condition.args[0]
    return Op("!", (condition,))


def has_effects(node: c_ast.Node) -> bool:
    """Is something changed, or called, where the expression is evaluated?"""
    if isinstance(node, c_ast.Assignment | c_ast.FuncCall):
        return True
    if isinstance(node, c_ast.UnaryOp) and node.op in _STEPS:
        return True
    return any(has_effects(child) for _, child in node.children())


def type_text(node: c_ast.Node) -> str:
    from pycparser.c_generator import CGenerator

    return str(CGenerator().visit(node))


def _around(pointer: Sym, offset: Sym) -> Place | None:
    """`(char *)&node->list - offsetof(struct node, list)`: what the member is in."""
    if not (isinstance(pointer, Ref) and isinstance(offset, Ref)):
        return None
    path = offset.place.path
    if offset.place.root != Pointee(FALSE) or not path or pointer.place.path[-len(path) :] != path:
        return None
    return Place(pointer.place.root, pointer.place.path[: -len(path)])
