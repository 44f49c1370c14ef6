"""Regions rewritten: one call for each fused group, the original calls in a comment."""

from __future__ import annotations

import re
from dataclasses import replace

from kfusion.host.regions import Between, Region, RegionCall
from kfusion.parse.statements import Statement
from kfusion.regenerate.pieces import dedent, with_semicolon
from kfusion.source.dataclasses import dataclass
from kfusion.source.lexer import COMMENT
from kfusion.source.text import Edit

WIDTH = 96


@dataclass(frozen=True)
class FusedCall:
    """The call that stands for the calls first..last of a region."""

    first: int
    last: int
    name: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Moved:
    """The region as it was written, and the calls that say whether it may be another order."""

    region: Region
    checks: tuple[tuple[str, tuple[str, ...]], ...]  # functions and their arguments


def region_edit(region: Region, fused: list[FusedCall], moved: Moved | None = None) -> Edit:
    """Replace the annotation and its block."""
    unit = region.unit
    text = unit.source.text
    start, block = region.mark.annotation.start, region.mark.block
    line_start = text.rfind("\n", 0, block.start) + 1
    indent = text[line_start : block.start]
    if indent.strip():  # `kfuse(...) {` on one line
        own_line = text.rfind("\n", 0, start) + 1
        indent = text[own_line:start] if not text[own_line:start].strip() else ""
    bare = _may_drop_braces(region)
    inner = indent if bare else indent + _step(region, indent)
    if moved is None:
        lines = _lines(region, fused, inner)
    else:
        lines = _either(region, fused, moved, inner, inner + _step(region, indent))
    if not bare:
        lines = [f"{indent}{{", *lines, f"{indent}}}"]
    if not region.mark.thesis_form:
        start = text.rfind("\n", 0, start) + 1
    new = "\n".join(lines)
    return Edit(start, block.end, new if not region.mark.thesis_form else new.lstrip())


def _either(
    region: Region, fused: list[FusedCall], moved: Moved, outer: str, inner: str
) -> list[str]:
    """The calls in their new order, or as they were written."""
    condition: list[str] = []
    for number, (name, arguments) in enumerate(moved.checks):
        head = f"{outer}{'if (' if number == 0 else '    && '}{name}("
        condition += _wrapped(head, arguments, ")")
    condition[-1] += ") {"
    return [
        *condition,
        *_lines(region, fused, inner),
        f"{outer}}} else {{",
        *_lines(moved.region, [], inner),
        f"{outer}}}",
    ]


def _step(region: Region, indent: str) -> str:
    """One level of the file's indentation."""
    first = min(region.items, key=lambda item: item.statement.start)
    unit = region.unit
    line = unit.source.line_text(first.statement.location.line)
    lead = line[: len(line) - len(line.lstrip())]
    return lead.removeprefix(indent) or "    "


def _may_drop_braces(region: Region) -> bool:
    if any(isinstance(item, Between) and item.declares for item in region.items):
        return False
    parent = _parent(region.function.body, region)
    return parent is not None and parent.kind == "compound"


def _parent(statement: Statement, region: Region) -> Statement | None:
    for child in statement.children:
        token = region.unit.tokens[child.first]
        if child.kind == "compound" and token.start == region.mark.block.start:
            return statement
        found = _parent(child, region)
        if found is not None:
            return found
    return None


def _lines(region: Region, fused: list[FusedCall], indent: str) -> list[str]:
    lines: list[str] = []
    notes: list[str] = []
    items = _items(region)
    written = sorted(items, key=lambda item: item.statement.start)
    gaps = dict(zip(written, _gaps(region, written), strict=True))
    number = -1
    for item in items:
        above, behind = gaps[item]
        group = None
        if isinstance(item, RegionCall):
            number += 1
            group = next((f for f in fused if f.first <= number <= f.last), None)
        if group is None:
            lines += [indent + line if line else "" for line in above]
            lines += _indented(item, indent, behind)
            continue
        assert isinstance(item, RegionCall)
        notes += [_uncommented(line) for line in above if line]
        shown = _flat(item)
        shown[-1] += f"  // {_uncommented(behind)}" if behind else ""
        notes += shown
        if number == group.last:
            lines += [f"{indent}/*", *(f"{indent} * {n}".rstrip() for n in notes), f"{indent} */"]
            first = region.calls[group.first]
            form = first if first.status == "assigned" else item  # `if (!err) err = ...` behind it
            lines += _call_lines(form, group, indent)
            notes = []
    return lines


def _items(region: Region) -> list[RegionCall | Between]:
    """The region's statements; `;` behind a macro that is a statement already belongs to it."""
    items: list[RegionCall | Between] = []
    for item in region.items:
        if isinstance(item, Between) and item.statement.text == ";" and items:
            before = with_semicolon(items[-1].statement)
            if before.end == item.statement.end:
                items[-1] = replace(items[-1], statement=before)
                continue
        items.append(item)
    return items


def _gaps(region: Region, items: list[RegionCall | Between]) -> list[tuple[list[str], str]]:
    """For each item the comment lines above it, and the comment behind it."""
    text = region.unit.source.text
    spans = [item.statement for item in items]
    ends = [region.mark.block.start + 1, *(s.end for s in spans)]
    starts = [*(s.start for s in spans), region.mark.block.end - 1]
    between = [text[end:start] for end, start in zip(ends, starts, strict=True)]
    result: list[tuple[list[str], str]] = []
    for index in range(len(spans)):
        lines = [line.strip() for line in _split(between[index])[1].split("\n")]
        while lines and not lines[0]:
            lines.pop(0)
        while lines and not lines[-1]:
            lines.pop()
        result.append((lines, _split(between[index + 1])[0].strip()))
    return result


def _split(text: str) -> tuple[str, str]:
    """What stands behind a statement on its line, with the comment's other lines; the rest."""
    position = 0
    for comment in COMMENT.finditer(text):
        if "\n" in text[position : comment.start()]:
            break
        position = comment.end()
    end = text.find("\n", position)
    return (text, "") if end < 0 else (text[:end], text[end + 1 :])


def _uncommented(text: str) -> str:
    lines = (re.sub(r"^/\*+\s?|\s*\*+/$|^//\s?|^\*\s", "", li.strip()) for li in text.split("\n"))
    return " ".join(lines).replace("*/", "").replace("/*", "").strip()


def _flat(item: RegionCall) -> list[str]:
    """The statement as it can stand inside a comment."""
    span = item.statement
    column = span.location.column - 1
    text = dedent(span.text, column)
    text = re.sub(r"/\*(.*?)\*/", lambda m: f"// {m.group(1).strip()}", text, flags=re.DOTALL)
    return text.replace("*/", "* /").replace("/*", "/ *").split("\n")


def _indented(item: RegionCall | Between, indent: str, behind: str) -> list[str]:
    text = dedent(item.statement.text, item.statement.location.column - 1)
    lines = [indent + line if line.strip() else "" for line in text.split("\n")]
    if behind:
        lines[-1] += f" {behind}"
    return lines


def _call_lines(item: RegionCall, group: FusedCall, indent: str) -> list[str]:
    span = item.statement
    before = span.text[: item.call.start - span.start]
    after = span.text[item.call.end - span.start :]
    column = span.location.column - 1
    before = _below(dedent(f"{before}|", column)[:-1], indent)
    after = _below(dedent("\n" + after, column)[1:], indent)
    return _wrapped(f"{indent}{before}{group.name}(", group.arguments, f"){after}")


def _wrapped(head: str, arguments: tuple[str, ...], end: str) -> list[str]:
    pad = " " * len(head.rsplit("\n", maxsplit=1)[-1])
    lines, current = [], head
    for number, argument in enumerate(arguments):
        last = number == len(arguments) - 1
        part = argument + ("" if last else ", ")
        if (
            len(current.rsplit("\n", maxsplit=1)[-1]) + len(part.rstrip()) + 3 > WIDTH
            and current != head
        ):
            lines.append(current.rstrip())
            current = pad
        current += part
    return "\n".join([*lines, f"{current}{end}"]).split("\n")


def _below(text: str, indent: str) -> str:
    """Indent all lines but the first."""
    first, *others = text.split("\n")
    return "\n".join([first, *(indent + line if line.strip() else "" for line in others)])
