"""Sources without annotations: what any compiler reads the same."""

from __future__ import annotations

import re
from pathlib import Path

from kfusion.parse.annotations import Section, find_annotations
from kfusion.parse.sources import KERNEL_SUFFIXES, read_source
from kfusion.source.lexer import Kind, plain_directive, tokenize
from kfusion.source.text import Edit, apply_edits

_HEADER = re.compile(r'#\s*include\s*[<"]kfusion\.h[>"]')
_MACRO = re.compile(r"\bkfuse\b")  # all that the header defines


def stripped(path: Path) -> str:
    source = read_source(path)
    text = source.text
    marks = find_annotations(source, path.suffix in KERNEL_SUFFIXES)
    spans = {(r.annotation.start, r.annotation.end) for r in marks.regions}
    spans |= {(s.span.start, s.span.end) for s in marks.syncs}
    spans |= {(s.start, s.end) for s in marks.immovable}
    spans |= {(s.annotation.start, s.annotation.end) for s in marks.sections if not s.braces}
    edits = [_without(text, start, end) for start, end in sorted(spans)]
    for section in marks.sections:
        edits += _unwrapped(text, section)
    return _without_header(apply_edits(text, edits))


def _without_header(text: str) -> str:
    """Without `#include <kfusion.h>`, unless something still uses what it defines."""
    tokens = tokenize(text)
    directives = [t for t in tokens if t.kind is Kind.DIRECTIVE]
    if any(t.text == "kfuse" for t in tokens if t.kind is Kind.NAME):
        return text
    if any(_MACRO.search(plain_directive(t)) for t in directives):
        return text
    headers = [t for t in directives if _HEADER.match(plain_directive(t))]
    return apply_edits(text, [_without(text, t.start, t.end) for t in headers])


def _without(text: str, start: int, end: int) -> Edit:
    """The whole line if it holds nothing else, else the blanks behind it, too."""
    line, after = _line(text, start, end)
    if not (text[line:start] + text[end:after]).strip():
        return Edit(line, after, "")
    while end < len(text) and text[end] in " \t":
        end += 1
    return Edit(start, end, "")


def _unwrapped(text: str, section: Section) -> list[Edit]:
    """`kload {` and its `}` go; what stands between moves to the left."""
    if section.braces is None:
        return []
    opening, closing = section.braces
    head = _without(text, section.annotation.start, opening + 1)
    tail = _without(text, closing, closing + 1)
    edits = [head, tail]
    outer, _ = _line(text, section.annotation.start, opening)
    indent = _indent(text, outer)
    lines = [m.start() + 1 for m in re.finditer("\n", text[head.end - 1 : tail.start - 1])]
    starts = [head.end - 1 + at for at in lines]
    inner = [_indent(text, at) for at in starts if text[at : tail.start].split("\n", 1)[0].strip()]
    surplus = min((len(i) for i in inner), default=0) - len(indent)
    if head.start == outer and surplus > 0 and all(i.startswith(indent) for i in inner):
        edits += [Edit(at, at + surplus, "") for at in starts if len(_indent(text, at)) >= surplus]
    return edits


def _line(text: str, start: int, end: int) -> tuple[int, int]:
    """The offsets of the line's start and of the next line."""
    following = text.find("\n", end)
    return text.rfind("\n", 0, start) + 1, len(text) if following < 0 else following + 1


def _indent(text: str, at: int) -> str:
    return text[at : len(text) - len(text[at:].lstrip(" \t"))]
