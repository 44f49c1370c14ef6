"""Types as host files declare them: structs by tag, typedefs by name, members in them."""

from __future__ import annotations

from collections.abc import Iterable

from pycparser import c_ast

from kfusion.parse.unit import Unit


class DeclaredTypes:
    def __init__(self, units: Iterable[Unit]) -> None:
        self._structs: dict[str, c_ast.Struct] = {}
        self._typedefs: dict[str, c_ast.Node] = {}
        self._union_members: set[str | None] = set()
        # Of types that nothing declares, or blocks or files in different ways: what they are
        # here is not known.
        self.opaque: set[str] = set()
        self.ambiguous: set[str] = set()  # the latter, and tags of structs likewise
        for unit in units:
            self.opaque |= unit.opaque_types
            for node in unit.nodes[c_ast.Typedef]:
                first = self._typedefs.setdefault(node.name, node.type)
                if not are_alike(first, node.type):
                    self.ambiguous.add(node.name)
            for kind in (c_ast.Struct, c_ast.Union):
                for node in unit.nodes[kind]:
                    self._add(node)
        self.opaque |= self.ambiguous & self._typedefs.keys()
        for name in self.opaque:  # the parser is told that they are int
            self._typedefs.pop(name, None)
        for name in self.ambiguous:
            self._structs.pop(name, None)

    @property
    def tags(self) -> list[str]:
        """Of structures whose members are known."""
        return [tag for tag, node in self._structs.items() if isinstance(node, c_ast.Struct)]

    def _add(self, node: c_ast.Struct) -> None:
        if node.name and node.decls is not None:
            first = self._structs.setdefault(node.name, node)
            if not are_alike(first, node):
                self.ambiguous.add(node.name)
        if isinstance(node, c_ast.Union):
            self._union_members |= {getattr(d, "name", None) for d in node.decls or []}

    def member(self, type_: c_ast.Node | None, name: str) -> c_ast.Node | None:
        """The type of a member of a struct, or of what a pointer to a struct points to."""
        struct = self._struct(type_)
        if struct is None:
            return None
        declared = next((d for d in struct.decls or [] if getattr(d, "name", None) == name), None)
        return declared.type if declared is not None else None

    def may_be_in_union(self, name: str) -> bool:
        return name in self._union_members

    def is_in_union(self, type_: c_ast.Node | None, name: str) -> bool:
        """Is the member one of a union, named or not?"""
        struct = self._struct(type_)
        if struct is None or isinstance(struct, c_ast.Union):
            return struct is not None
        return all(getattr(d, "name", None) != name for d in struct.decls or [])

    def members(self, type_: c_ast.Node | None) -> list[str]:
        """Names of a struct's members, in order."""
        return [d.name for d in self._declarations(type_) if getattr(d, "name", None)]

    def has_unnamed(self, type_: c_ast.Node | None) -> bool:
        """Has a struct members of members, by an unnamed struct or union?"""
        return any(getattr(d, "name", None) is None for d in self._declarations(type_))

    def _declarations(self, type_: c_ast.Node | None) -> list[c_ast.Node]:
        """Those in a struct itself, and not in one that is pointed to."""
        is_pointer = isinstance(self.resolved(type_), c_ast.PtrDecl)
        struct = None if is_pointer else self._struct(type_)
        return (struct.decls or []) if struct is not None else []

    def resolved(self, type_: c_ast.Node | None) -> c_ast.Node | None:
        """The type behind typedef names."""
        while isinstance(type_, c_ast.TypeDecl) and isinstance(type_.type, c_ast.IdentifierType):
            names = type_.type.names
            if len(names) != 1 or names[0] not in self._typedefs:
                return type_
            type_ = self._typedefs[names[0]]
        return type_

    def is_opaque(self, type_: c_ast.Node | None) -> bool:
        """May the type, or what it points to, be any, though it has a name?"""
        type_ = self.resolved(type_)
        while isinstance(type_, c_ast.PtrDecl | c_ast.ArrayDecl):
            type_ = self.resolved(type_.type)
        inner = getattr(type_, "type", None)
        if isinstance(inner, c_ast.IdentifierType):
            return not self.opaque.isdisjoint(inner.names)
        return getattr(inner, "name", None) in self.ambiguous

    def typedef(self, name: str) -> c_ast.Node | None:
        return self._typedefs.get(name)

    def target(self, type_: c_ast.Node | None) -> c_ast.Node | None:
        """What a pointer points to, or an array holds."""
        type_ = self.resolved(type_)
        return type_.type if isinstance(type_, c_ast.PtrDecl | c_ast.ArrayDecl) else None

    def is_void(self, type_: c_ast.Node | None) -> bool:
        return is_void(self.resolved(type_))

    def _struct(self, type_: c_ast.Node | None) -> c_ast.Struct | None:
        type_ = self.resolved(type_)
        if isinstance(type_, c_ast.PtrDecl):
            type_ = self.resolved(type_.type)
        inner = getattr(type_, "type", None)
        if not isinstance(inner, c_ast.Struct | c_ast.Union):
            return None
        return inner if inner.decls is not None else self._structs.get(inner.name)


def is_void(type_: c_ast.Node | None) -> bool:
    inner = type_.type if isinstance(type_, c_ast.TypeDecl) else None
    return isinstance(inner, c_ast.IdentifierType) and inner.names == ["void"]


def are_alike(one: c_ast.Node, other: c_ast.Node) -> bool:
    """Is it the same declaration, perhaps read a second time, in another file?"""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if any(getattr(one, name) != getattr(other, name) for name in one.attr_names):
        return False
    below, beside = list(one), list(other)
    return len(below) == len(beside) and all(map(are_alike, below, beside))


def named_type(type_: c_ast.Node | None) -> str:
    """The name of the type at the bottom of a declaration: `Vector *v[3]` is a Vector."""
    while isinstance(type_, c_ast.PtrDecl | c_ast.ArrayDecl):
        type_ = type_.type
    inner = getattr(type_, "type", None)
    if isinstance(inner, c_ast.IdentifierType):
        return " ".join(inner.names)
    return f"{type(inner).__name__.lower()} {getattr(inner, 'name', None)}"
