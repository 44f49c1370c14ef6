"""What the files of a C++ unit declare and define, told from tokens.

In: the tokens of a file and its headers. Out: functions, each with the class that it belongs to,
its name and the types of its parameters, and whether a body follows. Types are compared as they
are written: two spellings of one type are taken for two types, which is the safe side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from kfusion.host.closed_headers import closing_of
from kfusion.parse.cpp import CppUnit
from kfusion.parse.syntax import is_name
from kfusion.source.dataclasses import dataclass

_NO_FUNCTION = frozenset(
    "if while for switch catch sizeof alignof alignas decltype noexcept return throw requires "
    "static_assert explicit".split()
)
_ATTRIBUTES = frozenset(("__attribute__", "__declspec", "alignas", "noexcept", "throw", "__asm__"))
_ACCESS = frozenset("public protected private".split())
_CLASSES = ("class", "struct", "union")
_TYPES = frozenset(
    "void bool char short int long float double signed unsigned auto wchar_t char8_t char16_t "
    "char32_t size_t".split()
)
_QUALIFIERS = frozenset("const volatile struct class union enum typename".split())


@dataclass(frozen=True)
class Declared:
    """A function that is declared; `class_` "": it belongs to none."""

    class_: str
    name: str
    parameters: tuple[tuple[str, ...], ...]  # the words of each type

    @property
    def shown(self) -> str:
        return f"{self.class_}::{self.name}" if self.class_ else self.name

    @property
    def is_hidden(self) -> bool:
        """May it be called without its name being written?"""
        return self.name.startswith("operator ") or self.name.lstrip("~") == self.class_


@dataclass(frozen=True)
class Head:
    """What stands in front of `;` or `{`, without attributes."""

    texts: tuple[str, ...]
    class_: str  # that it stands in
    is_body: bool
    inside: bool  # of the body of a function

    @property
    def functions(self) -> Iterator[Declared]:
        """Those that it declares; `T name(3)` is a variable."""
        texts = self.texts
        if {"typedef", "using", "friend"} & set(texts[:1]):
            return
        index = 0
        while index < len(texts):
            if texts[index] == "=" and "operator" not in texts[index - 1 : index]:
                break  # a value, or `= default`, `= delete`, `= 0`
            if texts[index] != "(":
                index += 1
                continue
            start = index
            if texts[index - 1 : index + 2] == ("operator", "(", ")"):
                index += 2
            closing = closing_of(list(texts), index)
            name = _name_before(texts, start)
            listed = _listed(texts[index + 1 : closing])
            typed = self._may_be(start) and not any(map(_is_value, listed))
            if self.inside:
                typed = typed and all(map(_is_type, listed))
            if name is not None and typed:
                qualified = _qualifier(texts, start, name) or self.class_
                yield Declared(qualified, name, tuple(map(_type, listed)))
            index = closing + 1
            if self.class_ and ":" in texts[index : index + 1]:
                break  # a constructor, and what it begins with

    @property
    def declares(self) -> list[str]:
        """Names of variables."""
        texts = self.texts
        if "(" in texts or {"using", "typedef"} & set(texts[:1]):
            return []
        stops = [n for n, text in enumerate(texts) if text in ("=", ",", "[")] + [len(texts)]
        return [texts[n - 1] for n in stops if n]

    def _may_be(self, opening: int) -> bool:
        """In a body a function needs a type in front of its name."""
        before = self.texts[: opening - 1]
        return not self.inside or (bool(before) and (is_name(before[-1]) or before[-1] in "*&>"))

    @property
    def gives(self) -> bool:
        """`= default`, `= delete`, `= 0`: nothing is missing."""
        return any(
            a == "=" and b in ("default", "delete", "0") for a, b in pairwise(self.texts[-2:])
        )


def heads(unit: CppUnit) -> Iterator[Head]:
    texts = [token.text for token in unit.tokens]
    yield from _heads(texts, 0, len(texts), "", inside=False)


def _heads(texts: list[str], first: int, end: int, class_: str, *, inside: bool) -> Iterator[Head]:
    """Of what stands between two tokens, and within its blocks."""
    index = first
    while index < end:
        text = texts[index]
        if text.startswith("#") or (text == ":" and texts[index - 1] in _ACCESS):
            first = index = index + 1
        elif text in ("(", "["):
            closing = min(closing_of(texts, index), end)
            yield from _heads(texts, index + 1, closing, "", inside=True)
            index = closing + 1
        elif text == "}":
            first = index = index + 1
        elif text in ("{", ";"):
            head = _without_attributes(texts[first:index])
            if head:
                yield Head(head, class_, text == "{" and not _is_value_list(head), inside)
            if text == "{":
                closing = min(closing_of(texts, index), end)
                scope = None if inside else _scope_of(head)
                body = inside or scope is None
                yield from _heads(texts, index + 1, closing, scope or "", inside=body)
                index = closing
            first = index = index + 1
        else:
            index += 1


def _is_value_list(head: Sequence[str]) -> bool:
    """`T x = {`"""
    return "=" in head[-1:]


def _without_attributes(texts: Sequence[str]) -> tuple[str, ...]:
    kept: list[str] = []
    index = 0
    while index < len(texts):
        behind = texts[index + 1 : index + 2]
        if texts[index] in _ATTRIBUTES and behind == ["("]:
            index = closing_of(list(texts), index + 1) + 1
        elif texts[index] == "[" and behind == ["["]:
            index = closing_of(list(texts), index) + 1
        elif texts[index] == "template" and behind == ["<"]:
            index = _angle(texts, index + 1)
        else:
            kept.append(texts[index])
            index += 1
    return tuple(kept)


def _angle(texts: Sequence[str], opening: int) -> int:
    """Behind the bracket that closes `<`."""
    depth = 0
    for index in range(opening, len(texts)):
        depth += (texts[index] == "<") - texts[index].count(">") * (set(texts[index]) == {">"})
        if depth <= 0:
            return index + 1
    return len(texts)


def _scope_of(head: Sequence[str]) -> str | None:
    """The class whose body begins, "" of a namespace; None: it is something else."""
    if "namespace" in head or (len(head) == 2 and head[0] == "extern"):
        return ""
    at = next((n for n, text in enumerate(head) if text in _CLASSES), None)
    if at is None or "enum" in head or "=" in head:
        return None
    stop = next((n for n, text in enumerate(head) if text in ("(", ":")), len(head))
    if stop < len(head) and head[stop] == "(":
        return None
    names = [word for word in head[at + 1 : stop] if is_name(word) and word != "final"]
    return names[-1] if names else ""


def _name_before(texts: Sequence[str], opening: int) -> str | None:
    """`f` of `f(`, `~A`, `operator +`."""
    if "operator" in texts[max(opening - 6, 0) : opening]:
        at = max(n for n in range(opening) if texts[n] == "operator")
        return " ".join(["operator", *(texts[at + 1 : opening] or ["()"])])
    name = texts[opening - 1] if opening else ""
    if not is_name(name) or name in _NO_FUNCTION or name in _TYPES:
        return None
    return f"~{name}" if texts[opening - 2 : opening - 1] == ("~",) else name


def _qualifier(texts: Sequence[str], opening: int, name: str) -> str:
    """`A` of `A::f(`; a namespace is taken for a class, too."""
    words = name.count(" ") + 1 + name.startswith("~")
    if name.startswith("operator "):
        words = opening - max(n for n in range(opening) if texts[n] == "operator")
    at = opening - words
    if texts[at - 1 : at] != ("::",):
        return ""
    if texts[at - 2 : at - 1] == (">",):
        opening_angle = max((n for n in range(at) if texts[n] == "<"), default=1)
        return texts[opening_angle - 1]
    return texts[at - 2] if at >= 2 and is_name(texts[at - 2]) else ""


def _listed(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """What stands between commas, outside of other brackets."""
    found: list[tuple[str, ...]] = []
    first = depth = 0
    for index, text in enumerate(texts):
        depth += text in ("(", "[", "{", "<")
        depth -= text in (")", "]", "}") or (set(text) == {">"} and len(text))
        if text == "," and depth <= 0:
            found.append(tuple(texts[first:index]))
            first = index + 1
    rest = tuple(texts[first:])
    return [*found, rest] if rest and rest != ("void",) else found


def _is_value(parameter: Sequence[str]) -> bool:
    """`3`, `"text"`, `-x`: of a variable's beginning, and no type."""
    first = parameter[0] if parameter else ""
    return bool(first) and (first[0].isdigit() or first[0] in "\"'-+!~{(*&")


def _is_type(parameter: Sequence[str]) -> bool:
    """Surely; a single name may be a variable's, too."""
    first, second = (*parameter, "", "")[:2]
    told = first in (_TYPES | _QUALIFIERS | {"std"}) or first.startswith("cl_")
    pointer = parameter[-1:] in (("*",), ("&",), ("&&",))
    return told or first.endswith("_t") or is_name(second) or pointer


def _type(parameter: Sequence[str]) -> tuple[str, ...]:
    """Without a name, and without the value that it may have."""
    words = list(parameter)
    if "=" in words:
        words = words[: words.index("=")]
    array = words.index("[") if "[" in words else len(words)
    words, behind = words[:array], words[array:]
    named = words and is_name(words[-1]) and words[-1] not in (_TYPES | _QUALIFIERS)
    others = [w for w in words[:-1] if w not in _QUALIFIERS]
    if named and others and others[-1] != "::":
        words = words[:-1]
    return (*(w for w in words if w not in ("const", "volatile")), *(["*"] if behind else []))
