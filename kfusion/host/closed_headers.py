"""What the headers of a C++ file may put behind names and operators of its regions.

A function that a header of the program defines is compiled in front of the include, so nothing
settles in it; and an overload, or an operator for types of C, is called by text that looks as if
it called a function of a C file, or none. So a name of a region has to be declared as a function of
C everywhere, or nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Set

from kfusion.parse.cpp import CppUnit
from kfusion.parse.syntax import is_name

_STREAMS = frozenset(("ostream", "istream", "iostream"))
_SCOPES = frozenset(("namespace", '"C"', '"C++"'))
_SPELLED = {
    "and": "&&", "or": "||", "not": "!", "bitor": "|", "bitand": "&", "xor": "^", "compl": "~",
    "not_eq": "!=", "and_eq": "&=", "or_eq": "|=", "xor_eq": "^=",
}  # fmt: skip


def plain_operator(text: str) -> str:
    return _SPELLED.get(text, text)


def ambiguous(unit: CppUnit) -> frozenset[str]:
    """Names that the file or a header declares otherwise than as a function with C's linkage."""
    named: set[str] = set()
    texts = [token.text for token in unit.tokens]
    scopes: list[str] = []  # "C", "namespace", or something whose names are its own
    first = index = 0
    while index < len(texts):
        text = texts[index]
        if text not in ("{", "}", ";"):
            index += 1
            continue
        head = texts[first:index]
        if set(scopes) <= {"C", "namespace"}:
            is_c = "namespace" not in scopes and ("C" in scopes or '"C"' in head)
            if not (is_c and text == ";" and _prototype(head)):
                named |= {word for word in head if is_name(word)}
        if text == "{":
            scope = "namespace" if "namespace" in head else "C" if head[-1:] == ['"C"'] else "own"
            scopes.append(scope)
        elif text == "}" and scopes:
            scopes.pop()
        first = index = index + 1
    return frozenset(named)


def _prototype(head: list[str]) -> bool:
    """Does the declaration declare a function, and nothing else?"""
    while "__attribute__" in head:
        at = head.index("__attribute__")
        head = head[:at] + head[closing_of(head, at + 1) + 1 :]
    if "(" not in head or "=" in head or "operator" in head or "template" in head:
        return False
    opening = head.index("(")
    named = opening > 1 and is_name(head[opening - 1])
    typed = named and (is_name(head[opening - 2]) or head[opening - 2] == "*")
    return typed and closing_of(head, opening) == len(head) - 1


def operators_of(unit: CppUnit, types: Set[str]) -> frozenset[str]:
    """Operators that the program may have for operands of C: those of namespaces, unless one
    operand is a stream, or of a class that knows nothing of C's types."""
    texts = [token.text for token in unit.tokens]
    foreign = _foreign(texts, types)
    found: set[str] = set()
    scopes: list[bool] = []  # is it one of functions and operators of namespaces?
    for index, text in enumerate(texts):
        if text == "{":
            scopes.append(bool(_SCOPES & set(texts[max(index - 4, 0) : index])))
        elif text == "}" and scopes:
            scopes.pop()
        elif text == "operator" and all(scopes) and texts[index + 1] not in ("(", "[", "->"):
            opening = index + 2 if texts[index + 1] != "(" else index + 3
            parameters = set(texts[opening : closing_of(texts, opening)])
            if not parameters & (_STREAMS | foreign):
                found.add(plain_operator(texts[index + 1]))
    return frozenset(found)


def is_plain_output(unit: CppUnit) -> bool:
    """Does `std::cerr << number` call nothing of the program? Not an operator of its own, nor a
    buffer that it has given to the stream."""
    texts = [token.text for token in unit.tokens]
    for name, first, second in zip(texts, texts[1:], texts[2:], strict=False):
        if "streambuf" in name or (name == "operator" and first == "<<"):
            return False
        if name == "rdbuf" and (first, second) != ("(", ")"):
            return False
    return True


def can_leave_by(name: str, unit: CppUnit) -> bool:
    """May a macro stand for such a function, `exit`? It has to be called wherever it is named."""
    if name in unit.macros or re.search(rf"#\s*undef\s+{name}\b", unit.source.text):
        return False
    texts = ["", "", *(token.text for token in unit.tokens), "", ""]
    for index, text in enumerate(texts):
        if text != name:
            continue
        before, behind = texts[index - 1], texts[index + 1 : index + 3]
        named = is_name(before) and before not in ("else", "do", "return")
        scope = before == "::" and is_name(texts[index - 2]) and texts[index - 2] != "std"
        if (
            named
            or scope
            or before in ("~", ".", "->", "*", "&")
            or behind[0] != "("
            or behind[1] in (")", "{")
        ):
            return False
    return True


def _foreign(texts: list[str], types: Set[str]) -> frozenset[str]:
    """Classes of which no constructor takes a type of C."""
    found: set[str] = set()
    for index, text in enumerate(texts[:-2]):
        if text in ("class", "struct") and is_name(texts[index + 1]):
            opening = index + 2
            while opening < len(texts) and texts[opening] not in ("{", ";", "(", ")", ">"):
                opening += 1
            if texts[opening : opening + 1] == ["{"]:
                inside = texts[opening : closing_of(texts, opening)]
                if types.isdisjoint(inside) and "template" not in (*inside, texts[index - 1]):
                    found.add(texts[index + 1])
    return frozenset(found - types)


def closing_of(texts: list[str], opening: int) -> int:
    depth = 0
    for index in range(opening, len(texts)):
        depth += (texts[index] in ("(", "{", "[")) - (texts[index] in (")", "}", "]"))
        if depth == 0:
            return index
    return len(texts)
