"""Evaluate host expressions symbolically: values, places, and the effects on the way."""

from __future__ import annotations

from abc import abstractmethod

from pycparser import c_ast

from kfusion.host.calls import LAUNCHES
from kfusion.host.conversions import (
    INT,
    Arithmetic,
    arithmetic,
    as_type,
    common,
    convert,
    number_as,
    of_operation,
)
from kfusion.host.descriptions import clear
from kfusion.host.effects import Unsupported
from kfusion.host.kinds import Kinds
from kfusion.host.operators import (
    ORDER,
    are_apart,
    chosen,
    has_effects,
    inverted,
    is_const,
    is_name,
    is_named,
    is_pointer_type,
    is_sizeof,
    keyword_of,
    seen_otherwise,
    truth_of,
    type_text,
)
from kfusion.host.program import compute, constant
from kfusion.host.symbolic import (
    FALSE,
    TRUE,
    Entry,
    Global,
    Literal,
    Local,
    Num,
    Op,
    Phi,
    Place,
    Pointee,
    RealOp,
    Ref,
    State,
    Sym,
    Unknown,
    join,
)

Typed = tuple[Sym, Arithmetic | None]  # a value, and the type of its expression
_OWN_NAME = frozenset(("__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"))


class Expressions(Kinds):
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
        if node.name in _OWN_NAME and self._may_be_joined():
            self.emit(Unsupported(node, self.certain, f"'{node.name}'"))
        hidden_in = self.program.hidden_names(self.frame.unit).get(node.name)
        if hidden_in is not None:
            elsewhere = self.frame.name and self.frame.name not in hidden_in
            if not elsewhere or node.name not in self.frame.variables:
                return self.unknown()  # an enumerator of some block
        enumerators = self.program.enumerators_in(self.frame.unit)
        if node.name not in self.frame.variables and node.name in enumerators:
            return Num(enumerators[node.name])
        place = self.variable(node.name)
        if isinstance(place.root, Local) and self.step is not None:
            if place.root.frame == self.frames[0].number:
                self.step.reads.add(node.name)
        if isinstance(place.root, Global) and node.name in self.program.functions:
            return Ref(place)
        if self._is_array(place, state):
            return Ref(place / "[0]")
        if isinstance(place.root, Global) and place not in state.memory:
            known = self._global_constant(place.root)
            if known is not None:
                return known
        return self.read(place, state)

    def _may_be_joined(self) -> bool:
        """Is this a function that launches, of whose text a fused function is made?"""
        function = self.frame.function
        return function is not None and bool(self.program.calls(function) & LAUNCHES)

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
        self._note_base(node, state)
        is_array = self.is_array_member(node)
        if is_array is None:
            return self.unknown()
        return Ref(place / "[0]") if is_array else self.read(place, state)

    def _value_ArrayRef(self, node: c_ast.ArrayRef, state: State) -> Sym:
        place = self.place(node, state)
        if place is None:
            return self.unknown()
        self._note_base(node, state)
        if any(step.startswith("[?") for step in place.path):
            return self.read(place, state) if not isinstance(place.root, Local) else self.unknown()
        return self.read(place, state)

    def _note_base(self, node: c_ast.Node, state: State) -> None:
        """`v.x` and `v[i]` read the variable v of the function under study."""
        while isinstance(node, c_ast.StructRef | c_ast.ArrayRef):
            node = node.name
        if isinstance(node, c_ast.ID) and self.step is not None and len(self.frames) == 1:
            if node.name in self.frame.variables:
                self.step.reads.add(node.name)

    def initialise(
        self, place: Place, init: c_ast.Node, state: State, type_: c_ast.Node | None = None
    ) -> None:
        """An initialiser in braces: elements by position or index, members by place or name."""
        if not isinstance(init, c_ast.InitList):
            value = self.value(init, state)
            kind = arithmetic(type_, self.program.types)
            state.write(place, self.converted(value, init, kind))
            return
        types = self.program.types
        members = types.members(type_)
        state.write(place, self.unknown())  # what is not listed: zeros, if there is no padding
        position = 0
        listed: list[str] = []
        for item in init.exprs:
            if isinstance(item, c_ast.NamedInitializer):
                number = self._designated(item.name[0], members)
                if len(item.name) > 1 or number is None:
                    state.write(place, self.unknown())
                    return
                position, item = number, item.expr
            if members and position < len(members):
                step, inner = members[position], types.member(type_, members[position])
            else:
                step, inner = f"[{position}]", types.target(type_)
            if self._is_part(item, inner):  # which one depends on the sizes of those before
                state.write(place, self.unknown())
                return
            self.initialise(place / step, item, state, inner)
            listed.append(step)
            position += 1
        clear(place, type_, state, listed)

    def _is_part(self, item: c_ast.Node, type_: c_ast.Node | None) -> bool:
        """Is the item not for the whole element, whose own braces are left out?"""
        types = self.program.types
        if isinstance(item, c_ast.InitList):
            return False
        if isinstance(types.resolved(type_), c_ast.ArrayDecl):
            return not (isinstance(item, c_ast.Constant) and item.type == "string")
        is_number = self.kind(item) is not None or isinstance(item, c_ast.Constant)
        return is_number and bool(types.members(type_))

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
            if isinstance(node.expr, c_ast.ID) and len(self.frames) == 1 and self.step is not None:
                if node.expr.name in self.frame.variables:
                    self.step.reads.add(node.expr.name)
            elif not isinstance(node.expr, c_ast.ID):
                self._note_base(node.expr, state)
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
            return negate(self, self.condition(node.expr, state), state)
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
        self._note_base(node, state)
        place = self.place(node, state)
        if place is not None:
            self.read(place, state)
        return place, self.unknown()

    def _is_bit_field(self, node: c_ast.Node) -> bool:
        """Is it a member that may hold fewer bits than its type?"""
        bit_fields = self.program.types.bit_fields
        return isinstance(node, c_ast.StructRef) and node.field.name in bit_fields

    def _array_length(self, node: c_ast.BinaryOp) -> int | None:
        """n in `sizeof a / sizeof a[0]`, for an array whose declaration is seen."""
        if node.op != "/" or not (is_sizeof(node.left) and is_sizeof(node.right)):
            return None
        whole, element = node.left.expr, node.right.expr
        if not isinstance(whole, c_ast.ID) or not (
            (isinstance(element, c_ast.ArrayRef) and is_name(element.name, whole.name))
            or (isinstance(element, c_ast.UnaryOp) and is_name(element.expr, whole.name))
        ):
            return None
        declaration = self.frame.variables.get(whole.name)
        declaration = declaration or self.program.global_of(whole.name, self.frame.unit)
        if declaration is None or not isinstance(declaration.type, c_ast.ArrayDecl):
            return None
        kind = declaration.type
        if kind.dim is not None:
            return constant(kind.dim, self.program.enumerators)
        items = declaration.init.exprs if isinstance(declaration.init, c_ast.InitList) else []
        return self._initialised(items) or None

    def _initialised(self, items: list[c_ast.Node]) -> int:
        """The length that an initialiser gives its array; 0 if it is not known."""
        position = length = 0
        for item in items:
            if isinstance(item, c_ast.NamedInitializer):
                index = self._designated(item.name[0], [])
                if index is None:
                    return 0
                position = index
            position += 1
            length = max(length, position)
        return length

    def _designated(self, designator: c_ast.Node, members: list[str]) -> int | None:
        """The position that `[index]` or `.member` names."""
        if isinstance(designator, c_ast.ArrayDesignator):
            return constant(designator.expr, self.program.enumerators)
        name = getattr(designator, "name", None)
        return members.index(name) if name in members else None

    def _value_BinaryOp(self, node: c_ast.BinaryOp, state: State) -> Sym:
        length = self._array_length(node)
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
            return _of_reals(node.op, left, right)
        kinds = self.kind(node.left), self.kind(node.right)
        return self.typed_binary(node.op, (left, kinds[0]), (right, kinds[1]), state)

    def typed_binary(self, op: str, left: Typed, right: Typed, state: State) -> Sym:
        """An operator on values whose types are those of their expressions.

        A number does not tell its type: written out it would be an int.
        """
        together = common(left[1], right[1])
        if together is not None and together.real and op not in ("&&", "||"):
            return _of_reals(op, left[0], right[0])
        if isinstance(left[0], Num) and isinstance(right[0], Num):
            return self._of_numbers(op, left, right, state)
        if isinstance(left[0], Num) or isinstance(right[0], Num):
            if op in ("<<", ">>"):
                return self.binary(op, self._as_typed(left), right[0], state)
            return self.binary(op, *self._widened(op, left, right), state)
        return self.binary(op, left[0], right[0], state)

    def _of_numbers(self, op: str, left: Typed, right: Typed, state: State) -> Sym:
        assert isinstance(left[0], Num)
        assert isinstance(right[0], Num)
        number = compute(op, left[0].value, right[0].value)
        if number is not None:
            return Num(number)
        shifts = op in ("<<", ">>")
        together = of_operation(op, left[1], right[1]) if shifts else common(left[1], right[1])
        if together is None:
            return self.unknown()
        return self.binary(op, as_type(left[0], together), right[0], state)

    def _as_typed(self, operand: Typed) -> Sym:
        """A number so that it has its type when it is written out."""
        value, kind = operand
        if not isinstance(value, Num):
            return value
        return as_type(value, kind.promoted) if kind is not None else self.unknown()

    def _widened(self, op: str, left: Typed, right: Typed) -> tuple[Sym, Sym]:
        """A number does not tell its type: the other operand is to have the type of both."""
        together = common(left[1], right[1])
        if together is None:
            number = left if isinstance(left[0], Num) else right
            if op not in ("==", "!=") and (number[1] is None or number[1].is_enum):
                return self.unknown(), self.unknown()
            return left[0], right[0]
        if together.bits < 64 and together.signed:
            return left[0], right[0]
        if isinstance(left[0], Num):
            return number_as(left[0], together), convert(right[0], right[1], together)
        return convert(left[0], left[1], together), number_as(right[0], together)

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

    def as_bool(self, value: Sym, state: State) -> Sym:
        truth = self.truth(value, state)
        if truth is not None:
            return TRUE if truth else FALSE
        return truth_of(value)

    def binary(self, op: str, left: Sym, right: Sym, state: State) -> Sym:
        if isinstance(left, Num) and isinstance(right, Num):
            number = compute(op, left.value, right.value)
            if number is not None:
                return Num(number)
        if op in ("==", "!=") and isinstance(left, Op) and left.name == "?:":
            condition, a, b = left.args
            if not isinstance(a, Literal) and not isinstance(b, Literal):
                first, second = (self.binary(op, side, right, state) for side in (a, b))
                return chosen(condition, first, second)
        if op in ("==", "!="):
            same = self._same(left, right, state)
            if same is not None:
                return TRUE if same == (op == "==") else FALSE
        if isinstance(left, Num) and op in ("==", "!=", "+", "*", "&", "|", "^"):
            left, right = right, left  # constants stand on the right
        if (op in ("+", "-") and right == Num(0)) or (op in ("*", "/") and right == Num(1)):
            return left
        return Op(op, (left, right))

    def _same(self, left: Sym, right: Sym, state: State) -> bool | None:
        """Is one value the other? None: not known."""
        if left == right and not isinstance(left, Unknown | Phi):
            return True
        if isinstance(left, Num) and not isinstance(right, Num):
            left, right = right, left
        if isinstance(right, Num) and state.excludes(left, right.value):
            return False
        if isinstance(left, Ref) and isinstance(right, Ref):
            if left.place.root != right.place.root and is_named(left) and is_named(right):
                return False
            if left.place.root == right.place.root and are_apart(left.place, right.place):
                return False
        return None

    def condition(self, node: c_ast.Node, state: State) -> Sym:
        """The value of an expression whose truth matters."""
        value = self.value(node, state)
        if self._may_be_real(node):
            return state.resolve(_of_reals("!=", value, FALSE))
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

    def truth(self, value: Sym, state: State) -> bool | None:
        value = state.resolve(value)
        if isinstance(value, Num):
            return value.value != 0
        if state.excludes(value, 0):
            return True
        return None

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

    def _value_CompoundLiteral(self, node: c_ast.CompoundLiteral, state: State) -> Sym:
        constant_text = _constant_text(node.init)
        is_array = isinstance(node.type.type, c_ast.ArrayDecl)
        # One of numbers alone has the same value wherever it stands.
        named = f"({type_text(node.type)}){constant_text}"
        made = Literal(named) if constant_text and not is_array else self.unknown()
        place = Place(Pointee(made))
        self.initialise(place, node.init, state, node.type.type)
        if is_array:
            return Ref(place / "[0]")
        return Entry(place) if constant_text else state.read(place)

    def _value_InitList(self, node: c_ast.InitList, state: State) -> Sym:
        for item in node.exprs:
            self.value(item, state)
        return self.unknown()

    def _value_NamedInitializer(self, node: c_ast.NamedInitializer, state: State) -> Sym:
        return self.value(node.expr, state)

    @abstractmethod
    def _value_FuncCall(self, node: c_ast.FuncCall, state: State) -> Sym: ...


def negate(expressions: Expressions, value: Sym, state: State) -> Sym:
    truth = expressions.truth(value, state)
    if truth is not None:
        return FALSE if truth else TRUE
    return truth_of(inverted(value))


def _of_reals(op: str, left: Sym, right: Sym) -> Sym:
    """An operator on real numbers. Nothing is learned from it: 0 may be -0, x may be no number."""
    if op in ("==", "!="):
        left, right = (Literal(str(s)) if isinstance(s, Num) else s for s in (left, right))
    elif op in ORDER:
        return RealOp(op, (left, right))
    elif right == Num(1) and op in ("*", "/"):
        return left
    return Op(op, (left, right))


def _constant_text(init: c_ast.Node) -> str | None:
    """An initialiser in braces if it consists of numbers alone."""
    if isinstance(init, c_ast.Constant):
        return str(init.value)
    if isinstance(init, c_ast.UnaryOp) and init.op in ("-", "+"):
        inner = _constant_text(init.expr)
        return f"{init.op}{inner}" if inner else None
    if isinstance(init, c_ast.InitList):
        parts = [_constant_text(item) for item in init.exprs]
        return "{" + ", ".join(filter(None, parts)) + "}" if all(parts) else None
    return None
