"""Initialisers in braces, and the arrays and compound literals that they fill.

An initialiser comes in, with the place that it is for and its type; what elements and members
hold then goes into the state. Which of them an item is for (by its position, by an index, by a
member's name) and how long an array is that has no other length is for this module alone.
"""

from __future__ import annotations

from pycparser import c_ast

from kfusion.host.program import constant
from kfusion.host.record import Recorder
from kfusion.host.symbolic import FALSE, Place, Pointee, Ref, Sym
from kfusion.host.types import are_alike
from kfusion.parse.unit import argument_of

_DESCRIPTION = ("buffer", "mem_object")  # of cl_image_desc: what an image lies over, if not NULL


class Initialisers(Recorder):
    """What initialisers put into the places that they are for."""

    def initialise(self, place: Place, init: c_ast.Node, type_: c_ast.Node | None) -> None:
        """An initialiser in braces: elements by position or index, members by place or name."""
        types = self.program.types
        if not isinstance(init, c_ast.InitList):
            self.state.write(place, self.arithmetic(type_, self.value(init)))
            return
        members = types.members(type_)
        self.state.write(place, self.unknown())
        position = 0
        listed: list[str] = []
        for item in init.exprs:
            if isinstance(item, c_ast.NamedInitializer):
                number = self._designated(item.name[0], members)
                if len(item.name) > 1 or number is None:
                    self.state.write(place, self.unknown())
                    return
                position, item = number, item.expr
            if members and position < len(members):
                step, inner = members[position], types.member(type_, members[position])
            else:
                step, inner = f"[{position}]", types.target(type_)
            if self._is_part(item, inner):  # which one depends on the sizes of those before
                self.state.write(place, self.unknown())
                if len(init.exprs) == 1 and self.value(item) == FALSE:  # `= {0}`
                    self.clear(place, type_, [])
                return
            self.initialise(place / step, item, inner)
            listed.append(step)
            position += 1
        self.clear(place, type_, listed)

    def clear(self, place: Place, type_: c_ast.Node | None, listed: list[str]) -> None:
        """Members that are not listed are zero."""
        types = self.program.types
        names = getattr(getattr(type_, "type", None), "names", None)
        members = _DESCRIPTION if names == ["cl_image_desc"] else types.members(type_)
        for member in members:
            if member not in listed:
                inner = types.member(type_, member)
                if types.members(inner):
                    self.clear(place / member, inner, [])
                elif not isinstance(types.resolved(inner), c_ast.ArrayDecl):
                    self.state.write(place / member, FALSE)

    def _is_part(self, item: c_ast.Node, type_: c_ast.Node | None) -> bool:
        """Is the item not for the whole element, whose own braces are left out?"""
        types = self.program.types
        if isinstance(item, c_ast.InitList):
            return False
        if isinstance(types.resolved(type_), c_ast.ArrayDecl):
            return not (isinstance(item, c_ast.Constant) and item.type == "string")
        return isinstance(item, c_ast.Constant) and bool(types.members(type_))

    def array_length(self, node: c_ast.BinaryOp) -> int | None:
        """n in `sizeof a / sizeof a[0]`, for an array whose declaration is seen, and in
        `sizeof((T[]){a, b}) / sizeof(T)`."""
        if node.op != "/" or not (_is_sizeof(node.left) and _is_sizeof(node.right)):
            return None
        whole, element = node.left.expr, node.right.expr
        if isinstance(whole, c_ast.CompoundLiteral) and isinstance(element, c_ast.Typename):
            return self._literal_length(whole, element.type)
        inner = getattr(element, "name", None) or getattr(element, "expr", None)
        if not (isinstance(whole, c_ast.ID) and isinstance(inner, c_ast.ID)):
            return None
        declared = self.declaration(whole.name)
        if whole.name != inner.name or declared is None:
            return None
        if not isinstance(declared.type, c_ast.ArrayDecl):
            return None
        if (size := declared.type.dim) is not None:
            known = constant(size, self.program.enumerators)
            of_another = known is None and isinstance(size, c_ast.BinaryOp)
            return self.array_length(size) if of_another else known
        return len(declared.init.exprs) if isinstance(declared.init, c_ast.InitList) else None

    def _literal_length(self, literal: c_ast.CompoundLiteral, element: c_ast.Node) -> int | None:
        array, items = literal.type.type, literal.init.exprs
        if not isinstance(array, c_ast.ArrayDecl) or array.dim is not None:
            return None
        inner = self.program.types.members(array.type)  # whose braces may be left out
        if inner or any(isinstance(i, (c_ast.NamedInitializer, c_ast.InitList)) for i in items):
            return None
        return len(items) if are_alike(array.type, element) else None

    def _designated(self, designator: c_ast.Node, members: list[str]) -> int | None:
        """The position that `[index]` or `.member` names."""
        if isinstance(designator, c_ast.ArrayDesignator):
            return constant(designator.expr, self.program.enumerators)
        name = getattr(designator, "name", None)
        return members.index(name) if name in members else None

    def _value_CompoundLiteral(self, node: c_ast.CompoundLiteral) -> Sym:
        place = Place(Pointee(self.unknown()))
        self.initialise(place, node.init, node.type.type)
        if isinstance(node.type.type, c_ast.ArrayDecl):
            return Ref(place / "[0]")
        return self.state.read(place)

    def clear_memory(self, node: c_ast.FuncCall, arguments: list[Sym]) -> None:
        """`memset(&shape, 0, sizeof shape)`"""
        size = argument_of(node, 2)
        if size is not None and _is_sizeof(size) and arguments[1] == FALSE:
            sized = size.expr
            type_ = sized.type if isinstance(sized, c_ast.Typename) else self.type_of(sized)
            self.clear(self.target(arguments[0]), type_, [])


def _is_sizeof(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.UnaryOp) and node.op == "sizeof"
