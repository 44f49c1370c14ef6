"""The plan of each region as a table, for --explain-plan."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from kfusion.graph.bind import Stage
from kfusion.graph.model import Cut, Group, Invocation, Memory, RegionPlan
from kfusion.graph.plan import values_of
from kfusion.graph.values import Role
from kfusion.kernel.model import Feature
from kfusion.report.columns import columns

_NAMED = re.compile(r"[A-Za-z_]\w*((->|\.)\w+|\[\d+\])*")  # a variable, or a member of one
_HEADINGS = ("kernel", "calls", "loads", "stores", "kept in variables")
_HIDING = frozenset(  # the loads and stores of a kernel that has one of them are not all seen
    {
        Feature.ASYNC_COPY,
        Feature.ATOMIC,
        Feature.ESCAPE,
        Feature.IMAGE,
        Feature.NO_SPACE,
        Feature.POINTER_ARITHMETIC,
        Feature.UNKNOWN_CALL,
        Feature.UNKNOWN_NAME,
        Feature.VECTOR_ACCESS,
    }
)


def plan_table(regions: Sequence[tuple[str, RegionPlan, str, bool]]) -> str:
    """Of each row of launches: what it is called, its plan, where its prediction comes from, and
    whether the annotation says what is read afterwards.

    Loads and stores are those of one work-item, as written in the kernels; `?` stands for
    those of kernels that hide them: behind calls, casts, or arguments that are not known."""
    return "\n\n".join(_region(*region) for region in regions)


def _region(title: str, plan: RegionPlan, origin: str, says: bool) -> str:
    by_index = {i.index: i for i in plan.invocations}
    members = [[by_index[index] for index in group.members] for group in plan.groups]
    counts = [_counts(*pair) for pair in zip(plan.groups, members, strict=True)]
    summary = [
        f"kernels {_arrow(str(len(plan.invocations)), str(len(plan.groups)))}",
        f"global loads {_total([loads for loads, _ in counts])}",
        f"global stores {_total([stores for _, stores in counts])}",
    ]
    rows: list[tuple[str, ...]] = []
    for number, (group, calls) in enumerate(zip(plan.groups, members, strict=True), 1):
        rows += _rows(number, group, calls, counts[number - 1])
    lines = [f"{title}: {', '.join(summary)}"]
    if origin:
        lines.append(f"  expected: {origin}")
    lines += columns([_HEADINGS, *rows], "  ")
    for number, (group, calls) in enumerate(zip(plan.groups, members, strict=True), 1):
        told = [*_for_the_target(group, calls), *_through_memory(group, plan)]
        lines += [f"  kernel {number}: {what}" for what in told]
    memory = {m.name: str(m) for i in plan.invocations for m in i.memory}
    passed = sorted({memory[name] for group in plan.groups for name in group.forwarded})
    passed = [name for name in passed if _NAMED.fullmatch(name)]  # others have no variable
    if says:  # and does not speak of entries of tables
        passed = [name for name in passed if "[" in name]
    if passed:
        can = "temp(...) can" if says else "out(...) or temp(...) can"
        lines.append(f"  if nobody reads {', '.join(passed)} later, {can} say so")
    for _, alike in groupby(plan.cuts, lambda cut: _steps_cut(cut, by_index)):
        cut, *more = alike
        lines += ["", *_cut(cut, by_index)]
        if more:
            last = by_index[more[-1].after].label
            lines.append(f"    {len(more) + 1} times in a row, up to {last}")
    return "\n".join(lines)


_Count = tuple[int, int] | None  # before and after; None: not known


def _counts(group: Group, members: list[Invocation]) -> tuple[_Count, _Count]:
    """Loads and stores, if all accesses are seen."""
    if any(_hides_accesses(member) for member in members):
        return None, None
    return (group.loads_before, group.loads_after), (group.stores_before, group.stores_after)


def _hides_accesses(member: Invocation) -> bool:
    if any(use.feature in _HIDING for use in member.kernel.features):
        return True
    if any(access.anywhere for access in member.kernel.accesses):
        return True
    pairs = zip(member.kernel.parameters, member.arguments, strict=True)
    return any(p.is_buffer and not isinstance(a, Memory) for p, a in pairs)


def _total(counts: list[_Count]) -> str:
    known = [count for count in counts if count is not None]
    if not known:
        return "?"
    before, after = (str(sum(numbers)) for numbers in zip(*known, strict=True))
    more = " + ?" if len(known) < len(counts) else ""
    return _arrow(before + more, after + more)


def _arrow(before: str, after: str) -> str:
    return f"{before} -> {after}" if before != after else before


def _rows(
    number: int, group: Group, members: list[Invocation], counts: tuple[_Count, _Count]
) -> list[tuple[str, ...]]:
    """One line per call; the numbers stand on the first."""
    shape = "fused" if len(members) > 1 else "in another shape"
    kernel = f"{number} ({shape})" if group.fused else f"{number}"
    if group.elements > 1:
        kernel = f"{number} (fused, {group.elements} items in one)"
    loads, stores = (_total([count]) for count in counts)
    kept = ", ".join(_kept(group, members))
    first, *rest = [member.label for member in members]
    return [(kernel, first, loads, stores, kept), *(("", label, "", "", "") for label in rest)]


def _for_the_target(group: Group, members: list[Invocation]) -> list[str]:
    """What is done to it for the sake of the device."""
    labels = {member.index: member.label for member in members}
    found: list[str] = []
    if group.direct:
        calls = ", ".join(labels[index] for index in sorted(group.direct))
        found.append(f"no copy into local memory for {calls}")
    if group.pauses:
        calls = ", ".join(labels[index] for index in sorted(group.pauses))
        found.append(f"to be quicker, the items of a group wait before {calls}")
    if group.tiles is not None and not group.again:
        found.append("it is in strips, as neighbouring items load the same elements")
    if group.tiles is not None:
        local, items = (" x ".join(map(str, s)) for s in (group.tiles.local, group.tiles.items))
        found.append(f"a group of {local} items does the work of {items}")
    if group.again:
        named = {m.name: str(m) for member in members for m in member.memory}
        counts = Counter(named[each.memory] for each in group.again)
        places = [f"{n} (at {c} place{'s' * (c > 1)})" for n, c in sorted(counts.items())]
        rows = f"it keeps rows of {', '.join(sorted(counts))}"
        again = f"computed again for each item that reads it: {', '.join(places)}"
        found.append(again if group.tiles is None else rows)
    if group.by_group:
        found.append("whether items are in bounds is asked of their whole group first")
    return found


def _through_memory(group: Group, plan: RegionPlan) -> list[str]:
    """What one call of the kernel stores, and a later one loads again."""
    if not group.fused:
        return []
    stages, values = values_of(group, plan.invocations)
    found: dict[str, str] = {}
    writers: dict[str, Stage] = {}
    for number, stage in enumerate(stages):
        for access in (a for a in stage.accesses if a.access.mode.reads):
            name, place = access.memory.name, values.places.get((number, access.number))
            if name in writers and place and place.role in (Role.MEMORY, Role.LOAD):
                why = ""
                if name not in group.handed and writers[name].guards != stage.guards:
                    why = f", under another condition than {writers[name].kernel_name}() stores it"
                reads = f"{stage.kernel_name}() loads '{access.access.text}'{why}"
                found.setdefault(name, f"{access.memory} goes through memory: {reads}")
        writers |= dict.fromkeys(stage.written, stage)
    return list(found.values())


def _kept(group: Group, members: list[Invocation]) -> list[str]:
    """What passes from call to call in variables; some of it is in memory as well."""
    memory = {m.name: str(m) for member in members for m in member.memory}
    loaded = [f"{memory[name]} (loaded, not stored)" for name in group.loaded]
    stored = [f"{memory[name]} (and stored)" for name in group.forwarded]
    internal = [memory[name] for name in group.internalised]
    return sorted(internal) + sorted(loaded) + sorted(stored)


def _steps_cut(cut: Cut, by_index: dict[int, Invocation]) -> object:
    """Equal for steps of a loop that one access keeps apart, in whatever buffers."""
    before, after = by_index[cut.before].kernel, by_index[cut.after].kernel
    told = tuple((reason.code, str(reason.span)) for reason in cut.reasons if reason.span)
    same = before is after and told and len(told) == len(cut.reasons)
    return (before.name, told) if same else (cut.before, cut.after)


def _cut(cut: Cut, by_index: dict[int, Invocation]) -> list[str]:
    lines = [f"  cut between {by_index[cut.before].label} and {by_index[cut.after].label}:"]
    for reason in cut.reasons:
        place = f" ({reason.span})" if reason.span else ""
        lines.append(f"    [{reason.code}] {reason.message}{place}")
        lines += [f"    {text} ({span})" for text, span in reason.related]
        if reason.advice:
            lines.append(f"    help: {reason.advice}")
    return lines
