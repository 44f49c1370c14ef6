"""Initialisers in braces, and the arrays and compound literals that they fill.

An initialiser comes in, with the place that it is for and its type; what elements and members
hold then goes into the state. Which of them an item is for (by its position, by an index, by a
member's name) and how long an array is that has no other length is for this module alone.
"""

from __future__ import annotations

from pycparser import c_ast

from kfusion.host.conversions import arithmetic
from kfusion.host.descriptions import clear
from kfusion.host.kinds import Kinds
from kfusion.host.operators import is_name, is_sizeof, type_text
from kfusion.host.program import constant
from kfusion.host.symbolic import Entry, Literal, Place, Pointee, Ref, State, Sym


class Initialisers(Kinds):
    """What initialisers put into the places that they are for."""

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
        clear(place, type_, state, types, listed)

    def _is_part(self, item: c_ast.Node, type_: c_ast.Node | None) -> bool:
        """Is the item not for the whole element, whose own braces are left out?"""
        types = self.program.types
        if isinstance(item, c_ast.InitList):
            return False
        if isinstance(types.resolved(type_), c_ast.ArrayDecl):
            return not (isinstance(item, c_ast.Constant) and item.type == "string")
        is_number = self.kind(item) is not None or isinstance(item, c_ast.Constant)
        return is_number and bool(types.members(type_))

    def array_length(self, node: c_ast.BinaryOp) -> int | None:
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
