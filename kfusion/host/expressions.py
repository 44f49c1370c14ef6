"""Evaluate host expressions symbolically: values, places, and the effects on the way.

What operators make of values is in computing.py, what stands in braces in initialisers.py.
"""

from __future__ import annotations

from abc import abstractmethod

from pycparser import c_ast

from kfusion.host.computing import Computing, of_reals
from kfusion.host.conversions import INT, as_type, common, convert, of_operation
from kfusion.host.effects import Unsupported
from kfusion.host.initialisers import Initialisers
from kfusion.host.operators import (
    ORDER,
    has_effects,
    inverted,
    is_const,
    is_pointer_type,
    keyword_of,
    seen_otherwise,
    type_text,
)
from kfusion.host.program import constant
from kfusion.host.symbolic import (
    FALSE,
    TRUE,
    Global,
    Literal,
    Local,
    Num,
    Op,
    Place,
    Ref,
    State,
    Sym,
    join,
)


class Expressions(Computing, Initialisers):
    """Evaluation of expressions; statements are the executor's."""

    def value(self, node: c_ast.Node | None, state: State) -> Sym:
        if node is None:
            return self.unknown()
        method = getattr(self, "_value_" + type(node).__name__, None)
        if method is None:
            self.emit(Unsupported(node, self.certain, type(node).__name__))
            self.lose_all(state)
            return self.unknown()
        result: Sym = method(node, state)
        return state.resolve(result)

    def _value_Constant(self, node: c_ast.Constant, state: State) -> Sym:
        number = constant(node, {})
        if number is None:
            return Literal(node.value)
        kind = self.kind(node)
        return convert(Num(number), INT, kind) if kind is not None else self.unknown()

    def _value_ID(self, node: c_ast.ID, state: State) -> Sym:
        hidden_in = self.program.hidden_names(self.frame.unit).get(node.name)
        if hidden_in is not None:
            elsewhere = self.frame.name and self.frame.name not in hidden_in
            if not elsewhere or node.name not in self.frame.variables:
                return self.unknown()  # an enumerator of some block
        enumerators = self.program.enumerators_in(self.frame.unit)
        if node.name not in self.frame.variables and node.name in enumerators:
            return Num(enumerators[node.name])
        place = self.variable(node.name)
        if isinstance(place.root, Global) and node.name in self.program.functions:
            return Ref(place)
        if self._is_array(place, state):
            return Ref(place / "[0]")
        if isinstance(place.root, Global) and place not in state.memory:
            known = self._global_constant(place.root)
            if known is not None:
                return known
        return self.read(place, state)

    def _global_constant(self, root: Global) -> Sym | None:
        """A `static const` scalar keeps its initialiser."""
        declaration = self._global(root)
        if declaration is None or declaration.init is None or not is_const(declaration.type):
            return None
        if isinstance(declaration.init, c_ast.InitList):
            return None
        number = constant(declaration.init, self.program.enumerators)
        if number is None:
            return None
        return convert(Num(number), INT, self.declared_kind(declaration))

    def _value_StructRef(self, node: c_ast.StructRef, state: State) -> Sym:
        place = self.place(node, state)
        if place is None:
            self.value(node.name, state)
            return self.unknown()
        is_array = self.is_array_member(node)
        if is_array is None:
            return self.unknown()
        return Ref(place / "[0]") if is_array else self.read(place, state)

    def _value_ArrayRef(self, node: c_ast.ArrayRef, state: State) -> Sym:
        place = self.place(node, state)
        if place is None:
            return self.unknown()
        if any(step.startswith("[?") for step in place.path):
            return self.read(place, state) if not isinstance(place.root, Local) else self.unknown()
        return self.read(place, state)

    def _value_Cast(self, node: c_ast.Cast, state: State) -> Sym:
        value = self.value(node.expr, state)
        if is_pointer_type(node.to_type):
            return self._cast_pointer(node, value)
        if isinstance(value, Ref):
            return seen_otherwise(value)
        if isinstance(value, Num):
            return self.converted(value, node.expr, self.kind(node))
        return Op(f"({type_text(node.to_type)})", (value,))

    def _cast_pointer(self, node: c_ast.Cast, value: Sym) -> Sym:
        """A pointer to another type leads to bytes of the object, not to a part of it."""
        types = self.program.types
        before, after = self.type_of(node.expr), node.to_type.type
        if isinstance(value, Num | Literal):
            return value
        if isinstance(value, Ref) and isinstance(node.expr, c_ast.UnaryOp):
            seen: c_ast.Node | None = self.declared_type(value.place)
        else:
            seen = types.target(before)
        target = types.target(after)
        if target is None or types.is_void(target) or seen is None or types.is_void(seen):
            return value
        return seen_otherwise(value) if self.is_another_type(target, seen) else value

    def _to_move(self, node: c_ast.Node, value: Sym) -> Sym:
        """An operand of + or -: a pointer moves by elements of the type that it points to."""
        if not isinstance(value, Ref):
            return value
        seen = self.program.types.target(self.type_of(node))
        if self.is_another_type(seen, self.declared_type(value.place)):
            return seen_otherwise(value)
        return value

    def _value_UnaryOp(self, node: c_ast.UnaryOp, state: State) -> Sym:
        if node.op == "&":
            place = self.place(node.expr, state)
            return Ref(place) if place else self.unknown()
        if node.op == "*":
            return self.read(self.target(self.value(node.expr, state)), state)
        if node.op == "sizeof":
            if isinstance(node.expr, c_ast.Typename):
                if has_effects(node.expr):  # in the size of an array
                    self.value(node.expr, state)
                return self._size_of(type_text(node.expr))
            return self._sizeof(node.expr)
        if node.op in ("++", "--", "p++", "p--"):
            return self._step_by_one(node, state)
        if node.op == "!":
            return self.negated(self.condition(node.expr, state), state)
        value = self.value(node.expr, state)
        if isinstance(value, Num) and node.op in ("-", "+", "~"):
            number = value.value
            kind = self.kind(node)
            if kind is None:
                return self.unknown()
            if kind.real:
                return Op(node.op, (as_type(value, kind),))
            result = Num({"-": -number, "+": number, "~": ~number}[node.op])
            return convert(result, INT, kind)
        return Op(node.op, (value,))

    def _sizeof(self, node: c_ast.Node) -> Sym:
        """The size of an expression is that of its type: two of one text may differ."""
        type_ = self.type_of(node)
        if isinstance(type_, c_ast.TypeDecl) and isinstance(type_.type, c_ast.IdentifierType):
            return self._size_of(" ".join(type_.type.names))
        if isinstance(type_, c_ast.TypeDecl) and getattr(type_.type, "name", None):
            return self._size_of(f"{keyword_of(type_.type)} {type_.type.name}")
        return self.unknown()

    def _size_of(self, type_: str) -> Sym:
        """A name may be that of another type elsewhere: in a block, or outside of a helper."""
        words = set(type_.replace("*", " ").split())
        types = self.program.types
        others = types.ambiguous - types.opaque  # the writer looks at typedefs
        if len(self.frames) > 1:
            hidden = self.program.hidden_names(self.frame.unit).keys()
            others = types.ambiguous | types.opaque | hidden
        if words & others:
            return self.unknown()
        return Op(f"sizeof({type_})", ())

    def _step_by_one(self, node: c_ast.UnaryOp, state: State) -> Sym:
        place, before = self._lvalue(node.expr, state)
        kind = self.kind(node.expr)
        op = "+" if "+" in node.op else "-"
        after = self.typed_binary(op, (before, kind), (Num(1), INT), state)
        after = convert(after, common(kind, INT), kind)
        self.assign(place, after, state, node)
        if self._is_bit_field(node.expr):
            return self.unknown()
        return before if node.op.startswith("p") else after

    def _lvalue(self, node: c_ast.Node, state: State) -> tuple[Place | None, Sym]:
        """The place that an expression names, and what it holds: evaluated once."""
        if not has_effects(node):
            return self.place(node, state), self._to_move(node, self.value(node, state))
        place = self.place(node, state)
        if place is not None:
            self.read(place, state)
        return place, self.unknown()

    def _is_bit_field(self, node: c_ast.Node) -> bool:
        """Is it a member that may hold fewer bits than its type?"""
        bit_fields = self.program.types.bit_fields
        return isinstance(node, c_ast.StructRef) and node.field.name in bit_fields

    def _value_BinaryOp(self, node: c_ast.BinaryOp, state: State) -> Sym:
        length = self.array_length(node)
        if length is not None:
            return Num(length)
        if node.op in ("&&", "||"):
            return self._short_circuit(node, self.condition(node.left, state), state)
        left = self.value(node.left, state)
        right = self.value(node.right, state)
        if node.op in ("+", "-"):
            left, right = self._to_move(node.left, left), self._to_move(node.right, right)
        if node.op in ("==", "!=", *ORDER) and (
            self._may_be_real(node.left) or self._may_be_real(node.right)
        ):
            return of_reals(node.op, left, right)
        kinds = self.kind(node.left), self.kind(node.right)
        return self.typed_binary(node.op, (left, kinds[0]), (right, kinds[1]), state)

    def _short_circuit(self, node: c_ast.BinaryOp, left: Sym, state: State) -> Sym:
        truth = self.truth(left, state)
        if truth is not None and truth == (node.op == "||"):
            return TRUE if truth else FALSE
        if truth is not None:
            return self.as_bool(self.condition(node.right, state), state)
        other = state.copy()
        other.assume(left, node.op == "&&")
        with self.under(left if node.op == "&&" else inverted(left)):
            right = self.condition(node.right, other)
        merged = join(state, other)
        state.remember(merged)
        right_truth = self.truth(right, other)
        if right_truth is not None and right_truth == (node.op == "&&"):
            return self.as_bool(left, state)  # x && 1, x || 0
        return Op(node.op, (left, right))

    def condition(self, node: c_ast.Node, state: State) -> Sym:
        """The value of an expression whose truth matters."""
        value = self.value(node, state)
        if self._may_be_real(node):
            return state.resolve(of_reals("!=", value, FALSE))
        if isinstance(value, Op) and value.name == "?:":
            return state.resolve(self.binary("!=", value, FALSE, state))
        return value

    def _may_be_real(self, node: c_ast.Node) -> bool:
        """Equal real numbers may be different ones: 0 and -0; numbers of no known type too."""
        kind = self.kind(node)
        if kind is not None:
            return kind.real or kind.is_opaque
        type_ = self.program.types.resolved(self.type_of(node))
        inner = getattr(type_, "type", None)
        return isinstance(type_, c_ast.TypeDecl) and isinstance(inner, c_ast.IdentifierType)

    def _value_TernaryOp(self, node: c_ast.TernaryOp, state: State) -> Sym:
        condition = self.condition(node.cond, state)
        truth = self.truth(condition, state)
        kinds = self.kind(node.iftrue), self.kind(node.iffalse)
        together = common(*kinds)
        if truth is not None:
            number = 0 if truth else 1
            value = self.value(node.iftrue if truth else node.iffalse, state)
            return convert(value, kinds[number], together)
        first, second = state.copy(), state.copy()
        first.assume(condition, True)
        second.assume(condition, False)
        with self.under(condition):
            a = self.value(node.iftrue, first)
        with self.under(inverted(condition)):
            b = self.value(node.iffalse, second)
        merged = join(first, second)
        state.remember(merged)
        a, b = convert(a, kinds[0], together), convert(b, kinds[1], together)
        if a == b:
            return a
        if together is not None and isinstance(a, Num) and isinstance(b, Num):
            a = as_type(a, together)
        elif together is None and isinstance(a, Num) and isinstance(b, Num):
            return self.unknown()  # numbers of a type that is not known
        return Op("?:", (condition, a, b))

    def _value_Assignment(self, node: c_ast.Assignment, state: State) -> Sym:
        value = self.value(node.rvalue, state)
        target, source = self.kind(node.lvalue), self.kind(node.rvalue)
        if node.op == "=":
            place = self.place(node.lvalue, state)
        else:
            place, before = self._lvalue(node.lvalue, state)
            op = node.op[:-1]
            value = self.typed_binary(op, (before, target), (value, source), state)
            source = of_operation(op, target, source)
        value = convert(value, source, target)
        self.assign(place, value, state, node)
        return self.unknown() if self._is_bit_field(node.lvalue) else value

    def _value_ExprList(self, node: c_ast.ExprList, state: State) -> Sym:
        value: Sym = FALSE
        for expression in node.exprs:
            value = self.value(expression, state)
        return value

    @abstractmethod
    def _value_FuncCall(self, node: c_ast.FuncCall, state: State) -> Sym: ...
