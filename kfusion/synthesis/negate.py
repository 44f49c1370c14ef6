"""The opposite of a condition, written as one would."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kfusion.parse.preprocess import PToken
from kfusion.source.lexer import closing_round
from kfusion.synthesis.render import Change, Renderer

_EQUALITY = {"==": "!=", "!=": "=="}  # also of numbers that are not ordered
_OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
# What binds closer than a comparison: with these around it, it is still one comparison.
_OPERAND = re.compile(r"[\w.]+|'.*'|->|<<|>>|\+\+|--|[-+*/%!~]")


def negated(
    renderer: Renderer,
    first: int,
    last: int,
    changes: Mapping[int, Change],
    *,
    exact: bool,
) -> str:
    """`i >= n || j >= m` becomes `i < n && j < m`, if that is `exact` (integers only)."""
    tokens = renderer.unit.tokens
    if all(t.start >= 0 for t in tokens[first : last + 1]):
        if tokens[first].text == "!" and closing_round(tokens, first + 1) == last:
            inner = {tokens[i].text for i in _top_level(tokens, first + 2, last - 1)}
            if inner.isdisjoint(("=", ",")):
                return renderer.render(first + 2, last - 1, changes)
        flipped = _flipped(tokens, first, last, _OPPOSITE if exact else _EQUALITY)
        if flipped is not None:
            return renderer.render(first, last, {**changes, **flipped})
    return f"!({renderer.render(first, last, changes)})"


def _flipped(
    tokens: list[PToken], first: int, last: int, opposite: Mapping[str, str]
) -> dict[int, Change] | None:
    """The operators to replace, if the condition is made of comparisons and `||` alone."""
    top = _top_level(tokens, first, last)
    bars = [i for i in top if tokens[i].text == "||"]
    found: dict[int, Change] = {}
    starts = [first, *(i + 1 for i in bars)]
    for start, end in zip(starts, [*(i - 1 for i in bars), last], strict=True):
        if closing_round(tokens, start) == end:
            inner = _flipped(tokens, start + 1, end - 1, opposite)
        else:
            inner = _comparison([i for i in top if start <= i <= end], tokens, opposite)
        if inner is None:
            return None
        found |= inner
    return {**found, **{i: Change(i, "&&") for i in bars}}


def _comparison(
    top: list[int], tokens: list[PToken], opposite: Mapping[str, str]
) -> dict[int, Change] | None:
    """The one operator that decides, if nothing binds as loosely as it does."""
    others = [i for i in top if not _OPERAND.fullmatch(tokens[i].text)]
    if len(others) != 1 or tokens[others[0]].text not in opposite:
        return None
    at = others[0]
    return {at: Change(at, opposite[tokens[at].text])}


def _top_level(tokens: list[PToken], first: int, last: int) -> list[int]:
    """Tokens outside of all brackets."""
    found: list[int] = []
    depth = 0
    for index in range(first, last + 1):
        text = tokens[index].text
        if text in ("(", "["):
            depth += 1
        elif text in (")", "]"):
            depth -= 1
        elif depth == 0:
            found.append(index)
    return found
