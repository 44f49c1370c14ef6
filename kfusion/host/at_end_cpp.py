"""What a C++ file tells, by its tokens, of the variables that `out` and `temp` name."""

from __future__ import annotations

from collections.abc import Sequence

from kfusion.host.region import CppRegion
from kfusion.parse.compiler import STDIN
from kfusion.source.lexer import Kind, Token, matching, tokenize

Given = list[tuple[str, set[str]]]  # what is assigned to what; "" for what is no variable's name

_NO_DECLARATION = frozenset(("<", ":", "*", ".", ">"))
_OPENS_CLASS = frozenset(("class", "struct", "union", "enum", "namespace"))


def handles_in_tokens(region: CppRegion, names: Sequence[str]) -> set[str]:
    """Names that `cl_mem` declares by value, in a block around the region or as a parameter.

    That no other declaration hides them, and that the type is what it seems, is seen by an
    overloaded function when the program is compiled.
    """
    tokens = tokenize(region.plain.text)
    named = {t.text for t in region.unit.tokens if t.file == STDIN}
    found: set[str] = set()
    triples = zip(tokens, tokens[1:], tokens[2:], strict=False)
    references = {c.text for a, b, c in triples if a.kind is Kind.NAME and b.text in ("&", "&&")}
    for index, token in enumerate(tokens):
        if token.start >= region.mark.block.start:
            break
        if token.text != "cl_mem" or (index and tokens[index - 1].text in _NO_DECLARATION):
            continue
        if _is_around(tokens, index, region.mark.block.start):
            found |= set(_declared(tokens, index + 1))
    return {name for name in names if name in found & named - references}


def _declared(tokens: Sequence[Token], index: int) -> list[str]:
    """`a, b = f(x), c` behind the type: names that are no pointers, references or arrays."""
    found: list[str] = []
    while index + 1 < len(tokens):
        name, behind = tokens[index], tokens[index + 1].text
        plain = name.kind is Kind.NAME and behind in (",", ";", "=", ")", "{")
        if plain:
            found.append(name.text)
        while index < len(tokens) and tokens[index].text not in (",", ";", ")"):
            closing = matching(tokens, index) if tokens[index].text in "([{" else None
            index = closing + 1 if closing is not None else index + 1
        if index >= len(tokens) or tokens[index].text != ",":
            break
        index += 1
        if tokens[index].text in ("const", "cl_mem") or tokens[index + 1].kind is Kind.NAME:
            break  # the next parameter
    return found


def _is_around(tokens: Sequence[Token], index: int, place: int) -> bool:
    """Does the declaration stand in a block, or in the head of one, that has the place in it?"""
    depth = 0
    for position in range(index - 1, -1, -1):
        text = tokens[position].text
        depth += (text in ")}]") - (text in "([{")
        if depth >= 0:
            continue
        depth = 0
        if text == "(":  # a parameter: its function's block is the next one
            closing = matching(tokens, position)
            block = closing + 1 if closing is not None else len(tokens)
            while block < len(tokens) and tokens[block].text not in ("{", ";"):
                block += 1
            return block < len(tokens) and _holds(tokens, block, place)
        return text == "{" and _holds(tokens, position, place) and _is_code(tokens, position)
    return True  # a variable of the file


def _holds(tokens: Sequence[Token], opening: int, place: int) -> bool:
    closing = matching(tokens, opening)
    if tokens[opening].text != "{" or closing is None:
        return False
    return tokens[opening].start <= place < tokens[closing].end


def _is_code(tokens: Sequence[Token], opening: int) -> bool:
    """A block of statements, and none of declarations."""
    for position in range(opening - 1, -1, -1):
        text = tokens[position].text
        if text in (";", "{", "}"):
            return True
        if text in _OPENS_CLASS:
            return False
    return True


def given_in_tokens(tokens: Sequence[Token]) -> tuple[Given, set[str]]:
    given: Given = []
    own: set[str] = set()
    for index, token in enumerate(tokens):
        if token.text != "=" or index < 2:
            continue
        target, before = tokens[index - 1], tokens[index - 2]
        plain = target.kind is Kind.NAME and before.text not in (".", "->", ":")
        names: set[str] = set()
        for behind in tokens[index + 1 :]:
            if behind.text in (";", ")"):
                break
            names.add(behind.text)
        given.append((target.text if plain else "", names))
        if plain and before.kind is Kind.NAME:
            own.add(target.text)
    return given, own
