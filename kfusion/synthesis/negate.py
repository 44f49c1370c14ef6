"""The opposite of a condition, written as one would."""

from __future__ import annotations

from collections.abc import Mapping

from kfusion.parse.preprocess import PToken
from kfusion.synthesis.render import Change, Renderer

_EQUALITY = {"==": "!=", "!=": "=="}  # also of numbers that are not ordered
_OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}


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
        flipped = _flipped(tokens, first, last, _OPPOSITE if exact else _EQUALITY)
        if flipped is not None:
            return renderer.render(first, last, {**changes, **flipped})
    return f"!({renderer.render(first, last, changes)})"


def _flipped(
    tokens: list[PToken], first: int, last: int, opposite: Mapping[str, str]
) -> dict[int, Change] | None:
    """The operators to replace, if all of them have an opposite."""
    top = _top_level(tokens, first, last)
    texts = {tokens[i].text for i in top}
    if texts & {"?", "&&", "=", ","}:
        return None
    bars = [i for i in top if tokens[i].text == "||"]
    found: dict[int, Change] = {}
    starts = [first, *(i + 1 for i in bars)]
    for start, end in zip(starts, [*(i - 1 for i in bars), last], strict=True):
        relations = [i for i in top if start <= i <= end and tokens[i].text in _OPPOSITE]
        if len(relations) == 1:
            at = relations[0]
            if tokens[at].text not in opposite:
                return None
            found[at] = Change(at, opposite[tokens[at].text])
        elif not relations and tokens[start].text == "(" and tokens[end].text == ")":
            inner = _flipped(tokens, start + 1, end - 1, opposite)
            if inner is None:
                return None
            found |= inner
        else:
            return None
    return {**found, **{i: Change(i, "&&") for i in bars}}


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
