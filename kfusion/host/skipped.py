"""Calls that the preprocessor has left out: what a compiler with other options may see.

`#ifdef __OPTIMIZE__` is true for `cc -O2`, and not where kfusion reads the file; so is a macro that
only the compiler's command line defines. A statement comes in, as a range of the file's text; the
names of functions that are called in it under such a condition go out.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise

from kfusion.parse.unit import Unit
from kfusion.source.lexer import Kind, tokenize
from kfusion.source.text import Span

_DIRECTIVE = re.compile(r"#\s*(if|ifdef|ifndef|elif|else|endif)\b")
# Other systems: this one's compiler never defines these, whatever its options.
_ELSEWHERE = re.compile(
    r"\b(?:_WIN32|_WIN64|WIN32|_MSC_VER|__MINGW\w*|__CYGWIN__|__APPLE__|__MACOSX?|__OSX__"
    r"|__ANDROID__|__FreeBSD__|__NetBSD__|__OpenBSD__|__sun|__hpux|_AIX|__EMSCRIPTEN__)\b"
)
_NO_CALLS = frozenset("if for while switch return sizeof defined else do case".split())


def skipped_calls(unit: Unit, start: int, end: int) -> Iterator[tuple[str, Span]]:
    """Of the file itself: headers are not looked at."""
    text = unit.source.text
    if "#" not in text[start:end]:
        return
    read = sorted(
        (token.start, token.end) if token.macro is None else token.macro
        for token in unit.tokens
        if token.start >= 0 or token.macro is not None
    )
    starts = [place for place, _ in read]
    conditions: list[str] = []  # those around a token
    tokens = tokenize(text[start:end])
    for token, behind in pairwise(tokens):
        if token.kind is Kind.DIRECTIVE:
            _follow(token.text, conditions)
            continue
        if token.kind is not Kind.NAME or behind.text != "(" or token.text in _NO_CALLS:
            continue
        place = start + token.start
        before = bisect_right(starts, place) - 1
        is_read = before >= 0 and place < read[before][1]
        if conditions and not is_read and not any(map(_ELSEWHERE.search, conditions)):
            yield token.text, Span(unit.source, place, start + token.end)


def _follow(directive: str, conditions: list[str]) -> None:
    found = _DIRECTIVE.match(directive)
    word = found[1] if found else ""
    if word.startswith("if"):
        conditions.append(directive)
    elif word.startswith("el") and conditions:
        conditions[-1] += directive
    elif word == "endif" and conditions:
        conditions.pop()
