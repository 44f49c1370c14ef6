"""The plan of each region as a table, for --explain-plan."""

from __future__ import annotations

from collections.abc import Sequence

from kfusion.graph.model import Cut, Group, Invocation, RegionPlan

_HEADINGS = ("kernel", "calls", "loads", "stores", "kept in variables")


def plan_table(regions: list[tuple[str, RegionPlan]]) -> str:
    """Loads and stores are those of one work-item, as written in the kernels."""
    return "\n\n".join(_region(title, plan) for title, plan in regions)


def _region(title: str, plan: RegionPlan) -> str:
    groups = plan.groups
    summary = [
        _change("kernels", len(plan.invocations), len(groups)),
        _change("global loads", _sum(groups, "loads_before"), _sum(groups, "loads_after")),
        _change("global stores", _sum(groups, "stores_before"), _sum(groups, "stores_after")),
    ]
    by_index = {i.index: i for i in plan.invocations}
    rows: list[tuple[str, ...]] = []
    for number, group in enumerate(groups, 1):
        rows += _rows(number, group, [by_index[index] for index in group.members])
    lines = [f"{title}: {', '.join(summary)}", *_table(rows)]
    for cut in plan.cuts:
        lines += ["", *_cut(cut, by_index)]
    return "\n".join(lines)


def _sum(groups: Sequence[Group], field: str) -> int:
    return sum(getattr(group, field) for group in groups)


def _change(what: str, before: int, after: int) -> str:
    return f"{what} {_arrow(before, after)}"


def _arrow(before: int, after: int) -> str:
    return f"{before} -> {after}" if before != after else f"{before}"


def _rows(number: int, group: Group, members: list[Invocation]) -> list[tuple[str, ...]]:
    """One line per call; the numbers stand on the first."""
    kernel = f"{number} (fused)" if group.fused else f"{number}"
    loads = _arrow(group.loads_before, group.loads_after)
    stores = _arrow(group.stores_before, group.stores_after)
    kept = ", ".join(_kept(group, members))
    first, *rest = [member.label for member in members]
    return [(kernel, first, loads, stores, kept), *(("", label, "", "", "") for label in rest)]


def _kept(group: Group, members: list[Invocation]) -> list[str]:
    """What passes from call to call in variables; some of it is stored as well."""
    memory = {m.name: str(m) for member in members for m in member.memory}
    stored = [f"{memory[name]} (and stored)" for name in group.forwarded]
    return sorted(memory[name] for name in group.internalised) + sorted(stored)


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[i]) for row in [_HEADINGS, *rows]) for i in range(len(_HEADINGS))]
    rule = tuple("-" * width for width in widths)
    return [
        "  "
        + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in [_HEADINGS, rule, *rows]
    ]


def _cut(cut: Cut, by_index: dict[int, Invocation]) -> list[str]:
    reason = cut.reason
    place = f" ({reason.span})" if reason.span else ""
    lines = [
        f"  cut between {by_index[cut.before].label} and {by_index[cut.after].label}:",
        f"    [{reason.code}] {reason.message}{place}",
    ]
    lines += [f"    {text} ({span})" for text, span in reason.related]
    if reason.advice:
        lines.append(f"    help: {reason.advice}")
    return lines
