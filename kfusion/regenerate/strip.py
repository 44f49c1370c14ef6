"""Sources without annotations: what any compiler reads the same."""

from __future__ import annotations

from pathlib import Path

from kfusion.parse.annotations import find_annotations
from kfusion.parse.files import read_source
from kfusion.source.text import Edit, Span, apply_edits


def stripped(path: Path) -> str:
    source = read_source(path)
    marks = find_annotations(source, path.suffix in (".cl", ".clh", ".ocl"))
    edits: list[Edit] = []
    pragmas = [r.annotation for r in marks.regions if not r.thesis_form]
    pragmas += [s.span for s in marks.syncs] + list(marks.immovable)
    pragmas += [s.annotation for s in marks.sections if s.braces is None]
    for span in dict.fromkeys((p.start, p.end) for p in pragmas):
        edits.append(_whole_line(source.text, *span))
    for region in marks.regions:
        if region.thesis_form:
            edits.append(_word(source.text, region.annotation))
    for section in marks.sections:
        if section.braces is not None:
            edits.append(_unbraced(source.text, section.annotation.start, section.braces[0] + 1))
            edits.append(_unbraced(source.text, section.braces[1], section.braces[1] + 1))
    return apply_edits(source.text, edits)


def _whole_line(text: str, start: int, end: int) -> Edit:
    line = text.rfind("\n", 0, start) + 1
    following = text.find("\n", end)
    return Edit(line, len(text) if following < 0 else following + 1, "")


def _word(text: str, span: Span) -> Edit:
    """`kfuse(...)` before a block, with the white space behind it."""
    end = span.end
    while end < len(text) and text[end] in " \t":
        end += 1
    if end < len(text) and text[end] == "\n":  # the brace stands on the next line
        return _whole_line(text, span.start, span.end)
    return Edit(span.start, end, "")


def _unbraced(text: str, start: int, end: int) -> Edit:
    """Take out a brace; a line that holds nothing else goes as a whole."""
    line = text.rfind("\n", 0, start) + 1
    following = text.find("\n", end)
    following = len(text) if following < 0 else following + 1
    if not (text[line:start] + text[end:following]).strip():
        return Edit(line, following, "")
    return Edit(start, end, "")
