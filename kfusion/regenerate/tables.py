"""The tables of patterns and regions, as C: what the run time compares launches with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from textwrap import wrap

from kfusion.graph.model import Invocation, LocalMemory, Memory
from kfusion.kernel.model import Kernel, Parameter
from kfusion.parse.unit import Unit
from kfusion.regenerate.making import making_name, making_text
from kfusion.regenerate.names import quoted
from kfusion.regenerate.pattern import Pattern, slot_keys
from kfusion.source.dataclasses import dataclass
from kfusion.source.protections import is_on, protection
from kfusion.synthesis.model import FusedKernel

FusedKernels = Mapping[Unit, Sequence[FusedKernel]]  # of each program
FRESH = protection("host-fresh", "a repetition reads temporary data of the one before it")
PAYERS = protection("host-payers", "what several rounds do not store is written by those behind")

_WIDTH = 96


@dataclass(frozen=True)
class RegionText:
    """A region in the generated header."""

    identifier: str
    place: str  # file and line
    patterns: tuple[Pattern, ...]


def region_text(region: RegionText, additions: str, fused: FusedKernels) -> str:
    """Functions and tables of a region's patterns, and the table that lists them.

    `additions`: the fields for what programs may lack. `fused`: a fused kernel of each program.
    """
    blocks = [pattern_text(pattern, pattern.name, fused) for pattern in region.patterns]
    name = f"kfusion_patterns_{region.identifier}"
    listed = ",\n".join(
        f"    {{{quoted(p.name)}, 1, kfusion_parts_{p.name}, {_devices(p)}}}"
        for p in region.patterns
    )
    if region.patterns:
        blocks.append(f"static const kfusion_pattern {name}[] = {{\n{listed},\n}};")
    head = f"static const kfusion_region kfusion_region_{region.identifier} KFUSION_UNUSED = {{"
    listed = name if region.patterns else "NULL"
    fields = [quoted(region.identifier), quoted(region.place), str(len(region.patterns)), listed]
    blocks.append("\n".join([head, f"    {', '.join(fields)},", f"    {additions},", "};"]))
    title = f"/* ---- {region.identifier}, at {region.place} ---- */"
    return "\n\n".join([title, *blocks])


def _devices(pattern: Pattern) -> str:
    """Their type, and the local memory that they have at least."""
    if pattern.target is None:
        return "CL_DEVICE_TYPE_ALL, 0"
    return f"CL_DEVICE_TYPE_{pattern.target.name.upper()}, {pattern.target.local_bytes}"


def pattern_text(pattern: Pattern, name: str, fused: FusedKernels) -> str:
    """Its functions and tables, under that name."""
    pattern = replace(pattern, name=name)
    blocks = [making_text(pattern)] if pattern.forms else []
    steps: list[str] = []
    for number, invocation in enumerate(pattern.steps):
        slots = f"kfusion_slots_{pattern.name}_{number}"
        pairs = list(zip(invocation.kernel.parameters, invocation.arguments, strict=True))
        *values, of_range = (pattern.slots[key] for key in slot_keys(invocation))
        blocks.append(_array("short", slots, values or [-1]))
        kinds = "".join(_kind(p, a, invocation.kernel) for p, a in pairs)
        fields = [
            quoted(invocation.kernel.name),
            str(len(invocation.kernel.parameters)),
            slots,
            str(of_range),
            quoted(kinds),
            _evidence(pattern, invocation, fused),
        ]
        steps.append(f"    {{{', '.join(fields)}}},")
    blocks.append(
        f"static const kfusion_step_table kfusion_steps_{pattern.name}[] = {{\n"
        + "\n".join(steps)
        + "\n};"
    )
    if forms := _forms(pattern):
        listed = "\n".join(f"    {{{', '.join(map(str, form))}}}," for form in forms)
        blocks.append(
            f"static const kfusion_form kfusion_forms_{pattern.name}[] = {{\n{listed}\n}};"
        )
    if exchanges := _exchanges(pattern):
        listed = ", ".join(f"{{{to}, {of}}}" for to, of in exchanges)
        name = f"kfusion_exchanges_{pattern.name}"
        blocks.append(f"static const short {name}[][2] = {{{listed}}};")
    blocks += _memory_tables(pattern)
    blocks.append(_part(pattern))
    return "\n\n".join(blocks)


def _forms(pattern: Pattern) -> list[tuple[int, str, str, int, int]]:
    """Rounds, the functions that store all and less, rounds that must be noted behind, price."""
    if (loop := pattern.loop) is not None:
        payers = loop.payers if is_on(PAYERS) else 0
        forms = [(f.rounds, making_name(pattern, f), "NULL", payers, f.price) for f in loop.forms]
        return [*forms, (1, "NULL", "NULL", 0, loop.price)]
    whole, less = (
        making_name(pattern, form) if form is not None else "NULL"
        for form in (pattern.whole, pattern.less)
    )
    return [(1, whole, less, 0, 0)] if pattern.forms else []


def _exchanges(pattern: Pattern) -> list[tuple[int, int]]:
    """What a slot holds in the next round, another one held in this one."""
    becomes = pattern.loop.becomes if pattern.loop is not None else {}
    slots = pattern.slots
    # Each round may have a number of its own: no slot is there for those behind the longest form.
    moves = ((one, other) for one, other in becomes.items() if one in slots and other in slots)
    return [(slots[one], slots[other]) for one, other in moves if one != other]


def _evidence(pattern: Pattern, invocation: Invocation, fused: FusedKernels) -> str:
    """What tells the program that was analysed from others: a fused kernel, or its text."""
    program = invocation.kernel.program
    if not invocation.kernel.sure:  # nothing tells: it is launched as it is written
        return f"NULL, {quoted(program.source.path.name)}"
    for form in reversed(pattern.forms):
        for group, kernel in form.kernels.items():
            if {pattern.invocations[m].kernel.program for m in group.members} == {program}:
                return f"{quoted(kernel.name)}, NULL"
    for kernel in fused.get(program, ()):
        if set(invocation.kernel.pins) <= set(kernel.pins):
            return f"{quoted(kernel.name)}, NULL"
    return f"NULL, {quoted(program.source.path.name)}"


def _memory_tables(pattern: Pattern) -> list[str]:
    blocks: list[str] = []
    if pattern.drops:
        left = pattern.less.memory if pattern.less is not None and is_on(FRESH) else set[str]()
        listed = ", ".join(
            f"{{{pattern.slots[f'memory {d.memory}']}, {d.why.value}"
            f"{' | KFUSION_FRESH' if d.memory not in left else ''}}}"
            for d in pattern.drops
        )
        blocks.append(f"static const kfusion_drop kfusion_drops_{pattern.name}[] = {{{listed}}};")
    written = [pattern.slots[f"memory {name}"] for name in pattern.written] or [-1]
    blocks.append(_array("short", f"kfusion_writes_{pattern.name}", written))
    return blocks


def _part(pattern: Pattern) -> str:
    count, exchanges = len(_forms(pattern)), len(_exchanges(pattern))
    forms = f"{count}, kfusion_forms_{pattern.name}" if count else "0, NULL"
    drops = f"kfusion_drops_{pattern.name}" if pattern.drops else "NULL"
    fields = [
        f"{len(pattern.steps)}, kfusion_steps_{pattern.name}",
        str(len(pattern.slots)),
        f"{exchanges}, kfusion_exchanges_{pattern.name}" if exchanges else "0, NULL",
        "0, NULL",  # slots bound anew
        "0" if pattern.loop is not None else "1",
        forms,
        f"{len(pattern.drops)}, {drops}",
        f"{len(pattern.written)}, kfusion_writes_{pattern.name}",
    ]
    lines = "\n".join(f"    {field}," for field in fields)
    return f"static const kfusion_part kfusion_parts_{pattern.name}[] = {{{{\n{lines}\n}}}};"


def _kind(parameter: Parameter, argument: object, kernel: Kernel) -> str:
    modes = [a.mode for a in kernel.accesses if a.parameter == parameter.name]
    only_written = modes and not kernel.features and not any(mode.reads for mode in modes)
    if isinstance(argument, LocalMemory):
        return "l"
    if isinstance(argument, Memory):
        return "w" if only_written else "m"
    return "s" if parameter.canonical == "sampler_t" else "v"


def _array(type_: str, name: str, values: Sequence[int]) -> str:
    head = f"static const {type_} {name}[] = {{"
    text = ", ".join(map(str, values))
    if len(head) + len(text) + 2 <= _WIDTH:
        return f"{head}{text}}};"
    lines = wrap(text, _WIDTH - 4)
    return "\n".join([head, *(f"    {line}" for line in lines), "};"])
