"""What a text says through macros: the names and jumps that their bodies bring along.

    #define CL(x) do { err = (x); if (err) return err; } while (0)

A statement `CL(clFinish(queue));` uses `err`, though it does not show.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from kfusion.parse.macros import Macro, MacroTable
from kfusion.regenerate.cwords import names_of
from kfusion.source.lexer import Kind, Token, tokenize

_NOT_TYPES = frozenset("return goto else case do sizeof typeof _Alignof".split())


def hidden_names(text: str, macros: MacroTable) -> set[str]:
    """Names in the bodies of the macros that the text uses, but for the macros' own."""
    result: set[str] = set()
    for macro in _used(text, macros):
        result |= names_of(" " + macro.body) - set(macro.parameters or ()) - _own(macro)
    return result


def all_names(text: str, macros: MacroTable) -> set[str]:
    return names_of(text) | hidden_names(text, macros)


def jumps(text: str, macros: MacroTable) -> set[str]:
    """Labels that the text jumps to, by macros too."""
    texts = [text, *(" " + macro.body for macro in _used(text, macros))]
    return {b.text for t in texts for a, b in pairwise(tokenize(t)) if a.text == "goto"}


def _used(text: str, macros: MacroTable) -> Iterator[Macro]:
    """The macros that the text uses, and those that they use."""
    waiting, seen = list(names_of(text)), set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for _, macro in macros.history.get(name, ()):
            if macro is not None:
                yield macro
                waiting += names_of(" " + macro.body)


def _own(macro: Macro) -> set[str]:
    """Variables that the body declares in a block of its own: `{ cl_int e = (x); ... }`."""
    tokens = tokenize(" " + macro.body)
    return {
        token.text
        for before, token in pairwise(tokens)
        if token.kind is Kind.NAME and macro.parameters is not None and _is_type(before)
    } & _in_block(tokens)


def _is_type(token: Token) -> bool:
    return token.kind is Kind.NAME and token.text not in _NOT_TYPES


def _in_block(tokens: Sequence[Token]) -> set[str]:
    opening = next((i for i, t in enumerate(tokens) if t.text == "{"), len(tokens))
    before = {t.text for t in tokens[:opening]}
    return {t.text for t in tokens[opening:]} - before
