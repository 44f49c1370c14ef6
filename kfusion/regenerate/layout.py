"""How generated C is laid out: indentation, braces and line breaks as the library has them."""

from __future__ import annotations

import re
from functools import lru_cache

from kfusion.source.dataclasses import dataclass
from kfusion.source.lexer import matching, tokenize

WIDTH = 96
_TAB = 8
_LABEL = re.compile(r"(?!default\b)[A-Za-z_]\w*:")


@dataclass(frozen=True)
class Style:
    indent: str  # one level
    function_brace_below: bool
    block_brace_below: bool

    def block(self, head: str, body: list[str]) -> list[str]:
        """`head {`, the body one level deeper, `}`."""
        opened = [head, "{"] if self.block_brace_below else [f"{head} {{"]
        return [*opened, *(self.indent + line if line else "" for line in body), "}"]

    def function(self, head: list[str], body: list[str]) -> list[str]:
        opened = [*head, "{"] if self.function_brace_below else [*head[:-1], f"{head[-1]} {{"]
        return [*opened, *(self._indented(line) for line in body), "}"]

    def _indented(self, line: str) -> str:
        """Labels stand at the margin."""
        return self.indent + line if line and not _LABEL.fullmatch(line) else line

    def wrapped(self, text: str, end: str = "", room: int = 0) -> list[str]:
        """Break a call or declaration after commas, aligned behind its last opening bracket."""
        width = WIDTH - room
        if _columns(text + end) <= width:
            return [text + end]
        opening = text.rindex("(") + 1
        narrow = "\t" in self.indent or opening > WIDTH // 2
        pad = self.indent * 2 if narrow else " " * opening
        lines, current = [], text[:opening]
        parts = text[opening:].split(", ")
        for number, part in enumerate(parts):
            piece = part + (", " if number < len(parts) - 1 else end)
            if _columns(current + piece.rstrip()) > width:
                lines.append(current.rstrip())
                current = pad
            current += piece
        return [*lines, current]

    def condition(self, conditions: list[str]) -> list[str]:
        """`if (a || b ...)`, several conditions to a line."""
        if len(conditions) > 1:
            conditions = [f"({c})" if _has_and(c) else c for c in conditions]
        lines, current = [], f"if ({conditions[0]}"
        for condition in conditions[1:]:
            if _columns(current + condition) + 4 + _columns(self.indent) > WIDTH:
                lines.append(current)
                current = f"{self.indent}|| {condition}"
            else:
                current += f" || {condition}"
        return [*lines, *self.wrapped(current, ")", _columns(self.indent))]


def _has_and(condition: str) -> bool:
    """Not within brackets."""
    depth = 0
    for token in tokenize(condition):
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
        if token.text == "&&" and depth == 0:
            return True
    return False


def style_of(source: str, function: str, lead: str) -> Style:
    """The style of a library file, above all that of the function that is joined."""
    head = function.split("{", 1)[0]
    function_below = "\n" in head[len(head.rstrip()) :]
    return Style(lead or "    ", function_below, _blocks_below(source))


@lru_cache(maxsize=64)
def _blocks_below(source: str) -> bool:
    """Do more blocks of `if`, `for` and `while` open on a line of their own?"""
    tokens = tokenize(source)
    below = beside = 0
    for index, token in enumerate(tokens):
        close = matching(tokens, index + 1) if token.text in ("if", "for", "while") else None
        if close is None or [t.text for t in tokens[close + 1 : close + 2]] != ["{"]:
            continue
        if "\n" in source[tokens[close].end : tokens[close + 1].start]:
            below += 1
        else:
            beside += 1
    return below > beside


def block_comment(text: str) -> list[str]:
    if len(text) <= 88:
        return [f"/* {text} */"]
    lines, current = ["/*"], " *"
    for word in text.split(" "):
        if len(current) + len(word) + 1 > 90:
            lines.append(current)
            current = " *"
        current += f" {word}"
    return [*lines, current, " */"]


def single_blanks(lines: list[str]) -> list[str]:
    """No two blank lines in a row, and none at the beginning or the end."""
    result: list[str] = []
    for line in lines:
        if line.strip() or (result and result[-1].strip()):
            result.append(line)
    while result and not result[-1].strip():
        result.pop()
    return result


def _columns(text: str) -> int:
    return len(text.expandtabs(_TAB))
