"""A kernel file with fused kernels at its end, as an OpenCL compiler can read it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kfusion.kernel.conditions import GIVEN
from kfusion.kernel.pins import given_macros
from kfusion.parse.annotations import Section
from kfusion.parse.unit import Unit
from kfusion.source.text import Edit, apply_edits
from kfusion.synthesis.model import FusedKernel


def with_kernels(unit: Unit, kernels: Sequence[FusedKernel]) -> str:
    """The file's text with thesis-form sections as pragmas, and the kernels added."""
    edits = unit.source.as_written([*section_edits(unit), *given_edits(unit, kernels)])
    text = apply_edits(unit.source.written.text, edits)
    if not kernels:
        return text
    return "\n\n".join([text.rstrip("\n"), *(kernel.text for kernel in kernels)]) + "\n"


def given_edits(unit: Unit, kernels: Sequence[FusedKernel]) -> list[Edit]:
    start = 1 if unit.source.text.startswith("\ufeff") else 0
    head = given_head(kernels)
    return [Edit(start, start, head)] if head else []


def given_head(kernels: Iterable[FusedKernel]) -> str:
    """Where the file begins: which macros do the build options define?"""
    blocks = [
        f"#ifdef {name} /* a build option defines it */\n#define {GIVEN}{name}\n#endif\n"
        for name in given_macros(pin for kernel in kernels for pin in kernel.pins)
    ]
    return "".join([*blocks, "#line 1\n"]) if blocks else ""


def section_edits(unit: Unit) -> list[Edit]:
    """`kload { ... }` becomes `#pragma kload ...`: the braces are no scopes.

    What follows the closing brace is opened by `#pragma kcore`, unless another section
    or the end of the kernel follows.
    """
    text = unit.source.text
    sections = sorted(unit.annotations.sections, key=lambda s: s.annotation.start)
    edits: list[Edit] = []
    for section in sections:
        if section.braces is not None:
            edits += _section(text, section, sections)
    return edits


def _section(text: str, section: Section, sections: Sequence[Section]) -> list[Edit]:
    assert section.braces is not None
    opening, closing = section.braces
    indent = _indent(text, section.annotation.start)
    names = f"({', '.join(section.names)})" if section.names else ""
    before = _line_break_before(text, section.annotation.start, indent)
    after = _line_break_after(text, opening + 1, indent)
    pragma = f"{before}#pragma {section.kind}{names}{after}"
    opened = Edit(section.annotation.start, opening + 1, pragma)
    if _something_follows(text, closing, sections):
        before = _line_break_before(text, closing, indent)
        after = _line_break_after(text, closing + 1, indent)
        return [opened, Edit(closing, closing + 1, f"{before}#pragma kcore{after}")]
    start, end = closing, closing + 1
    line = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", end)
    if not (text[line:start] + text[end:stop]).strip():
        start, end = line, stop + 1
    return [opened, Edit(start, end, "")]


def _indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _line_break_before(text: str, at: int, indent: str) -> str:
    """A directive stands on a line of its own."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return f"\n{indent}" if line.strip() else ""


def _line_break_after(text: str, at: int, indent: str) -> str:
    rest = text[at : text.find("\n", at)]
    return f"\n{indent}   " if rest.strip() else ""


def _something_follows(text: str, closing: int, sections: Sequence[Section]) -> bool:
    """Statements that belong to neither this section nor the next."""
    rest = text[closing + 1 :].lstrip()
    start = len(text) - len(rest)
    return not rest.startswith("}") and all(s.annotation.start != start for s in sections)
