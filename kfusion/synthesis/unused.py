"""Declarations that nothing names any more: only indices did that are written anew."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise

from kfusion.source.lexer import Kind, Token, between_commas, tokenize

_NAME = re.compile(r"[A-Za-z_]\w*")
_HEAD = re.compile(
    r"\s*(?:(?:const|(?:__)?(?:global|local|constant|private))\s+)*"
    r"(?!(?:return|goto|case|else|do|volatile|extern|static)\b)(?:unsigned\s+)?[A-Za-z_]\w*\s*"
)
_DECLARATOR = re.compile(r"\**\s*(?:const\s+)?([A-Za-z_]\w*)\s*=(?!=)(.*)", re.DOTALL)
_PURE = re.compile(r"min|max|clamp|abs|mad24|mul24|select|sizeof|get_\w+|convert_\w+")
_CHANGES = re.compile(r"\+\+|--|[-+*/%&|^]=|<<=|>>=|=")


def without_unused(lines: Sequence[str], hidden: Collection[str]) -> list[str]:
    """`hidden`: names that calls of macros stand for."""
    kept = list(lines)
    while True:
        found = _by_line(kept)
        shorter = [_shorter(line, found[n:], hidden) for n, line in enumerate(kept)]
        if shorter == kept:
            return kept
        kept = [new for old, new in zip(kept, shorter, strict=True) if new or not old]


def names_of(lines: Sequence[str]) -> Iterator[str]:
    """All that they name, also in directives, and as often as they do."""
    return _names(tokenize("\n".join(lines)))


def _names(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        if token.kind is Kind.DIRECTIVE:
            yield from _NAME.findall(token.text)
        elif token.kind is Kind.NAME:
            yield token.text


def _by_line(lines: Sequence[str]) -> list[list[Token]]:
    ends = [*accumulate(len(line) + 1 for line in lines)]
    found: list[list[Token]] = [[] for _ in lines]
    for token in tokenize("\n".join(lines)):
        found[bisect_right(ends, token.start)].append(token)
    return found


def _block(lines: Iterable[Sequence[Token]]) -> Iterator[Token]:
    """To the end of the block that it begins in."""
    depth = 0
    for token in chain.from_iterable(lines):
        depth += (token.text == "{") - (token.text == "}")
        if depth < 0:
            return
        yield token


def _shorter(line: str, following: Sequence[Sequence[Token]], hidden: Collection[str]) -> str:
    """A declaration of variables by values that have no effects, but for those not named in its
    block. `following`: the tokens by line, from this one on."""
    head = _HEAD.match(line)
    if head is None or not line.endswith(";"):
        return line
    tokens = tokenize(line)
    start = next(n for n, token in enumerate(tokens) if token.start >= head.end())
    parts = [tokens[p.start : p.stop] for p in between_commas(tokens, start - 1, len(tokens) - 1)]
    texts = [line[part[0].start : part[-1].end] for part in parts if part]
    found = [(text, _DECLARATOR.fullmatch(text)) for text in texts]
    if not all(each and _has_no_effects(tokenize(each.group(2))) for _, each in found):
        return line
    named = Counter(_names(_block(following)))
    kept = [t for t, d in found if d and (named[d.group(1)] > 1 or d.group(1) in hidden)]
    if len(kept) == len(found):
        return line
    return f"{line[: head.end()]}{', '.join(kept)};" if kept else ""


def _has_no_effects(tokens: Sequence[Token]) -> bool:
    calls = [a for a, b in pairwise(tokens) if b.text == "("]
    pure = all(t.kind is not Kind.NAME or _PURE.fullmatch(t.text) for t in calls)
    return pure and not any(_CHANGES.fullmatch(t.text) or t.text == ";" for t in tokens)
