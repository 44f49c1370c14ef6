"""Functions of C++ files that a region of C++ calls: where they stand, by tokens alone.

A name may have several functions, and headers may declare more: what a call reaches is told only
if each declaration in sight is that of a function that is found, outside of classes, templates and
namespaces. Then all of them count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kfusion.host.closed_headers import closing_of
from kfusion.parse.compiler import STDIN
from kfusion.parse.cpp import CppUnit
from kfusion.parse.syntax import is_name
from kfusion.source.dataclasses import dataclass
from kfusion.source.lexer import Kind, Token, matching, tokenize
from kfusion.source.text import Span

_NUMBERS = frozenset("void bool char short int long signed unsigned float double size_t".split())
Signature = tuple[tuple[str, ...], ...]  # the types of the parameters


@dataclass(frozen=True)
class CppFunction:
    unit: CppUnit
    name: str
    extent: Span  # with its type, to the closing brace


@dataclass(frozen=True)
class _Head:
    """What stands in front of a `{` or `;` outside of functions and classes."""

    texts: tuple[str, ...]
    own: bool  # in the file itself
    scope: str  # "", "unnamed", "named"
    is_body: bool


def functions_named(name: str, unit: CppUnit, others: Sequence[CppUnit]) -> tuple[CppFunction, ...]:
    """All that a call of this name in the unit may reach; none: it cannot be told."""
    heads = [head for head in _heads(unit) if _tells_of(head, name)]
    here = _signatures(name, heads)
    if here is None or _uses_namespaces(unit):
        return ()
    found = {unit: here.bodies} if here.bodies else {}
    for other in others if here.declared - here.bodies else ():
        heads = [h for h in _heads(other) if _tells_of(h, name) and h.scope != "unnamed"]
        there = _signatures(name, heads) if other is not unit else None
        if there is not None and not any("static" in head.texts for head in heads):
            if there.bodies & here.declared:
                found[other] = there.bodies
    everywhere = frozenset[Signature]().union(*found.values())
    if not here.declared <= everywhere:
        return ()
    functions = [each for one in found for each in _defined(one) if each.name == name]
    is_told = {each.unit for each in functions} == set(found)
    return tuple(functions) if is_told else ()


def _tells_of(head: _Head, name: str) -> bool:
    """Does it name what a call by this name alone may reach? No parameter of a function, and no
    method, `int A::name(int) {`."""
    if name not in head.texts or function_of(head.texts) not in (None, name):
        return False
    at = head.texts.index(name)
    return "using" in head.texts or "(" in head.texts[:at] or head.texts[at - 1 : at] != ("::",)


@dataclass(frozen=True)
class _Signatures:
    declared: frozenset[Signature]
    bodies: frozenset[Signature]


def _signatures(name: str, heads: Sequence[_Head]) -> _Signatures | None:
    """None: something else has the name, too, or a body stands in a header."""
    declared: set[Signature] = set()
    bodies: set[Signature] = set()
    for head in heads:
        signature = _signature(name, head.texts)
        if signature is None or head.scope == "named" or (head.is_body and not head.own):
            return None
        declared.add(signature)
        if head.is_body:
            bodies.add(signature)
    return _Signatures(frozenset(declared), frozenset(bodies)) if heads else None


def _signature(name: str, texts: Sequence[str]) -> Signature | None:
    """Of `static int name(float *x, int n = 1)`."""
    if function_of(texts) != name or texts.count(name) != 1:
        return None
    opening = texts.index("(")
    parts: list[list[str]] = [[]]
    depth = 0
    for text in texts[opening + 1 : closing_of(list(texts), opening)]:
        depth += (text in ("(", "<", "[")) - (text in (")", ">", "]"))
        if text == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(text)
    if parts == [[]] or parts == [["void"]]:
        return ()
    types = [_type(part) for part in parts]
    return tuple(types) if all(types) else None


def _type(part: list[str]) -> tuple[str, ...]:
    """A parameter's type without its name; nothing: it cannot be told."""
    if "=" in part:
        at = part.index("=")
        if len(part) != at + 2:  # a default that may call something
            return ()
        part = part[:at]
    if "(" in part or "..." in part:
        return ()
    if "[" in part:  # `float x[]` is `float *`
        at = part.index("[")
        plain = part.count("[") == 1 and part[-1] == "]" and at > 1 and is_name(part[at - 1])
        return (*part[: at - 1], "*") if plain else ()
    named = len(part) > 1 and is_name(part[-1]) and part[-1] not in _NUMBERS
    return tuple(part[:-1] if named and part[-2] not in ("::", "const") else part)


def function_of(texts: Sequence[str]) -> str | None:
    """The name of the function that a head declares; None: it is something else."""
    if "(" not in texts or {"operator", "template", "typedef", "using", "friend"} & set(texts):
        return None
    opening = texts.index("(")
    closing = closing_of(list(texts), opening)
    typed = opening > 1 and (is_name(texts[opening - 2]) or texts[opening - 2] in ("*", "&", ">"))
    plain = "=" not in texts[:opening] and set(texts[closing + 1 :]) <= {"noexcept"}
    return texts[opening - 1] if typed and plain and is_name(texts[opening - 1]) else None


def _heads(unit: CppUnit) -> list[_Head]:
    found: list[_Head] = []
    scopes: list[str] = []
    texts = [token.text for token in unit.tokens]
    first = index = 0
    while index < len(texts):
        text = texts[index]
        if text.startswith("#"):
            first = index + 1
        elif text in ("{", "}", ";"):
            head = tuple(texts[first:index])
            scope = next((each for each in ("named", "unnamed") if each in scopes), "")
            if head:
                found.append(_Head(head, unit.tokens[index].file == STDIN, scope, text == "{"))
            if text == "}" and scopes:
                scopes.pop()
            elif text == "{" and _scope(head):
                scopes.append(_scope(head))
            elif text == "{":
                index = closing_of(texts, index)
            first = index + 1
        index += 1
    return found


def _scope(head: Sequence[str]) -> str:
    """What a brace begins; "": a function, a class, or the like."""
    if "namespace" in head:
        return "unnamed" if head[-1] == "namespace" else "named"
    return "linkage" if len(head) == 2 and head[0] == "extern" else ""


def _uses_namespaces(unit: CppUnit) -> bool:
    """Of a library, whose functions may have the same names."""
    texts = [token.text for token in unit.tokens]
    return any(
        texts[index : index + 2] == ["using", "namespace"]
        and texts[index + 2 : index + 4] != ["std", ";"]
        for index in range(len(texts))
    )


def _defined(unit: CppUnit) -> Iterator[CppFunction]:
    """The functions of the file itself, as they are written: under all conditions."""
    tokens = tokenize(unit.plain.text)
    first = index = 0
    while index < len(tokens):
        token = tokens[index]
        if token.kind is Kind.DIRECTIVE:
            first = index + 1
        elif token.text in ("{", "}", ";"):
            head = tokens[first:index]
            if token.text == "{" and not _scope([each.text for each in head]):
                end = matching(tokens, index)
                if end is None:
                    return
                name = function_of(_joined(head))
                if name is not None:
                    yield CppFunction(unit, name, Span(unit.plain, head[0].start, tokens[end].end))
                index = end
            first = index + 1
        index += 1


def _joined(head: Sequence[Token]) -> list[str]:
    """With `::` as one word, as behind the preprocessor."""
    result: list[str] = []
    for token in head:
        if token.text == ":" and result[-1:] == [":"]:
            result[-1] = "::"
        else:
            result.append(token.text)
    return result
