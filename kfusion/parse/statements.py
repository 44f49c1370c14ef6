"""The statement structure of a function body, by token, with exact ends.

pycparser's nodes know where they start; this tree knows where statements end. Both
count tokens of the same preprocessed text, so that a node finds its statement.
"""

from __future__ import annotations

from kfusion.parse.preprocess import PToken
from kfusion.source.dataclasses import dataclass


@dataclass(frozen=True)
class Statement:
    kind: str  # compound if for while do switch label pragma plain
    first: int
    last: int
    children: tuple[Statement, ...] = ()
    header: tuple[int, int] | None = None  # the round brackets of if, for, while, switch

    def find(self, index: int) -> Statement:
        """The innermost statement that holds the token."""
        for child in self.children:
            if child.first <= index <= child.last:
                return child.find(index)
        return self


_OPEN, _CLOSE = "([{", ")]}"


def match_token(tokens: list[PToken], index: int) -> int:
    """The token that closes the bracket at `index` (the parser has checked balance)."""
    depth = 0
    for position in range(index, len(tokens)):
        text = tokens[position].text
        if text in ("(", "[", "{"):
            depth += 1
        elif text in (")", "]", "}"):
            depth -= 1
            if depth == 0:
                return position
    raise ValueError("unbalanced brackets")


def closing(tokens: list[PToken], index: int) -> int:
    """The end of `word(...)`, of which the brackets may be missing or open."""
    if index + 1 >= len(tokens) or tokens[index + 1].text != "(":
        return index
    try:
        return match_token(tokens, index + 1)
    except ValueError:
        return index


def parse_body(tokens: list[PToken], opening: int) -> Statement:
    """The compound statement whose `{` is at `opening`."""
    return _statement(tokens, opening)


def _statement(tokens: list[PToken], index: int) -> Statement:
    text = tokens[index].text
    if text == "{":
        return _compound(tokens, index)
    if text.startswith("#pragma"):
        return Statement("pragma", index, index)
    if text == "if":
        return _if(tokens, index)
    if text in ("for", "while", "switch"):
        close = match_token(tokens, index + 1)
        body = _statement(tokens, close + 1)
        return Statement(text, index, body.last, (body,), (index + 1, close))
    if text == "do":
        body = _statement(tokens, index + 1)
        close = match_token(tokens, body.last + 2)
        return Statement("do", index, close + 1, (body,), (body.last + 2, close))
    if text in ("case", "default") or tokens[index + 1].text == ":":
        colon = next(i for i in range(index, len(tokens)) if tokens[i].text == ":")
        if tokens[colon + 1].text == "}":
            return Statement("label", index, colon)
        body = _statement(tokens, colon + 1)
        return Statement("label", index, body.last, (body,))
    return Statement("plain", index, _semicolon(tokens, index))


def _compound(tokens: list[PToken], index: int) -> Statement:
    children: list[Statement] = []
    position = index + 1
    while tokens[position].text != "}":
        child = _statement(tokens, position)
        children.append(child)
        position = child.last + 1
    return Statement("compound", index, position, tuple(children))


def _if(tokens: list[PToken], index: int) -> Statement:
    close = match_token(tokens, index + 1)
    then = _statement(tokens, close + 1)
    children = [then]
    if then.last + 1 < len(tokens) and tokens[then.last + 1].text == "else":
        children.append(_statement(tokens, then.last + 2))
    return Statement("if", index, children[-1].last, tuple(children), (index + 1, close))


def _semicolon(tokens: list[PToken], index: int) -> int:
    depth = 0
    for position in range(index, len(tokens)):
        text = tokens[position].text
        if text in ("(", "[", "{"):
            depth += 1
        elif text in (")", "]", "}"):
            depth -= 1
        elif text == ";" and depth == 0:
            return position
    raise ValueError("no semicolon")
