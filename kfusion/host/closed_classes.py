"""Members of the program's own C++ classes that hold numbers: to name one calls nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from kfusion.parse.syntax import is_name

_OPENING, _CLOSING = ("(", "{", "["), (")", "}", "]")
_SMART = frozenset(("unique_ptr", "shared_ptr"))
_ACCESS = frozenset("public protected private".split())
_BEFORE = frozenset("const volatile mutable struct enum".split())

IsNumber = Callable[[str], bool]


def number_members(texts: Sequence[str], is_number: IsNumber) -> dict[str, frozenset[str]]:
    """By the class. `texts`: the tokens of a file with its headers; `is_number`: is a type by this
    name one of numbers? Not classes with bases, whose members are not all seen, nor templates, nor
    those with an `operator->`, nor names that several classes have."""
    found: dict[str, list[frozenset[str]]] = {}
    for index in range(len(texts) - 2):
        if texts[index] not in ("class", "struct", "union") or not is_name(texts[index + 1]):
            continue
        name, opening = texts[index + 1], index + 2
        if texts[opening] == "final":
            opening += 1
        if texts[opening] in ("{", ":"):
            inside = list(_inside(texts, opening)) if texts[opening] == "{" else []
            plain = texts[index - 1] != ">" and not _has_arrow(inside)
            members = _members(inside, is_number) if plain else ()
            found.setdefault(name, []).append(frozenset(members))
    return {name: each[0] for name, each in found.items() if len(each) == 1}


def named_objects(texts: Sequence[str]) -> frozenset[str]:
    """Names that stand somewhere without brackets behind them: they are not functions alone."""
    return frozenset(a for a, b in pairwise(texts) if b != "(" and is_name(a))


def smart_pointers(texts: Sequence[str]) -> frozenset[str]:
    """Names of types whose `get()` gives a plain pointer, and calls nothing: the standard library's
    and their aliases. None, if a class says itself what `pointer` is."""
    if "pointer" in texts:
        return frozenset()
    found: dict[str, list[bool]] = {}
    for index in range(len(texts) - 6):
        if texts[index] == "using" and texts[index + 2] == "=":
            of_std = (
                list(texts[index + 3 : index + 5]) == ["std", "::"] and texts[index + 5] in _SMART
            )
            found.setdefault(texts[index + 1], []).append(of_std)
    return _SMART | {name for name, each in found.items() if all(each)}


def _inside(texts: Sequence[str], opening: int) -> Iterator[str]:
    depth = 0
    for index in range(opening, len(texts)):
        depth += (texts[index] in _OPENING) - (texts[index] in _CLOSING)
        if depth == 0:
            return
        if index > opening:
            yield texts[index]


def _has_arrow(inside: list[str]) -> bool:
    return any(inside[i : i + 2] == ["operator", "->"] for i in range(len(inside)))


def _members(inside: list[str], is_number: IsNumber) -> Iterator[str]:
    for declaration in _declarations(inside):
        words = [word for word in declaration if word not in _BEFORE]
        typed = 0
        while typed < len(words) and is_number(words[typed]):
            typed += 1
        if typed == 0 or words[0] == "typedef":
            continue
        for part in _parts(words[typed:]):
            names = [word for word in part if word != "*"]
            if (
                names
                and is_name(names[0])
                and (len(names) == 1 or names[1] in ("=", "[", "{", ":"))
            ):
                yield names[0]


def _declarations(inside: list[str]) -> Iterator[list[str]]:
    """The statements of a class, without bodies of functions and what is in other brackets."""
    statement: list[str] = []
    depth = 0
    for text in inside:
        depth -= text in _CLOSING
        if depth == 0:
            if text == ":" and len(statement) == 1 and statement[0] in _ACCESS:
                statement = []
                continue
            statement.append(text)
            if text == ";" or (text == "}" and "(" in statement and "=" not in statement):
                yield [each for each in statement if each not in ("std", "::", ";")]
                statement = []
        depth += text in _OPENING


def _parts(words: list[str]) -> Iterator[list[str]]:
    """Between commas: what stood in brackets is not among the words."""
    part: list[str] = []
    for word in words:
        if word == ",":
            yield part
            part = []
        else:
            part.append(word)
    yield part
