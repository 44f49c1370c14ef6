"""C types, as far as indices and guards need them."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from pycparser import c_ast

from kfusion.kernel.branches import defines_once
from kfusion.parse.unit import Note, Unit
from kfusion.source.dataclasses import dataclass
from kfusion.source.protections import is_on, protection

SETTLED_TYPES = protection("settled-types", "which type a macro is may differ from build to build")

# Width and signedness; size_t is taken as 64 bits wide, and kept apart from ulong as a type.
INTEGERS: dict[str, tuple[int, bool]] = {
    "bool": (8, False),
    "char": (8, True),
    "uchar": (8, False),
    "short": (16, True),
    "ushort": (16, False),
    "int": (32, True),
    "uint": (32, False),
    "long": (64, True),
    "ulong": (64, False),
    "size_t": (64, False),
    "ptrdiff_t": (64, True),
    "intptr_t": (64, True),
    "uintptr_t": (64, False),
}
_WORDS = {
    "_Bool": "bool",
    "char": "char",
    "unsigned char": "uchar",
    "short": "short",
    "unsigned short": "ushort",
    "int": "int",
    "unsigned": "uint",
    "long": "long",
    "unsigned long": "ulong",
}


@cache
def known_size(type_: str) -> int | None:
    """Bytes of a built-in type."""
    match = re.fullmatch(r"([a-z]+?(?:_t)?)(2|3|4|8|16)?", type_)
    if match is None:
        return None
    name, lanes = match.group(1), int(match.group(2) or 1)
    one = {"half": 2, "float": 4, "double": 8}.get(name) or INTEGERS.get(name, (0, True))[0] // 8
    return one * (4 if lanes == 3 else lanes) or None


def size_of(type_: str) -> int:
    """Bytes of a type; of one that is not known, those of a float."""
    return known_size(type_) or 4


_TAGGED = (c_ast.Struct, c_ast.Union, c_ast.Enum)
_TYPE_WORD = re.compile(
    r"(unsigned|signed|const|(char|uchar|short|ushort|int|uint|long|ulong|float|double|half)"
    r"(2|3|4|8|16)?|bool|size_t|ptrdiff_t)"
)


def is_type_word(name: str) -> bool:
    return _TYPE_WORD.fullmatch(name) is not None


def is_unsigned(type_: str) -> bool:
    return type_ in INTEGERS and not INTEGERS[type_][1]


def is_integer(type_: str) -> bool:
    return type_ in INTEGERS


def is_wide(type_: str) -> bool:
    """An integer type that arithmetic leaves as it is."""
    return type_ in INTEGERS and INTEGERS[type_][0] >= 32


_VECTOR = re.compile(r"([a-z]+?)(2|3|4|8|16)")


def vector_of(type_: str) -> tuple[str, int] | None:
    """What a vector of integers consists of, and how many: `int2`."""
    found = _VECTOR.fullmatch(type_)
    if found is None or not is_integer(found.group(1)):
        return None
    return found.group(1), int(found.group(2))


def promoted(type_: str) -> str:
    """The type after C's integer promotion, under the name that stands for its kind."""
    width, signed = INTEGERS[type_]
    if width < 32:
        return "int"
    return {(32, True): "int", (32, False): "uint", (64, True): "long", (64, False): "ulong"}[
        width, signed
    ]


def common(left: str, right: str) -> str:
    """The usual arithmetic conversions; "" if a side is no integer."""
    if left not in INTEGERS or right not in INTEGERS:
        return ""
    order = ["int", "uint", "long", "ulong"]
    return order[max(order.index(promoted(left)), order.index(promoted(right)))]


def canonical(unit: Unit, node: c_ast.Node) -> str:
    """The type of a declaration without qualifiers; pointers and arrays get a mark.

    A structure without a tag is called by its typedef. A name that came through a macro stays as
    written where the type that it stands for may depend on build options: `#if` cannot compare
    types.
    """
    if isinstance(node, c_ast.PtrDecl):
        return canonical(unit, node.type) + "*"
    if isinstance(node, c_ast.ArrayDecl):
        return canonical(unit, node.type) + "[]"
    if isinstance(node, (c_ast.TypeDecl, c_ast.Typename)):
        inner = canonical(unit, node.type)
        nameless = isinstance(node.type, _TAGGED) and not node.type.name
        return f"{inner.split()[0]} of {node.declname}" if nameless else inner
    if isinstance(node, c_ast.IdentifierType):
        return _named(unit, node)
    if isinstance(node, _TAGGED):
        return f"{type(node).__name__.lower()} {node.name}"
    return ""


def type_macro(unit: Unit, index: int) -> str | None:
    """The macro invocation that the token came through, if a type is all that it gives."""
    tokens, macro = unit.tokens, unit.tokens[index].macro
    if macro is None:
        return None
    for step in (-1, 1):
        other = index + step
        while 0 <= other < len(tokens) and tokens[other].macro == macro:
            if not (is_type_word(tokens[other].text) and is_type_word(tokens[index].text)):
                return None  # it gives more than a type, thousands of tokens perhaps
            other += step
    return unit.source.text[macro[0] : macro[1]]


def _open_type(unit: Unit, index: int) -> str | None:
    """The macro invocation that a type came through, if other builds may give another one."""
    written = type_macro(unit, index)
    if written is None or not is_on(SETTLED_TYPES):
        return None
    macro = unit.macros.at_end(written)
    words = macro.body.split() if macro is not None and macro.parameters is None else []
    settled = words and all(map(is_type_word, words)) and defines_once(unit, written)
    return None if settled else written


def _plain_name(node: c_ast.IdentifierType) -> str:
    """ "unsigned long" however it is written."""
    words = [w for w in node.names if w not in ("signed", "int")] or ["int"]
    name = " ".join(sorted(words, reverse=True))
    return _WORDS.get(name, name)


def _named(unit: Unit, node: c_ast.IdentifierType) -> str:
    written = _open_type(unit, unit.index(node))
    if written is not None:
        return written
    name = _plain_name(node)
    return _typedefs(unit).get(name, name)


@dataclass(frozen=True)
class Alias:
    """A typedef of the file; `notes`: its address spaces and attributes."""

    node: c_ast.Node
    notes: tuple[str, ...]

    @property
    def opaque(self) -> bool:
        """With an attribute it is a type of its own: a vector, or aligned otherwise."""
        return any(note.startswith("__attr") for note in self.notes)


@lru_cache(maxsize=16)
def _aliases(unit: Unit) -> dict[str, Alias]:
    found: dict[str, Alias] = {}
    for node in unit.ast.ext:
        if isinstance(node, c_ast.Typedef) and unit.index(node) >= 0:
            notes = tuple(note.text for note in _notes_of(unit, unit.name_index(node.type)))
            found.setdefault(node.name, Alias(node.type, notes))
    return found


def _notes_of(unit: Unit, name: int) -> list[Note]:
    """What was taken out of the declaration of a name."""
    first, last = unit.declaration_start(name), name
    while unit.tokens[last].text not in (";", ",", "=", "{", ")"):
        last += 1
    return unit.notes_between(first, last)


def alias_of(unit: Unit, node: c_ast.Node) -> Alias | None:
    """The typedef that a type is named by."""
    if isinstance(node, c_ast.TypeDecl) and isinstance(node.type, c_ast.IdentifierType):
        return _aliases(unit).get(node.type.names[-1])
    return None


def resolved(unit: Unit, node: c_ast.Node) -> c_ast.Node:
    """The type that the names of typedefs stand for, up to one that is opaque."""
    opaque: c_ast.Node | None = None
    while (alias := alias_of(unit, node)) is not None:
        if alias.opaque and opaque is None:
            opaque = node
        node = alias.node
    return node if opaque is None or isinstance(node, (c_ast.PtrDecl, c_ast.ArrayDecl)) else opaque


def qualifiers(unit: Unit, node: c_ast.Node) -> frozenset[str]:
    """const and volatile, those in typedefs too."""
    found = frozenset(getattr(node, "quals", None) or ())
    alias = alias_of(unit, node)
    return found | qualifiers(unit, alias.node) if alias is not None else found


def without_qualifiers(unit: Unit, name: str) -> str:
    """`typedef const float cf;` gives `float`: whether it is const is for others to say."""
    alias = _aliases(unit).get(name)
    plain = _typedefs(unit).get(name, name)
    return plain if alias is not None and qualifiers(unit, alias.node) else name


def spaces_in_typedefs(unit: Unit, node: c_ast.Node) -> list[str]:
    alias = alias_of(unit, node)
    return [*alias.notes, *spaces_in_typedefs(unit, alias.node)] if alias is not None else []


def _array_depth(unit: Unit, node: c_ast.Node) -> int:
    node = resolved(unit, node)
    return 1 + _array_depth(unit, node.type) if isinstance(node, c_ast.ArrayDecl) else 0


@lru_cache(maxsize=16)
def _array_members(unit: Unit) -> dict[str, int]:
    """Members of structures that are arrays, with the number of their dimensions."""
    found: dict[str, int] = {}
    for structure in (*unit.nodes.get(c_ast.Struct, ()), *unit.nodes.get(c_ast.Union, ())):
        for member in structure.decls or ():
            depth = _array_depth(unit, member.type)
            if depth and member.name:
                found[member.name] = max(depth, found.get(member.name, 0))
    return found


def is_member_array(unit: Unit, node: c_ast.Node) -> bool:
    """`body.position`, if that is an array: by itself it becomes a pointer."""
    subscripts = 0
    while isinstance(node, c_ast.ArrayRef):
        node = node.name
        subscripts += 1
    members = _array_members(unit)
    return isinstance(node, c_ast.StructRef) and subscripts < members.get(node.field.name, 0)


def is_plain_value(unit: Unit, node: c_ast.Node) -> bool:
    """A number, or some in a vector or structure: nothing can be written through it."""
    node = resolved(unit, node)
    if not isinstance(node, c_ast.TypeDecl):
        return False
    if isinstance(node.type, (c_ast.Struct, c_ast.Union)):
        members = _listed(unit, node.type)
        return bool(members) and all(_is_plain_member(unit, m) for m in members)
    if isinstance(node.type, c_ast.Enum):
        return True
    return isinstance(node.type, c_ast.IdentifierType) and all(map(is_type_word, node.type.names))


def members_of(unit: Unit, node: c_ast.Node) -> list[c_ast.Decl]:
    """Of a structure."""
    node = resolved(unit, node)
    structure = node.type if isinstance(node, c_ast.TypeDecl) else None
    if not isinstance(structure, c_ast.Struct):
        return []
    return [m for m in _listed(unit, structure) if isinstance(m, c_ast.Decl)]


def _is_plain_member(unit: Unit, member: c_ast.Node) -> bool:
    node = resolved(unit, member.type) if isinstance(member, c_ast.Decl) else member
    while isinstance(node, c_ast.ArrayDecl):
        node = resolved(unit, node.type)
    return is_plain_value(unit, node)


def _listed(unit: Unit, structure: c_ast.Struct | c_ast.Union) -> list[c_ast.Node]:
    """What stands in its braces, there or elsewhere; nothing, if that is not known."""
    return structure.decls or _members(unit).get(structure.name, [])


@lru_cache(maxsize=16)
def _members(unit: Unit) -> dict[str, list[c_ast.Node]]:
    """The members of structures with a tag; two structures of one tag are not told apart."""
    found: dict[str, list[c_ast.Node]] = {}
    for node in (*unit.nodes.get(c_ast.Struct, ()), *unit.nodes.get(c_ast.Union, ())):
        if node.name and node.decls is not None:
            found.setdefault(node.name, []).extend(node.decls)
    return found


@lru_cache(maxsize=16)
def _typedefs(unit: Unit) -> dict[str, str]:
    """Typedefs of the file itself, resolved."""
    found: dict[str, str] = {}
    for alias, declared in _aliases(unit).items():
        inner = declared.node.type if isinstance(declared.node, c_ast.TypeDecl) else None
        if isinstance(inner, c_ast.IdentifierType) and not declared.opaque:
            name = _open_type(unit, unit.index(inner)) or _plain_name(inner)
            found[alias] = found.get(name, name)
    return found
