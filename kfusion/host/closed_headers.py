"""What the headers of a C++ file may put behind names and operators of its regions.

A function that a header of the program defines is compiled in front of the include, so nothing
settles in it; and an overload, or an operator for types of C, is called by text that looks as if
it called a function of a C file, or none.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import pairwise

from kfusion.parse.compiler import STDIN
from kfusion.parse.cpp import CppUnit
from kfusion.parse.syntax import is_name

_STREAMS = frozenset(("ostream", "istream", "iostream"))
_SCOPES = frozenset(("namespace", '"C"', '"C++"'))


def ambiguous(unit: CppUnit) -> frozenset[str]:
    """Names that headers define as functions or objects, or declare with several lists of
    parameters."""
    lists: dict[str, set[tuple[str, ...]]] = {}
    found: set[str] = set()
    texts = [token.text for token in unit.tokens]
    for index, token in enumerate(unit.tokens):
        if token.file == STDIN or not is_name(token.text) or index == 0:
            continue
        before, behind = texts[index - 1], texts[index + 1 : index + 2]
        declares = is_name(before) or before in ("*", "&", ">")
        if behind == ["("] and declares and before not in ("return", "else"):
            end = _closing(texts, index + 1)
            lists.setdefault(token.text, set()).add(tuple(texts[index + 2 : end]))
            if _has_body(texts, end):
                found.add(token.text)
        elif declares and behind and behind[0] in (";", "=", "{", "["):
            found.add(token.text)  # an object: its type may have conversions
    return frozenset(found | {name for name, each in lists.items() if _differ(each)})


def _differ(lists: Set[tuple[str, ...]]) -> bool:
    """Are there functions of other types? Names of parameters may differ, and lack."""
    return len({tuple(_types(each)) for each in lists}) > 1


def _types(parameters: tuple[str, ...]) -> Iterator[str]:
    """Without the names of the parameters."""
    for word, behind in pairwise((*parameters, ",")):
        if not (is_name(word) and behind in (",", "[", "=")) or word in _LAST_WORDS:
            yield word


_LAST_WORDS = frozenset("void int char short long float double bool unsigned signed".split())


def _has_body(texts: list[str], index: int) -> bool:
    """Behind the brackets of the parameters."""
    while index + 1 < len(texts) and texts[index + 1] in ("const", "noexcept", "throw", "(", ")"):
        index += 1
    return texts[index + 1 : index + 2] in (["{"], ["->"], ["try"])


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
        elif text == "operator" and all(scopes):
            opening = index + 2 if texts[index + 1] != "(" else index + 3
            parameters = set(texts[opening : _closing(texts, opening)])
            if not parameters & (_STREAMS | foreign):
                found.add(texts[index + 1])
    return frozenset(found)


def _foreign(texts: list[str], types: Set[str]) -> frozenset[str]:
    """Classes of which no constructor takes a type of C."""
    found: set[str] = set()
    for index, text in enumerate(texts[:-2]):
        if text in ("class", "struct") and is_name(texts[index + 1]):
            opening = index + 2
            while opening < len(texts) and texts[opening] not in ("{", ";", "(", ")", ">"):
                opening += 1
            if texts[opening : opening + 1] == ["{"]:
                inside = texts[opening : _closing(texts, opening)]
                if types.isdisjoint(inside) and "template" not in (*inside, texts[index - 1]):
                    found.add(texts[index + 1])
    return frozenset(found - types)


def _closing(texts: list[str], opening: int) -> int:
    depth = 0
    for index in range(opening, len(texts)):
        depth += (texts[index] in ("(", "{", "[")) - (texts[index] in (")", "}", "]"))
        if depth == 0:
            return index
    return len(texts)
