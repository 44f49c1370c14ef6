"""The whole way: parsed inputs, plans, new texts. No files are written here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from kfusion.demands import kernels_of
from kfusion.expected import Apart, ExpectedRow, told_by_records, told_by_runs
from kfusion.given import FLAT, Given
from kfusion.graph.target import Targets
from kfusion.host.at_end import EndNames, end_names, not_looked_at
from kfusion.host.closed import Closedness, closedness
from kfusion.host.closed_cpp import check_names, closedness_of_cpp, nothing_told
from kfusion.host.known import Kind, kind_of
from kfusion.host.observed import Observation
from kfusion.host.options import check_program_queries, kernel_defines, option_macros
from kfusion.host.oracle import Expected
from kfusion.host.predict import Prediction, predictions
from kfusion.host.predict_launches import PredictedLaunch, shape
from kfusion.host.program import HostProgram
from kfusion.host.region import (
    CppRegion,
    RefusedRegion,
    Region,
    read_cpp_regions,
    read_regions,
)
from kfusion.host.runs import Runs
from kfusion.host.sync import kept_apart
from kfusion.joined import Joining, alike
from kfusion.kernel.model import Kernel
from kfusion.kernel.read import PATIENCE, read_kernels
from kfusion.kernel.written_out import with_calls_written_out
from kfusion.outputs import (
    check_points,
    known_options,
    output_texts,
    relaxed,
    with_kernels,
    without_values,
)
from kfusion.parse.cpp import CppUnit
from kfusion.parse.files import Inputs, parse_sources
from kfusion.parse.recorded import RecordedRow, recorded_programs, recorded_rows
from kfusion.parse.sources import Sources
from kfusion.parse.unit import Unit
from kfusion.planning import Kernels
from kfusion.regenerate.names import names_in
from kfusion.results import PlannedPattern, PlannedRegion, Result
from kfusion.sequences import planned_for_each
from kfusion.source.depth import refuses_depth
from kfusion.source.diagnostics import Diagnostic, KFusionError, Severity, error, warning
from kfusion.source.text import Span
from kfusion.synthesis.names import file_names

BY_EXECUTION = "by executing the host files"
_Path = tuple[Prediction, list[ExpectedRow]]  # a path, and its launches in rows


@refuses_depth
def fuse_files(
    sources: Sources,
    *,
    exact: bool = False,
    targets: Targets = Targets(),  # noqa: B008 (it never changes)
    recorded: Sequence[Path] = (),
    for_recording: bool = False,
    patience: float = PATIENCE,
    name_of: Callable[[Path], str] = FLAT,
) -> Result:
    """`exact`: not even a compiler that contracts operations of two kernels changes a bit.
    `recorded`: what runs of the program wrote; `for_recording`: nothing is fused, but regions are
    marked, so that a run can write it.
    `patience`: seconds in which a kernel has to be read.
    `name_of`: where an input's text goes, below the folder of the outputs."""
    rows = tuple(row for path in recorded for row in recorded_rows(path))
    programs = [each for path in recorded for each in recorded_programs(path)]
    inputs = _opened(parse_sources(sources, kernel_defines, strings=True, recorded=programs))
    program = HostProgram(inputs.hosts, inputs.cpp)
    taken = set[str]().union(*(names_in(unit) for unit in inputs.all))
    reserved = option_macros((*inputs.hosts, *inputs.cpp)).union(
        *(file_names(unit) for unit in inputs.kernels)
    )
    identifiers: set[str] = set()
    in_c = [r for unit in inputs.applications for r in read_regions(unit, identifiers)]
    in_cpp = [r for unit in inputs.cpp for r in read_cpp_regions(unit, identifiers)]
    regions: list[Region | CppRegion | RefusedRegion] = [*in_c, *in_cpp]
    if regions and not for_recording:
        _require_kernels(inputs)
    if regions:
        check_program_queries((*inputs.hosts, *inputs.cpp))
    kernels, doubles = _all_kernels(inputs, patience)
    built = known_options(inputs) if regions else {}
    joining = Joining(inputs, kernels, patience)
    given = Given(
        inputs,
        program,
        kernels,
        targets,
        targets.each,
        targets.each[0],
        exact,
        Kernels(exact, taken, frozenset(reserved), unit_of=joining.unit_of),
        joining,
        Runs(program, {r.block: r.function for r in in_c if isinstance(r, Region)}),
        rows,
        name_of,
        doubles,
        frozenset(unit for unit, options in built.items() if options is None or len(options) < 2),
    )
    result = Result({}, [], [*inputs.unread, *_not_taken(inputs, regions, rows)])
    for region in regions:
        each = targets.of(region.identifier)
        own = replace(given, each=each, target=each[0])
        said = len(result.diagnostics)
        kept = given.fused.kept()
        try:
            planned = _region(region, own, result, for_recording=for_recording)
            if targets.near and planned.has_neighbours:
                told = result.diagnostics[said:]
                del result.diagnostics[said:]
                own = replace(given, fused=kept, each=targets.near, target=targets.near[0])
                near = _region(region, own, result, for_recording=for_recording)
                if near.computes_again:
                    given, planned = replace(given, fused=kept), near
                else:
                    result.diagnostics[said:] = told
        except KFusionError as refused:  # it stays as it is written; the others go on
            if refused.exit_code == 1:  # but an annotation that the code contradicts is an error
                raise
            result.diagnostics[said:] = [each.as_warning() for each in refused.diagnostics]
            planned = PlannedRegion(region, ())
        result.regions.append(replace(planned, said=tuple(result.diagnostics[said:])))
    inputs = joining.with_texts(list(given.fused.units.values()))
    given = replace(given, inputs=inputs)
    check_points(given)
    result.files = output_texts(given, result)
    result.diagnostics += [*without_values(given), *relaxed(given)]
    for unit in inputs.kernels:
        name, made = unit.source.path.name, with_kernels(unit, given)
        result.programs[name] = (unit.source.written.text, made.text)
        if unit not in inputs.files and given.fused.of(unit):
            result.strings[name] = made
    for unit, options in known_options(inputs).items():
        if options is not None:
            result.builds[unit.source.path.name] = options
    return result


def _opened(inputs: Inputs) -> Inputs:
    """What kernels read through functions is read in kernels."""
    units = {unit: with_calls_written_out(unit) for unit in inputs.kernels}
    embedded = tuple(replace(each, unit=units[each.unit]) for each in inputs.embedded)
    return replace(inputs, kernels=tuple(units.values()), embedded=embedded)


def _not_taken(
    inputs: Inputs,
    regions: Sequence[Region | CppRegion | RefusedRegion],
    rows: Sequence[RecordedRow],
) -> Iterator[Diagnostic]:
    """Annotations that are misspelt, and records of other programs."""
    units: tuple[Unit | CppUnit, ...] = (*inputs.files, *inputs.cpp)
    for unit in units:
        yield from unit.annotations.overlooked
    for unit in inputs.applications:
        marks = (m.annotation for m in unit.annotations.regions if m.refused is None)
        span = next((each for each in marks if each.text.startswith("kfuse")), None)
        if span is not None and "kfuse" not in unit.macros.history:
            text = "'kfuse' is a macro that this file does not have: it does not compile"
            help = "write `#include <kfusion.h>`, or `#pragma kfuse(...)`, which needs no header"
            yield warning("KF109", text, span, help)
    if not regions:
        text, help = (
            "none of the files holds a region: they are copied",
            "write `#pragma kfuse(x, y)`",
        )
        span = next((unit.source.line_span(1) for unit in units), None)
        help += " before a block of library calls"
        yield Diagnostic("KF114", Severity.NOTE, text, span, help=help)
    known = {(region.identifier, region.unit.source.path.name) for region in regions}
    for record in dict.fromkeys(row.record for row in rows):
        own = [row for row in rows if row.record == record]
        if not any((row.region, row.file) in known for row in own):
            text = f"this record is of other regions: '{own[0].region}' of {own[0].file}"
            yield Diagnostic("KF242", Severity.NOTE, text, own[0].span)


def _all_kernels(
    inputs: Inputs, patience: float
) -> tuple[dict[str, Kernel], dict[str, KFusionError]]:
    """And those of which there are two: regions that launch them cannot be done."""
    kernels: dict[str, Kernel] = {}
    doubles: dict[str, KFusionError] = {}
    for unit in inputs.kernels:
        for name, kernel in read_kernels(unit, patience).items():
            if name in kernels:
                doubles[name] = error(
                    "KF128",
                    f"kernel '{name}' is defined twice",
                    kernel.span,
                    related=(("the other definition", kernels[name].span),),
                )
            kernels.setdefault(name, kernel)
    return kernels, doubles


def _region(
    region: Region | CppRegion | RefusedRegion,
    given: Given,
    result: Result,
    *,
    for_recording: bool,
) -> PlannedRegion:
    if isinstance(region, RefusedRegion):
        raise region.reason
    harmless = frozenset(region.mark.harmless)
    settled = frozenset[str]().union(*(each.outside for each in result.regions))
    if isinstance(region, CppRegion):
        check_names(region)
        closed = closedness_of_cpp(region, given.program, harmless, settled)
    else:
        closed = closedness(region.block, region.function, given.program, harmless, settled)
    if closed.opened:
        opened = {reason.message: reason for reason in reversed(closed.opened)}
        result.diagnostics += [reason.as_cut() for reason in reversed(opened.values())]
        return PlannedRegion(region, ())
    names = end_names(region, given.program, closed)
    if names is None and (note := not_looked_at(region)) is not None:
        result.diagnostics.append(note)
    if for_recording:
        return PlannedRegion(region, (), closed.settles, names, True, closed.leaves)
    told = _told(region, closed, names, given)
    # This looks at the annotation, too.
    paths: list[_Path] = []
    if isinstance(region, Region):
        paths = _predicted(region, names, given, result, told=bool(told))
    if told:
        paths = [(told[0].prediction, told)]
    elif isinstance(region, CppRegion):
        result.diagnostics.append(nothing_told(region).as_cut())
    _refuse_doubles(paths, given)
    paths = [(path, [alike(given.joining.of_row(row)) for row in rows]) for path, rows in paths]
    patterns: list[PlannedPattern] = []
    likeliest = 0
    planned: dict[object, list[PlannedPattern]] = {}  # by the shapes of rows
    loops: dict[object, str] = {}  # by their shapes, the names of their patterns
    for path, rows in paths:
        for row in rows if path.likely or not patterns else ():
            kinds = shape([row.prediction.launches])
            least = 1 if given.target.strip else 2  # one may be in strips
            if len(row.prediction.launches) >= least and kinds not in planned:
                number = max((each.number for each in patterns), default=-1) + 1
                planned[kinds] = planned_for_each(region, row, number, loops, given)
                patterns += planned[kinds]
        if path is paths[0][0]:
            likeliest = len(patterns)
    kernels = None
    if paths:
        _tell(region, paths[0][0], patterns, likeliest, closed, result)
        runs = _runs(*paths[0], given)
        if any(count > 0 for count, _ in runs):  # what is not found may be any number
            kernels = kernels_of(runs, planned, loops)
    return PlannedRegion(
        region, tuple(patterns), closed.settles, names, leaves=closed.leaves, kernels=kernels
    )


def _refuse_doubles(paths: Iterable[_Path], given: Given) -> None:
    """Of kernels of one name it cannot be told which is launched."""
    for launch in (each for _, rows in paths for row in rows for each in row.prediction.launches):
        if (double := given.doubles.get(launch.invocation.kernel.name)) is not None:
            raise double


def _told(
    region: Region | CppRegion,
    closed: Closedness,
    names: EndNames | None,
    given: Given,
) -> list[ExpectedRow]:
    """What the annotation or a recorded run says that the region launches."""
    rows = [
        row
        for row in given.recorded
        if row.region == region.identifier and row.file == region.unit.source.path.name
    ]
    if not region.mark.runs and not rows:
        return []
    apart = Apart(closed.functions)
    told: list[ExpectedRow] = []
    if region.mark.runs:
        told.append(told_by_runs(region.mark.runs, given.kernels, names, apart))
    return told + told_by_records(rows, given.kernels, given.program, names, apart)


def _runs(
    path: Prediction, rows: Sequence[ExpectedRow], given: Given
) -> list[tuple[int, list[tuple[PredictedLaunch, ...]]]]:
    """The times that the region may run: how many launches, and the rows of known ones."""
    launches = [row.prediction.launches for row in rows]
    if all(row.origin == BY_EXECUTION for row in rows):
        return [(sum(map(len, path.segments)) + len(path.unknown), launches)]
    recorded: dict[Span | None, int] = {r.span: len(r.launches) for r in given.recorded}
    times: dict[Span | None, list[tuple[PredictedLaunch, ...]]] = {}
    for row in launches:
        times.setdefault(row[0].invocation.span, []).append(row)
    return [(recorded.get(at, sum(map(len, found))), found) for at, found in times.items()]


def _predicted(
    region: Region, names: EndNames | None, given: Given, result: Result, *, told: bool
) -> list[_Path]:
    """What execution says that it launches, path by path. `told`: the user says it, too."""
    predicted = predictions(region, given.program, given.kernels, given.runs)
    observation = Observation(
        region, predicted, given.program, given.kernels, given.runs, told=told
    )
    result.diagnostics += observation.notes
    oracle, drops = partial(_expected, given), partial(observation.drops, names=names)
    found: list[_Path] = []
    for path in predicted.likely:
        held = predicted.are_one and observation.is_settled(path, names)
        rows = [
            ExpectedRow(row, oracle, drops, BY_EXECUTION, held and not row.settled_behind)
            for row in _rows(path)
        ]
        found.append((path, rows))
    return found


def _expected(given: Given, row: Prediction) -> Expected:
    apart = {**row.of_several_programs(given.alike), **kept_apart(row.launches)}
    return Expected(given.program, row, apart)


def _rows(path: Prediction) -> list[Prediction]:
    """The launches of a path that are likely to be noted together."""
    stretches = path.stretches
    last = len(stretches) - 1
    return [
        replace(path, segments=(row,), settled_behind=path.settled_behind or number < last)
        for number, row in enumerate(stretches)
    ]


def _tell(
    region: Region | CppRegion,
    path: Prediction,
    patterns: list[PlannedPattern],
    likeliest: int,
    closed: Closedness,
    result: Result,
) -> None:
    """What is not fused, of the likeliest path: so many of the patterns are its own."""
    help = None
    cuts = [why for each in patterns[:likeliest] for cut in each.plan.cuts for why in cut.reasons]
    cuts += [launch.apart for row in path.stretches[1:] for launch in row if launch.apart]
    cuts += path.unknown
    result.diagnostics += [reason.as_cut() for reason in dict.fromkeys(cuts)]
    result.diagnostics += [
        warning(r.code, r.message, r.span or region.mark.annotation, r.help) for r in path.unset
    ]
    if any(each.patterns for each in patterns):
        return
    if sum(map(len, path.segments)) + len(path.unknown) < 2:
        text = "a region with fewer than two launches has nothing to fuse"
        code = "KF402"
        unknown = sorted(name for name in closed.settles if kind_of(name) is Kind.UNKNOWN)
        if unknown:
            listed = ", ".join(f"'{name}'" for name in unknown[:3])
            text = f"fewer than two launches are seen here: none of the files defines {listed}"
            help = "give kfusion the files of the library, too"
    else:
        text = "nothing in this region is fused; it stays as it is"
        code = "KF401"
    severity = Severity.WARNING if help else Severity.NOTE  # --strict is not met
    result.diagnostics.append(Diagnostic(code, severity, text, region.mark.annotation, help=help))


def _require_kernels(inputs: Inputs) -> None:
    if not inputs.kernels:
        raise error(
            "KF114",
            "none of the files is a kernel file (.cl)",
            help="give the kernels, too; those that a program composes come from a run of it: "
            "see --for-recording",
        )
