"""Calls of a region in another order: a function that says whether they may change places."""

from __future__ import annotations

import re

from kfusion.graph.bind import Stage
from kfusion.graph.plan import conflicts
from kfusion.host.library import Run
from kfusion.host.merge import RegionAnalysis
from kfusion.host.symbolic import Entry
from kfusion.parse.unit import Unit
from kfusion.regenerate.breaking import within_columns
from kfusion.regenerate.ctext import Renderer
from kfusion.regenerate.guards import place_text
from kfusion.regenerate.layout import Style, block_comment, style_of
from kfusion.regenerate.pieces import lead_of
from kfusion.regenerate.signature import make_signature
from kfusion.source.dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """`int f_g_may_swap(...)`, in the library."""

    name: str
    unit: Unit
    text: str
    prototype: str
    arguments: tuple[str, ...]  # of the call, as written in the application


def build_check(
    analysis: RegionAnalysis, pairs: list[tuple[int, int]], name: str, taken: set[str]
) -> Check:
    """Have the calls of all pairs, which are to change places, buffers of their own?"""
    members = sorted({call for pair in pairs for call in pair})
    calls = [analysis.region.calls[i] for i in members]
    runs = [analysis.runs[i] for i in members]
    signature = make_signature(calls, runs, taken, analysis.program)
    unit = runs[-1].function.unit
    listed = _memory(analysis, pairs, Renderer(signature.values, unit))
    used = set(re.findall(r"\w+", listed))
    needed = [i for i, parameter in enumerate(signature.parameters) if parameter in used]
    declarations = [signature.declarations[i] for i in needed] or ["void"]
    head = f"int {name}({', '.join(declarations)})"
    comment = block_comment(
        f"Whether the calls of the region at {analysis.region.name} may be made in another order: "
        "none writes what another one uses."
    )
    style = _style(runs[-1])
    told = next(n for n in ("told", "kfusion_told") if n not in used)
    body = [
        f"static KFUSION_THREAD_LOCAL int {told};",
        "",
        f'return {listed} || kfusion_in_order("{name}", &{told});',
    ]
    lines = within_columns(style.function(style.wrapped(head), body), style.indent, ())
    code = "\n".join([*comment, *lines]) + "\n"
    arguments = tuple(signature.arguments[i] for i in needed)
    return Check(name, unit, code, "\n".join(style.wrapped(head, ";")), arguments)


def _memory(analysis: RegionAnalysis, pairs: list[tuple[int, int]], renderer: Renderer) -> str:
    """`kfusion_apart(...)`: what a call of a pair writes comes first."""
    written: dict[str, None] = {}
    others: dict[str, None] = {}
    for p, q in pairs:
        first, second = (Stage(analysis.invocations[i]) for i in (p, q))
        for left, right in conflicts(first, second):
            for memory, stage in ((left, first), (right, second)):
                value = analysis.values[memory]
                if not isinstance(value, Entry):
                    continue  # made in the region: apart from all that was there before
                text = place_text(renderer, value)
                (written if memory in stage.written else others)[text] = None
    listed = [*written, *(text for text in others if text not in written)]
    return f"kfusion_apart({len(written)}, {len(listed)}, {', '.join(listed)})"


def _style(run: Run) -> Style:
    """That of the last function."""
    unit, function = run.function.unit, run.function.function
    start, _ = unit.range(function.first, function.first)  # it may begin with a macro
    body = unit.span(function.body.first, function.body.last)
    text = unit.source.text
    step = run.steps[0]
    lead = lead_of(unit, unit.span(step.first, step.last).start)
    return style_of(text, text[start : body.start] + "{", lead)
