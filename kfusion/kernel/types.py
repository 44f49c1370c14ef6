"""C types, as far as indices and guards need them."""

from __future__ import annotations

import re
from functools import lru_cache

from pycparser import c_ast

from kfusion.parse.unit import Unit

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
    "signed char": "char",
    "unsigned char": "uchar",
    "short": "short",
    "unsigned short": "ushort",
    "int": "int",
    "signed": "int",
    "unsigned": "uint",
    "unsigned int": "uint",
    "long": "long",
    "unsigned long": "ulong",
}


def size_of(type_: str) -> int:
    """Bytes of a type; of one that is not known, those of a float."""
    match = re.fullmatch(r"([a-z]+?(?:_t)?)(2|3|4|8|16)?", type_)
    if match is None:
        return 4
    name, lanes = match.group(1), int(match.group(2) or 1)
    one = {"half": 2, "float": 4, "double": 8}.get(name) or INTEGERS.get(name, (32, True))[0] // 8
    return one * (4 if lanes == 3 else lanes)


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

    A name that came through a macro stays as written: which type it stands for may
    depend on build options, and `#if` cannot compare types.
    """
    if isinstance(node, c_ast.PtrDecl):
        return canonical(unit, node.type) + "*"
    if isinstance(node, c_ast.ArrayDecl):
        return canonical(unit, node.type) + "[]"
    if isinstance(node, c_ast.TypeDecl):
        return canonical(unit, node.type)
    if isinstance(node, c_ast.Typename):
        return canonical(unit, node.type)
    if isinstance(node, c_ast.IdentifierType):
        return _named(unit, node)
    if isinstance(node, (c_ast.Struct, c_ast.Union, c_ast.Enum)):
        return f"{type(node).__name__.lower()} {node.name}"
    return ""


def type_macro(unit: Unit, index: int) -> str | None:
    """The macro invocation that the token came through, if a type is all that it gives."""
    macro = unit.tokens[index].macro
    if macro is None:
        return None
    first = last = index
    while first > 0 and unit.tokens[first - 1].macro == macro:
        first -= 1
    while last + 1 < len(unit.tokens) and unit.tokens[last + 1].macro == macro:
        last += 1
    words = [t.text for t in unit.tokens[first : last + 1]]
    if len(words) > 1 and not all(is_type_word(word) for word in words):
        return None
    return unit.source.text[macro[0] : macro[1]]


def _named(unit: Unit, node: c_ast.IdentifierType) -> str:
    written = type_macro(unit, unit.index(node))
    if written is not None:
        return written
    words = [w for w in node.names if w not in ("signed", "int")] or list(node.names)
    if words in (["signed", "int"], ["int", "signed"]):
        words = ["int"]
    if "char" in words and "signed" in node.names:
        words = ["char"]
    name = " ".join(sorted(words, reverse=True))  # "unsigned long" however it is written
    name = _WORDS.get(name, name)
    return _typedefs(unit).get(name, name)


@lru_cache(maxsize=16)
def _typedefs(unit: Unit) -> dict[str, str]:
    """Typedefs of the file itself, resolved."""
    found: dict[str, str] = {}
    for node in unit.ast.ext:
        if isinstance(node, c_ast.Typedef) and unit.index(node) >= 0:
            inner = node.type.type if isinstance(node.type, c_ast.TypeDecl) else None
            if isinstance(inner, c_ast.IdentifierType):
                name = " ".join(sorted(inner.names, reverse=True))
                name = type_macro(unit, unit.index(inner)) or _WORDS.get(name, name)
                found[node.name] = found.get(name, name)
    return found
