"""The statement structure of a function body, by token, with exact ends.

pycparser's nodes know where they start; this tree knows where statements end. Both
count tokens of the same preprocessed text, so that a node finds its statement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kfusion.parse.preprocess import PToken
from kfusion.source.dataclasses import dataclass
from kfusion.source.lexer import CLOSING, OPENING


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


def brackets(tokens: Sequence[PToken]) -> dict[int, int]:
    """By each opening bracket the one that closes it (the parser has checked balance)."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for index, token in enumerate(tokens):
        if token.text in OPENING:
            opened.append(index)
        elif token.text in CLOSING and opened:
            found[opened.pop()] = index
    return found


class Statements:
    """Reads statements of parsed text by their first tokens."""

    def __init__(self, tokens: Sequence[PToken], closing: Mapping[int, int]) -> None:
        self.tokens, self.closing = tokens, closing

    def at(self, index: int) -> Statement:
        text = self.tokens[index].text
        if text == "{":
            return self._compound(index)
        if text.startswith("#pragma"):
            return Statement("pragma", index, index)
        if text in ("if", "for", "while", "switch"):
            return self._with_header(text, index)
        if text == "do":
            body = self.at(index + 1)
            header = (body.last + 2, self.closing[body.last + 2])
            return Statement("do", index, header[1] + 1, (body,), header)
        if text in ("case", "default") or self.tokens[index + 1].text == ":":
            return self._label(index)
        last = index
        while self.tokens[last].text != ";":
            last = self.closing.get(last, last) + 1
        return Statement("plain", index, last)

    def _compound(self, index: int) -> Statement:
        children: list[Statement] = []
        position, last = index + 1, self.closing[index]
        while position < last:
            children.append(self.at(position))
            position = children[-1].last + 1
        return Statement("compound", index, last, tuple(children))

    def _with_header(self, kind: str, index: int) -> Statement:
        header = (index + 1, self.closing[index + 1])
        children = [self.at(header[1] + 1)]
        behind = children[0].last + 1
        if kind == "if" and behind < len(self.tokens) and self.tokens[behind].text == "else":
            children.append(self.at(behind + 1))
        return Statement(kind, index, children[-1].last, tuple(children), header)

    def _label(self, index: int) -> Statement:
        colon = index
        while self.tokens[colon].text != ":":
            colon += 1
        if self.tokens[colon + 1].text == "}":
            return Statement("label", index, colon)
        body = self.at(colon + 1)
        return Statement("label", index, body.last, (body,))
