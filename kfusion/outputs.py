"""The texts of a run: inputs with what is added to them, and the headers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from kfusion.given import Given
from kfusion.graph.target import Target
from kfusion.host.closed import closed_as_a_whole
from kfusion.host.options import groups_are_full
from kfusion.host.outside import has_redirected
from kfusion.parse.cpp import CppUnit
from kfusion.parse.embedded import build_options
from kfusion.parse.files import Inputs
from kfusion.parse.unit import Unit
from kfusion.regenerate.additions import Addition, addition
from kfusion.regenerate.fused_header import header_texts
from kfusion.regenerate.including import (
    calls_opencl,
    include_cpp_edit,
    include_edit,
    reader_edits,
    region_edit,
)
from kfusion.regenerate.pattern import Pattern, range_key
from kfusion.regenerate.tables import RegionText, pattern_text
from kfusion.results import PlannedRegion, Result
from kfusion.runtime import CALLS_NAME, HEADER_NAME
from kfusion.source.diagnostics import error
from kfusion.source.text import Edit, SourceFile, Spliced, bytes_of
from kfusion.synthesis.files import given_edits, section_edits


def output_texts(given: Given, result: Result) -> dict[str, str]:
    inputs, fused = given.inputs, [r for r in result.regions if r.is_marked]
    outside = frozenset[str]().union(*(r.outside for r in fused))
    callers = _callers(inputs, fused, outside)
    readers = [reader for r in fused if r.shown is not None for reader in r.shown.readers]
    spliced = result.spliced
    for unit in inputs.files:
        name = given.name_of(unit.source.path)
        if unit in inputs.kernels:
            spliced[name] = with_kernels(unit, given)
            continue
        edits = [region_edit(r.region, r.shown) for r in fused if r.region.unit is unit]
        if edits or unit in callers:
            header = HEADER_NAME if edits else CALLS_NAME
            edits.append(include_edit(unit, _seen_from(name, header), outside))
            own = [reader for reader in readers if reader.unit is unit]
            edits += reader_edits(unit, own, outside)
        spliced[name] = _spliced(unit.source, edits)
    for other in inputs.cpp:
        name = given.name_of(other.source.path)
        edits = [region_edit(r.region, r.shown) for r in fused if r.region.unit is other]
        if edits or other in callers:
            header = HEADER_NAME if edits else CALLS_NAME
            edits.append(include_cpp_edit(other, _seen_from(name, header)))
        spliced[name] = _spliced(other.source, edits)
    files = {name: made.text for name, made in spliced.items()}
    if fused:
        headers = _headers(given, fused, callers, outside, {each.name for each in readers})
        for name in headers.keys() & files.keys():
            text = f"{name} is the name of the generated header"
            raise error("KF103", text, argument=name)
        files.update(headers)
    return files


def _seen_from(name: str, header: str) -> str:
    return "../" * name.count("/") + header


def with_kernels(unit: Unit, given: Given) -> Spliced:
    """A kernel file with the fused kernels of its components, each a block behind a blank line."""
    text, added = unit.source.text, given.fused.of(unit)
    edits = section_edits(unit) + given_edits(unit, added)
    lead = "" if text.endswith("\n") else "\n"
    for kernel in added:
        edits.append(Edit(len(text), len(text), f"{lead}\n{kernel.text.rstrip()}\n"))
        lead = ""
    return _spliced(unit.source, edits)


def _spliced(source: SourceFile, edits: Iterable[Edit]) -> Spliced:
    """What is added to a file ends its lines as the file does."""
    text = source.text
    end = "\r\n" if 2 * text.count("\r\n") > text.count("\n") else "\n"
    ended = (replace(e, new=e.new.replace("\r\n", "\n").replace("\n", end)) for e in edits)
    return Spliced(source, tuple(ended))


def _callers(
    inputs: Inputs, fused: list[PlannedRegion], outside: frozenset[str]
) -> list[Unit | CppUnit]:
    """The files without a region in which calls are redirected."""
    if not fused:
        return []
    found: list[Unit | CppUnit] = [u for u in inputs.hosts if has_redirected(u, outside)]
    found += [u for u in inputs.cpp if calls_opencl(u)]
    return [u for u in found if all(r.region.unit is not u for r in fused)]


def _headers(
    given: Given,
    fused: list[PlannedRegion],
    callers: list[Unit | CppUnit],
    outside: frozenset[str],
    readers: set[str],
) -> dict[str, str]:
    inputs = given.inputs
    regions = [
        RegionText(
            r.region.identifier,
            r.region.name,
            tuple(_without_doubles([p for each in r.patterns for p in each.patterns], given)),
        )
        for r in fused
    ]
    return header_texts(
        regions,
        _additions(given),
        [kernel.text for kernel in given.fused.made.values()],
        [r.region.unit for r in fused],
        callers,
        outside=outside,
        readers=readers,
        closed=closed_as_a_whole(given.program) and not inputs.cpp,
    )


def _without_doubles(patterns: Iterable[Pattern], given: Given) -> Iterator[Pattern]:
    """Of patterns that take the same launches the first; of those of several targets one, if they
    do the same."""
    found: dict[object, dict[Target | None, Pattern]] = {}
    for pattern in patterns:
        steps = tuple(
            (i.kernel.name, *(a.name for a in i.arguments), range_key(i))
            for i in pattern.invocations
        )
        found.setdefault(steps, {}).setdefault(pattern.target, pattern)
    for first, *others in (list(each.values()) for each in found.values()):
        same = [o for o in others if pattern_text(o, first.name) == pattern_text(first, first.name)]
        if len(same) + 1 == len(given.targets.each):
            yield replace(first, target=None)
        else:
            yield from (first, *others)


def _additions(given: Given) -> list[Addition]:
    """For programs that are not built from the kernel files of this output."""
    inputs = given.inputs
    full_groups = groups_are_full((*inputs.hosts, *inputs.cpp))
    found: list[Addition | None] = []
    strings = {each.unit: each for each in inputs.embedded}
    for unit, options in known_options(inputs).items():
        text = strings.get(unit)
        data = text.data if text is not None else bytes_of(unit.source.text)
        kernels = given.fused.of(unit)
        found.append(addition(unit, data, kernels, options, full_groups=full_groups))
    return [each for each in found if each is not None]


def known_options(inputs: Inputs) -> dict[Unit, tuple[str, ...] | None]:
    """The options of all builds of each kernel file and string; None: not known."""
    options = build_options(inputs.hosts)
    if any(each.builds for each in inputs.cpp):
        options = None
    own = {each.unit: each.options for each in inputs.embedded if each.options is not None}
    return {unit: own.get(unit, options) for unit in inputs.kernels}
