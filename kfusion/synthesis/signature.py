"""The head of a fused kernel, in the house style of its first component."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kfusion.graph.model import Argument, LocalMemory, Scalar
from kfusion.kernel.model import Kernel, Parameter
from kfusion.source.dataclasses import dataclass
from kfusion.synthesis.render import Renderer

_WIDTH = 90


@dataclass(frozen=True)
class Style:
    keyword: str  # `kernel` or `__kernel`
    underscores: bool  # `__global` rather than `global`
    attribute: str  # reqd_work_group_size as written, or nothing
    star: str  # between type and name of a pointer: " *" or "* "
    indent: str
    own_line: bool  # the function's brace
    blocks_own_line: bool  # the braces of statements

    @staticmethod
    def of(kernels: Sequence[Kernel], renderer: Renderer) -> Style:
        """As the first kernel is written, with the size of groups that any of them requires."""
        unit, function = kernels[0].unit, kernels[0].function
        words = _words(kernels[0])
        required = [w for k in kernels for t, w in _words(k).items() if "reqd_work_group_size" in t]
        start = unit.range(function.first, function.first)[0]
        opening, end = unit.range(function.body.first, function.body.last)
        head, body = unit.source.text[start:opening], unit.source.text[opening:end]
        first = function.body.children[0].first if function.body.children else None
        blocks = re.search(r"\)([ \t]*\r?\n\s*|[ \t]*)\{", body)
        return Style(
            keyword=words.get("kernel", "__kernel"),
            underscores=words.get("global", "__global").startswith("__"),
            attribute=required[0] if required else "",
            star="* " if re.search(r"\w\* +\w", head) else " *",
            indent=(renderer.indent_of(first) if first is not None else "") or "    ",
            own_line="\n" in head[head.rfind(")") + 1 :] or not head.rstrip().endswith(")"),
            blocks_own_line=blocks is not None and "\n" in blocks.group(1),
        )

    def opening(self, indent: str) -> str:
        """The brace after `if (...)`."""
        return f"\n{indent}{{" if self.blocks_own_line else " {"


def _words(kernel: Kernel) -> dict[str, str]:
    """The language's words in the head of a kernel, and how they are written."""
    unit, function = kernel.unit, kernel.function
    notes = unit.notes_between(function.first, function.body.first)
    return {n.text: unit.source.text[n.start : n.end] for n in notes if n.start >= 0}


@dataclass(frozen=True)
class Bound:
    """A parameter of a component and its argument; `used`: its text is still named."""

    parameter: Parameter
    argument: Argument
    used: bool


def parameter_text(
    style: Style,
    name: str,
    bounds: Sequence[Bound],
    *,
    volatile: bool = False,
    restrict: bool = False,
) -> str:
    """With the weakest qualifiers of those that it replaces.

    `restrict`: that no two of the kernel's parameters share memory is checked.
    """
    bounds = [b for b in bounds if b.used] or list(bounds)
    parameter = bounds[0].parameter
    const = "const " if all(b.parameter.const for b in bounds) else ""
    if isinstance(bounds[0].argument, Scalar):
        return f"{const}{parameter.type} {name}"
    if isinstance(bounds[0].argument, LocalMemory):
        kept = "volatile " if any(b.parameter.volatile for b in bounds) else ""
        return f"{'__' * style.underscores}local {kept}{parameter.type}{style.star}{name}"
    if parameter.image is not None:
        return f"{_image_access(parameter)} {parameter.type} {name}"
    constant = all(b.parameter.space == "constant" for b in bounds)
    # Constant memory together with global memory is global memory that is only read.
    read_only = all(b.parameter.const or b.parameter.space == "constant" for b in bounds)
    const = "const " if read_only and (const or not constant) else ""
    space = ("__" if style.underscores else "") + ("constant" if constant else "global")
    const += "volatile " if volatile else ""
    star = f"{style.star.rstrip()}restrict " if restrict else style.star
    return f"{space} {const}{parameter.type}{star}{name}"


def _image_access(parameter: Parameter) -> str:
    """As written; without a word for it an image is read."""
    word = re.search(r"\b_*(read|write)_only\b", parameter.text)
    return word.group() if word is not None else str(parameter.image)


def signature(
    style: Style, name: str, parameters: Sequence[str], *, returns: str = "", kernel: bool = True
) -> str:
    """Everything up to the opening brace. What `returns` something is no kernel."""
    before = f"{style.keyword} {style.attribute}\n" if style.attribute else f"{style.keyword} "
    before = before if kernel and not returns else ""
    start = f"{returns or 'void'} {name}("
    pad = " " * len((before + start).rpartition("\n")[2])
    lines: list[str] = []
    if len(pad) > _WIDTH // 2:  # a long name: parameters start on a line of their own
        pad = style.indent * 2
        lines.append("")
    line = ""
    for number, parameter in enumerate(parameters):
        part = parameter + (", " if number < len(parameters) - 1 else "")
        if line and len(pad) + len(line) + len(part) > _WIDTH:
            lines.append(line.rstrip())
            line = ""
        line += part
    lines.append(line)
    text = before + start + f"\n{pad}".join(lines) + ")"
    return f"{text}\n{{" if style.own_line else f"{text} {{"
