"""The texts of a run: inputs with what is added to them, and the headers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from kfusion.given import Given
from kfusion.graph.target import Target
from kfusion.host.closed import closed_as_a_whole
from kfusion.host.closed_files import calls_opencl
from kfusion.host.options import given_by_hosts, relaxing_option
from kfusion.host.outside import has_redirected
from kfusion.joined import joined_data, may_be_another
from kfusion.kernel.pins import given_macros
from kfusion.parse.cpp import CppUnit
from kfusion.parse.embedded import build_options, source_hash
from kfusion.parse.files import Inputs
from kfusion.parse.unit import Unit
from kfusion.regenerate.additions import Addition, Additions, KnownText, addition
from kfusion.regenerate.fused_header import header_texts
from kfusion.regenerate.including import (
    include_cpp_edit,
    include_edit,
    reader_edits,
    region_edit,
)
from kfusion.regenerate.pattern import Pattern, range_key
from kfusion.regenerate.tables import RegionText, pattern_text
from kfusion.results import PlannedRegion, Result
from kfusion.runtime import CALLS_NAME, HEADER_NAME
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Diagnostic, Severity, error, warning
from kfusion.source.text import Edit, SourceFile, Spliced, bytes_of
from kfusion.synthesis.files import given_edits, section_edits
from kfusion.synthesis.model import FusedKernel

_NUMBERED = re.compile(r"\b(\w+) == -?\d")  # in pins: macros that stand for integers


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
            left_by = [r.leaves for r in fused if r.region.unit is other]
            leaves = frozenset[str]().union(*left_by)
            edits.append(include_cpp_edit(other, _seen_from(name, header), leaves))
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
    source, added = unit.source.written, given.fused.of(unit)
    edits = unit.source.as_written([*section_edits(unit), *given_edits(unit, added)])
    text = source.text
    lead = "" if text.endswith("\n") else "\n"
    for kernel in added:
        edits.append(Edit(len(text), len(text), f"{lead}\n{kernel.text.rstrip()}\n"))
        lead = ""
    return _spliced(source, edits)


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
        _additions([p for region in regions for p in region.patterns], given),
        list(given.fused.made.values()),
        _fused(given),
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
        text = pattern_text(first, first.name, {})
        same = [other for other in others if pattern_text(other, first.name, {}) == text]
        if len(same) + 1 == len(given.targets.near or given.targets.each):
            yield replace(first, target=None)
        else:
            yield from (first, *others)


def _fused(given: Given) -> dict[Unit, list[FusedKernel]]:
    """The kernels of each program that has some."""
    kernels = {unit: given.fused.of(unit) for unit in given.inputs.kernels}
    return {unit: fused for unit, fused in kernels.items() if fused}


def _additions(patterns: Iterable[Pattern], given: Given) -> Additions:
    """For programs that are not built from the kernel files of this output, and the texts of those
    that no fused kernel tells from others."""
    inputs = given.inputs
    found: list[Addition | None] = []
    known: list[KnownText] = []
    options = known_options(inputs)
    for unit in inputs.kernels:
        kernels, own = given.fused.of(unit), options[unit]
        found += [addition(unit, data, kernels, own) for data in _sources(unit, given)]
    launched = {each.kernel for pattern in patterns for each in pattern.invocations}
    alone = {kernel.program for kernel in launched} - _fused(given).keys()
    alone -= {kernel.program for kernel in launched if may_be_another(kernel)}
    for unit in [unit for unit in inputs.kernels if unit in alone]:
        known += [KnownText(unit.source.path.name, source_hash(d)) for d in _own(unit, given)]
    for one in _one_program(given):
        known += [KnownText(part.source.path.name, source_hash(one.data)) for part in one.parts]
        found.append(addition(one.unit, one.data, one.kernels, one.options))
    return Additions(tuple(each for each in found if each is not None), tuple(known))


def _sources(unit: Unit, given: Given) -> list[bytes]:
    """Without the fused kernels; of several programs as the run time puts them together."""
    text = next((each for each in given.inputs.embedded if each.unit is unit), None)
    if text is None:
        return [bytes_of(unit.source.written.text)]
    if not text.parts:
        return [text.data]
    each = [_own(part, given) for part in text.parts]
    ways = (joined_data([texts[way] for texts in each]) for way in (0, -1))
    return list(dict.fromkeys(ways))


def _own(program: Unit, given: Given) -> list[bytes]:
    """Of a program as it was, and of its file in the output if that is another text."""
    if program not in given.inputs.files:
        return _sources(program, given)
    texts = program.source.written.text, with_kernels(program, given).text
    return [bytes_of(text) for text in dict.fromkeys(texts)]


@dataclass(frozen=True)
class _OneProgram:
    unit: Unit
    data: bytes
    parts: tuple[Unit, ...]
    kernels: list[FusedKernel]
    options: tuple[str, ...] | None


def _one_program(given: Given) -> Iterator[_OneProgram]:
    """A host may build one program of all kernel files, in the order that they are given in."""
    files = tuple(unit for unit in given.inputs.kernels if unit in given.inputs.files)
    joined = {part for text in given.inputs.embedded for part in text.parts}
    if len(joined & set(files)) < 2:
        return
    text = given.joining.text_of(files)
    if text is None or not all(unit.source.written.text.endswith("\n") for unit in files):
        return
    both = [t.unit for t in given.inputs.embedded if t.parts and set(t.parts) <= set(files)]
    options = known_options(given.inputs)[files[0]]
    for way in (0, -1):
        data = b"".join(_own(unit, given)[way] for unit in files)
        units = [*files, *both] if way == 0 else both
        kernels = [kernel for unit in units for kernel in given.fused.of(unit)]
        yield _OneProgram(text.unit, data, files, kernels, options)


def check_points(given: Given) -> None:
    """`#if SOFT == 1`, which asks whether a build has the number that a kernel was fused for, does
    not compile where the host makes it 1.5f."""
    hosts = given_by_hosts((*given.inputs.hosts, *given.inputs.cpp), point=True)
    kernels = [kernel for unit in given.inputs.kernels for kernel in given.fused.of(unit)]
    for name in _NUMBERED.findall("\n".join(pin for each in kernels for pin in each.pins)):
        if name in hosts:
            raise error(
                "KF244",
                f"builds may get '{name}' with a point, and kfusion was given an integer: what is "
                "fused for that would not compile there",
                hosts[name],
                help=f"give it a point, too: -D {name}=2.5f stands for all such numbers",
            )


def without_values(given: Given) -> Iterator[Diagnostic]:
    """Macros that only build options give values, where those are not known: kernels were fused for
    builds without them."""
    hosts = given_by_hosts((*given.inputs.hosts, *given.inputs.cpp))
    for unit, options in known_options(given.inputs).items():
        kernels = given.fused.of(unit)
        if options is not None or not kernels:
            continue
        defaults = given_macros(pin for kernel in kernels for pin in kernel.pins)
        found = {name: span for name, span in hosts.items() if name in defaults}
        if found:
            name, span = next(iter(found.items()))
            yield warning(
                "KF244",
                f"kernels are built with '{name}', and kfusion was not given a value: such builds "
                "have no fused kernels",
                span,
                help=f"-D {name}=VALUE, as one run writes it: with the point of 2.0f, for example",
            )


def relaxed(given: Given) -> Iterator[Diagnostic]:
    """Where programs with fused kernels may be built so that compilers change numbers."""
    span = relaxing_option((*given.inputs.hosts, *given.inputs.cpp))
    if span is not None and any(given.fused.of(unit) for unit in given.inputs.kernels):
        yield Diagnostic(
            "KF405",
            Severity.NOTE,
            f"with '{span.text}' compilers may compute what goes from one kernel of a fused one to "
            "the next in another way, (a + b) - b as a: numbers may differ, also with --exact",
            span,
            help="build without the option, or look at the differences: kfusion verify, "
            "KFUSION=check",
        )


def known_options(inputs: Inputs) -> dict[Unit, tuple[str, ...] | None]:
    """The options of all builds of each kernel file and string; None: not known."""
    options = build_options(inputs.hosts)
    if any(each.builds for each in inputs.cpp):
        options = None
    own = {each.unit: each.options for each in inputs.embedded if each.options is not None}
    return {unit: own.get(unit, options) for unit in inputs.kernels}
