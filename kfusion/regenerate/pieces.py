"""Statements of library functions as pieces of text: comments kept, names replaced."""

from __future__ import annotations

import re
from dataclasses import replace

from pycparser import c_ast

from kfusion.host.frames import Step
from kfusion.parse.unit import Unit
from kfusion.source.dataclasses import dataclass
from kfusion.source.lexer import Kind, joined, tokenize
from kfusion.source.text import Edit, Span, apply_edits


class CannotWriteError(Exception):
    """The text cannot be made (a macro hides a name, say): the calls stay as they are."""

    def __init__(self, why: str, span: Span | None = None) -> None:
        super().__init__(why)
        self.span = span  # what is in the way, in the library


@dataclass(frozen=True)
class Piece:
    """A statement of the generated function."""

    text: str  # without the indentation of its first line
    comment: str = ""  # lines above it
    trailing: str = ""  # a comment behind it
    blank_before: bool = False

    def lines(self, indent: str) -> list[str]:
        result = [""] if self.blank_before else []
        lines = [*filter(None, self.comment.split("\n")), *self.text.split("\n")]
        result += [indent + line if line.strip() else line.rstrip() for line in lines]
        if self.trailing:
            result[-1] += f" {self.trailing}"
        return result


def step_piece(unit: Unit, step: Step, edits: list[Edit], names: dict[str, str]) -> Piece:
    """A step's text with edits and new names; its own comments come along."""
    span = statement_span(unit, step.first, step.last)
    edits = edits + renaming(unit, step.first, step.last, names, edits)
    text = apply_edits(span.text, edits, span.start)
    text = dedent(text, column_of(unit, span.start))
    if step.nodes and isinstance(step.nodes[0], c_ast.Label):
        text = _label_apart(text)
    comment, blank = _above(unit, step.first, span.start)
    return Piece(text, comment, _behind(unit, span.end), blank)


def statement_span(unit: Unit, first: int, last: int) -> Span:
    """A statement as written: with the semicolon behind a macro that has brought its own."""
    span, token = unit.span(first, last), unit.tokens[last]
    if token.macro is not None and token.start < 0 and token.text in (";", "}"):
        return with_semicolon(span)
    return span


def with_semicolon(span: Span) -> Span:
    """Up to the semicolon that follows on the line, if one does."""
    found = re.compile(r"[ \t]*;").match(span.file.text, span.end)
    return replace(span, end=found.end()) if found else span


def renaming(
    unit: Unit, first: int, last: int, names: dict[str, str], edits: list[Edit]
) -> list[Edit]:
    """Replace names in the tokens first..last, outside of other edits."""
    names = {old: new for old, new in names.items() if old != new}
    if not names:
        return []
    found: dict[int, Edit] = {}
    for index in range(first, last + 1):
        token = unit.tokens[index]
        if token.text not in names or _is_member(unit, index):
            continue
        if token.start < 0:
            raise CannotWriteError(
                f"the name '{token.text}' comes from a macro", unit.span(index, index)
            )
        if not any(e.start <= token.start < e.end for e in edits):
            found[token.start] = Edit(token.start, token.end, names[token.text])
    return list(found.values())


def _is_member(unit: Unit, index: int) -> bool:
    return index > 0 and unit.tokens[index - 1].text in (".", "->")


def _label_apart(text: str) -> str:
    """`out:` on a line of its own, the statement below without extra indentation."""
    label, rest = text.split(":", 1)
    lines = rest.lstrip().split("\n")
    return f"{label}:\n" + dedent("\n".join(lines), 4 if len(lines) > 1 else 0)


def lead_of(unit: Unit, offset: int) -> str:
    """The white space in front of the line that the offset is on."""
    line = unit.source.line_text(unit.source.location(offset).line)
    return line[: len(line) - len(line.lstrip())]


def column_of(unit: Unit, offset: int) -> int:
    """The indentation of the line that the offset is on."""
    return len(lead_of(unit, offset))


def dedent(text: str, column: int) -> str:
    """Take the indentation of the first line from all lines below it."""
    lines = joined(text).split("\n")
    for index in range(1, len(lines)):
        lead = len(lines[index]) - len(lines[index].lstrip())
        lines[index] = lines[index][min(lead, column) :].rstrip()
    return "\n".join(lines)


def _above(unit: Unit, first: int, start: int) -> tuple[str, bool]:
    """The comment lines right above a statement, and whether a blank line stands there."""
    before = _end_before(unit, first, start)
    trivia = unit.source.text[before:start]
    if "\n" not in trivia:
        return "", False
    trivia = trivia[trivia.index("\n") + 1 :]
    blank = (
        bool(re.search(r"^\s*$", trivia.rsplit("\n", 1)[0], re.MULTILINE))
        if "\n" in trivia
        else False
    )
    lines = [line.strip() for line in trivia.split("\n")]
    comment: list[str] = []
    for line in reversed(lines[:-1]):
        if not line:
            break
        comment.insert(0, line)
    text = "\n".join(comment)
    if text and not _is_comment(text):
        text = ""
    return text, blank


def _end_before(unit: Unit, first: int, start: int) -> int:
    file = unit.tokens[first].file
    near = range(max(0, first - 40), first)
    ends = [unit.range(i, i)[1] for i in near if unit.tokens[i].file == file]
    return max((e for e in ends if 0 <= e <= start), default=0)


def _is_comment(text: str) -> bool:
    return not tokenize(text)


def _behind(unit: Unit, end: int) -> str:
    rest = unit.source.text[end:].split("\n", 1)[0].strip()
    return rest if rest.startswith(("/*", "//")) and _is_comment(rest) and _closed(rest) else ""


def _closed(comment: str) -> bool:
    return comment.startswith("//") or comment.endswith("*/")


def rename_text(text: str, names: dict[str, str]) -> str:
    """Replace names in a piece of C text, all at once; members keep theirs."""
    tokens = tokenize(text)
    edits = [
        Edit(token.start, token.end, names[token.text])
        for index, token in enumerate(tokens)
        if token.kind is Kind.NAME
        and names.get(token.text, token.text) != token.text
        and not (index > 0 and tokens[index - 1].text in (".", "->"))
    ]
    return apply_edits(text, edits)
