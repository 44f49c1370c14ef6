"""One function and one kernel for several regions: their comments speak of all of them."""

from __future__ import annotations

import re
from dataclasses import replace

from kfusion.parse.macros import arguments
from kfusion.regenerate.function import FusedFunction
from kfusion.source.lexer import tokenize

_COMMENT = re.compile(r"(\s*)/\* (.*) \*/")


def for_both(function: FusedFunction, other: FusedFunction) -> FusedFunction:
    """The function, which another region would have had with the same code."""
    regions = tuple(dict.fromkeys((*function.regions, *other.regions)))
    text = _merged(function.kernel.text, other.kernel.text)
    return replace(function, regions=regions, kernel=replace(function.kernel, text=text))


def _merged(text: str, other: str) -> str:
    """Calls quoted in the kernel's comments: `...` for what the regions give differently."""
    lines, others = text.split("\n"), other.split("\n")
    if len(lines) != len(others):
        return text
    return "\n".join(_line(*pair) for pair in zip(lines, others, strict=True))


def _line(line: str, other: str) -> str:
    ours, theirs = _COMMENT.fullmatch(line), _COMMENT.fullmatch(other)
    if line == other or ours is None or theirs is None:
        return line
    call, given = _call(ours.group(2))
    other_call, other_given = _call(theirs.group(2))
    if not call or call != other_call or len(given) != len(other_given):
        return line
    shown = [a if a == b else "..." for a, b in zip(given, other_given, strict=True)]
    return f"{ours.group(1)}/* {call}({', '.join(shown)}) */"


def _call(text: str) -> tuple[str, list[str]]:
    """`f(x, g(y))` as `f` and the texts of its arguments."""
    tokens = tokenize(text)
    ranges = arguments(tokens, 1) if len(tokens) > 1 and tokens[1].text == "(" else None
    if ranges is None:
        return "", []
    return tokens[0].text, [text[tokens[a].start : tokens[b - 1].end] for a, b in ranges if a < b]
