"""The whole way: parsed inputs, plans, new texts. No files are written here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from operator import attrgetter
from pathlib import Path

from kfusion.demands import kernels_of
from kfusion.expected import Apart, ExpectedRow, told_by_records, told_by_runs
from kfusion.graph.drops import Drop, Why
from kfusion.graph.legality import Legal
from kfusion.graph.model import RegionPlan
from kfusion.graph.plan import Pair, plan_region
from kfusion.graph.target import Target, Targets
from kfusion.host.at_end import EndNames, end_names, not_looked_at
from kfusion.host.closed import Closedness, closed_as_a_whole, closedness
from kfusion.host.closed_cpp import check_names, closedness_of_cpp, nothing_told
from kfusion.host.known import Kind, kind_of
from kfusion.host.observed import Observation
from kfusion.host.options import check_program_queries, groups_are_full, kernel_defines
from kfusion.host.oracle import Expected
from kfusion.host.outside import has_redirected
from kfusion.host.predict import Prediction, numbered, predictions
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
from kfusion.host.symbolic import Sym
from kfusion.host.sync import kept_apart
from kfusion.kernel.model import Kernel
from kfusion.kernel.read import PATIENCE, read_kernels
from kfusion.loops import loops_in, plans_of_rounds, rounds_of
from kfusion.parse.cpp import CppUnit
from kfusion.parse.embedded import build_options
from kfusion.parse.files import Inputs, parse_sources
from kfusion.parse.recorded import RecordedRow, recorded_programs, recorded_rows
from kfusion.parse.sources import Sources
from kfusion.parse.unit import Unit
from kfusion.planning import Kernels, Plans, blocks_of, pattern_of, plans_of
from kfusion.regenerate.additions import Addition, addition
from kfusion.regenerate.fused_header import header_texts
from kfusion.regenerate.including import (
    calls_opencl,
    include_cpp_edit,
    include_edit,
    reader_edits,
    region_edit,
)
from kfusion.regenerate.names import names_in
from kfusion.regenerate.pattern import Loop, Pattern, range_key
from kfusion.regenerate.tables import RegionText, pattern_text
from kfusion.runtime import CALLS_NAME, HEADER_NAME
from kfusion.source.dataclasses import dataclass
from kfusion.source.depth import refuses_depth
from kfusion.source.diagnostics import Diagnostic, KFusionError, Severity, error
from kfusion.source.text import Edit, SourceFile, Span, Spliced, bytes_of
from kfusion.synthesis.files import given_edits, section_edits
from kfusion.synthesis.model import FusedKernel, NotWrittenError

FLAT: Callable[[Path], str] = attrgetter("name")  # all outputs in one folder
MOST_FLAT = 16  # launches of a loop in a row that is planned as it is, too
BY_EXECUTION = "by executing the host files"
_Path = tuple[Prediction, list[ExpectedRow]]  # a path, and its launches in rows


@dataclass(frozen=True)
class PlannedPattern:
    """One sequence of launches that a region is expected to make."""

    region: Region | CppRegion
    prediction: Prediction
    plans: Plans
    patterns: tuple[Pattern, ...]  # none: nothing of it is fused
    number: int  # which of the region's sequences
    origin: str  # of the prediction
    on: str = ""  # devices of this class only

    @property
    def name(self) -> str:
        """For people: file and line."""
        number = f" ({self.number + 1})" if self.number else ""
        return self.region.name + number + (f" on {self.on}" if self.on else "")

    @property
    def plan(self) -> RegionPlan:
        return self.plans.best

    @property
    def launches(self) -> tuple[PredictedLaunch, ...]:
        return self.prediction.launches

    @property
    def values(self) -> Mapping[str, Sym]:
        """What names of memory and scalars stand for."""
        return self.prediction.values

    @property
    def kernels(self) -> dict[tuple[int, ...], FusedKernel]:
        """Those of the best plan, by the launches that they stand for."""
        found: dict[tuple[int, ...], FusedKernel] = {}
        first = 0
        for pattern in self.patterns:
            form = pattern.less or pattern.whole
            forms = pattern.loop.forms[:1] if pattern.loop else [form] if form is not None else []
            for group, kernel in (each for form in forms for each in form.kernels.items()):
                found[tuple(first + member for member in group.members)] = kernel
            first += len(pattern.invocations)
        return found


@dataclass(frozen=True)
class PlannedRegion:
    region: Region | CppRegion | RefusedRegion
    patterns: tuple[PlannedPattern, ...]  # the likeliest first
    outside: frozenset[str] = frozenset()  # functions that nothing is held back around
    names: EndNames | None = None  # variables that the run time looks at in the end
    for_recording: bool = False
    kernels: int | None = None  # that its likeliest path comes to; None: not known
    said: tuple[Diagnostic, ...] = ()  # of this region

    @property
    def fuses(self) -> bool:
        return any(each.patterns for each in self.patterns)

    @property
    def is_marked(self) -> bool:
        """Does it get its line?"""
        return self.fuses or self.for_recording

    @property
    def shown(self) -> EndNames | None:
        """The names that stand in the region's line."""
        drops = (d for each in self.patterns for p in each.patterns for d in p.drops)
        needed = self.for_recording or any(drop.why is Why.AT_END for drop in drops)
        return self.names if needed else None


@dataclass
class Result:
    """Everything a run decided and made; `files` maps names to texts."""

    files: dict[str, str]
    regions: list[PlannedRegion]
    diagnostics: list[Diagnostic] = field(default_factory=list)
    # By name: kernel files and programs in strings, as they were and with the fused kernels.
    programs: dict[str, tuple[str, str]] = field(default_factory=dict)
    # By name: the options of all builds of a program, if they are known.
    builds: dict[str, tuple[str, ...]] = field(default_factory=dict)
    # By name: files that come from inputs, and programs in strings that get fused kernels.
    spliced: dict[str, Spliced] = field(default_factory=dict)
    strings: dict[str, Spliced] = field(default_factory=dict)

    @property
    def expected(self) -> list[PlannedPattern]:
        """The likeliest sequence of each region."""
        return [region.patterns[0] for region in self.regions if region.patterns]

    @property
    def to_run(self) -> list[PlannedPattern]:
        """These, and all others of which something is fused."""
        found = [each for region in self.regions for each in region.patterns]
        return [each for each in found if each.patterns or each in self.expected]

    @property
    def options(self) -> dict[str, str]:
        """That programs are built with, whatever the host does."""
        return {name: of_all[0] for name, of_all in self.builds.items() if len(of_all) == 1}

    @property
    def not_fused(self) -> list[Diagnostic]:
        return [d for d in self.diagnostics if d.severity in (Severity.CUT, Severity.WARNING)]


@dataclass(frozen=True)
class _Given:
    """What all regions share."""

    inputs: Inputs
    program: HostProgram
    kernels: dict[str, Kernel]
    targets: Targets
    each: tuple[Target, ...]  # for the region
    target: Target  # of these, the one that is planned for
    exact: bool
    fused: Kernels
    runs: Runs
    recorded: tuple[RecordedRow, ...] = ()
    name_of: Callable[[Path], str] = FLAT
    doubles: Mapping[str, KFusionError] = field(default_factory=dict)  # kernels with one name

    @property
    def on(self) -> str:
        """The class of devices, if several are planned for."""
        return self.target.name if len(self.each) > 1 else ""

    @property
    def suffix(self) -> str:
        """Of names of what the first target has another one of."""
        return f"_on_{self.on}" if self.target is not self.each[0] else ""


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
    inputs = parse_sources(sources, kernel_defines, strings=True, recorded=programs)
    program = HostProgram(inputs.hosts, inputs.cpp)
    taken = set[str]().union(*(names_in(unit) for unit in inputs.all))
    identifiers: set[str] = set()
    in_c = [r for unit in inputs.applications for r in read_regions(unit, identifiers)]
    in_cpp = [r for unit in inputs.cpp for r in read_cpp_regions(unit, identifiers)]
    regions: list[Region | CppRegion | RefusedRegion] = [*in_c, *in_cpp]
    if regions and not for_recording:
        _require_kernels(inputs)
    if regions:
        check_program_queries((*inputs.hosts, *inputs.cpp))
    kernels, doubles = _all_kernels(inputs, patience)
    given = _Given(
        inputs,
        program,
        kernels,
        targets,
        targets.each,
        targets.each[0],
        exact,
        Kernels(exact, taken),
        Runs(program, {r.block: r.function for r in in_c if isinstance(r, Region)}),
        rows,
        name_of,
        doubles,
    )
    result = Result({}, [], [*inputs.unread, *_not_taken(inputs, regions, rows)])
    for region in regions:
        each = targets.of(region.identifier)
        own = replace(given, each=each, target=each[0])
        said = len(result.diagnostics)
        try:
            planned = _region(region, own, result, for_recording=for_recording)
        except KFusionError as refused:  # it stays as it is written; the others go on
            if refused.exit_code == 1:  # but an annotation that the code contradicts is an error
                raise
            result.diagnostics[said:] = [each.as_warning() for each in refused.diagnostics]
            planned = PlannedRegion(region, ())
        result.regions.append(replace(planned, said=tuple(result.diagnostics[said:])))
    result.files = _texts(given, result)
    for unit in inputs.kernels:
        name, made = unit.source.path.name, _with_kernels(unit, given)
        result.programs[name] = (unit.source.text, made.text)
        if unit not in inputs.files and given.fused.of(unit):
            result.strings[name] = made
    for unit, options in _build_options(inputs).items():
        if options is not None:
            result.builds[unit.source.path.name] = options
    return result


def _not_taken(
    inputs: Inputs,
    regions: Sequence[Region | CppRegion | RefusedRegion],
    rows: Sequence[RecordedRow],
) -> Iterator[Diagnostic]:
    """Annotations that are misspelt, and records of other programs."""
    units: tuple[Unit | CppUnit, ...] = (*inputs.files, *inputs.cpp)
    for unit in units:
        yield from unit.annotations.overlooked
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
    given: _Given,
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
        return PlannedRegion(region, (), closed.settles, names, True)
    # This looks at the annotation, too.
    paths = _predicted(region, names, given, result) if isinstance(region, Region) else []
    told = _told(region, closed, names, given)
    if told:
        paths = [(told[0].prediction, told)]
    elif isinstance(region, CppRegion):
        result.diagnostics.append(nothing_told(region).as_cut())
    _refuse_doubles(paths, given)
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
                planned[kinds] = _planned_for_each(region, row, number, loops, given)
                patterns += planned[kinds]
        if path is paths[0][0]:
            likeliest = len(patterns)
    kernels = None
    if paths:
        _tell(region, paths[0][0], patterns, likeliest, closed, result)
        runs = _runs(*paths[0], given)
        if any(count > 0 for count, _ in runs):  # what is not found may be any number
            kernels = kernels_of(runs, planned, loops)
    return PlannedRegion(region, tuple(patterns), closed.settles, names, kernels=kernels)


def _refuse_doubles(paths: Iterable[_Path], given: _Given) -> None:
    """Of kernels of one name it cannot be told which is launched."""
    for launch in (each for _, rows in paths for row in rows for each in row.prediction.launches):
        if (double := given.doubles.get(launch.invocation.kernel.name)) is not None:
            raise double


def _told(
    region: Region | CppRegion,
    closed: Closedness,
    names: EndNames | None,
    given: _Given,
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
    path: Prediction, rows: Sequence[ExpectedRow], given: _Given
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
    region: Region, names: EndNames | None, given: _Given, result: Result
) -> list[_Path]:
    """What execution says that it launches, path by path."""
    predicted = predictions(region, given.program, given.kernels, given.runs)
    observation = Observation(region, predicted, given.program, given.kernels, given.runs)
    result.diagnostics += observation.notes
    oracle, drops = partial(_expected, given), partial(observation.drops, names=names)
    found: list[_Path] = []
    for path in predicted.likely:
        held = len(predicted.likely) == 1 and observation.is_settled(path, names)
        rows = [
            ExpectedRow(row, oracle, drops, BY_EXECUTION, held and not row.settled_behind)
            for row in _rows(path)
        ]
        found.append((path, rows))
    return found


def _expected(given: _Given, row: Prediction) -> Expected:
    apart = {**row.of_several_programs, **kept_apart(row.launches)}
    return Expected(given.program, row, apart)


def _rows(path: Prediction) -> list[Prediction]:
    """The launches of a path that are likely to be noted together."""
    stretches = path.stretches
    last = len(stretches) - 1
    return [
        replace(path, segments=(row,), settled_behind=path.settled_behind or number < last)
        for number, row in enumerate(stretches)
    ]


def _planned_for_each(
    region: Region | CppRegion,
    expected: ExpectedRow,
    number: int,
    seen: dict[object, str],
    given: _Given,
) -> list[PlannedPattern]:
    """Of all targets."""
    found: list[PlannedPattern] = []
    before = dict(seen)
    for target in given.each:
        loops = seen if not found else dict(before)
        found += _planned_all(region, expected, number, loops, replace(given, target=target))
    return found


def _planned_all(
    region: Region | CppRegion,
    expected: ExpectedRow,
    number: int,
    seen: dict[object, str],
    given: _Given,
) -> list[PlannedPattern]:
    """Of the loops in it what they make if they go round so often, and however often."""
    loops: list[PlannedPattern] = []
    longest = 0
    for piece, loop in loops_in(expected.prediction.launches):
        kinds = shape([rounds_of(piece, loop, 2)])
        if kinds in seen:
            continue
        seen[kinds] = f"{region.identifier}_loop" + (f"_{len(seen) + 1}" if seen else "")
        planned = _looped(region, expected, piece, loop, seen[kinds] + given.suffix, given)
        if planned is not None:
            loops.append(planned)
            longest = max(longest, len(piece))
    found = loops
    if longest <= MOST_FLAT:
        flat = _planned(region, expected, number, given)
        found = [flat, *loops] if flat.patterns or not loops else loops
    return [replace(each, number=number + n) for n, each in enumerate(found)]


def _looped(
    region: Region | CppRegion,
    expected: ExpectedRow,
    row: Sequence[PredictedLaunch],
    loop: Loop,
    name: str,
    given: _Given,
) -> PlannedPattern | None:
    """None: none of several rounds is one kernel."""
    prediction, pairs = expected.prediction, dict[Pair, Legal | None]()

    def plan(launches: tuple[PredictedLaunch, ...]) -> RegionPlan:
        return plan_region(
            [launch.invocation for launch in launches],
            None,
            expected.oracle(replace(prediction, segments=(launches,))),
            given.target,
            exact=given.exact,
            pairs=pairs,
            alone=given.fused.alone,
        )

    plans = plans_of_rounds(row, loop, plan)
    if not plans:
        return None
    try:
        forms = tuple(
            replace(given.fused.form(first, given.suffix), rounds=rounds)
            for rounds, each in plans.items()
            for first in [replace(each, groups=each.groups[:1])]
        )
    except NotWrittenError as failed:
        given.fused.alone[failed.kernel] = failed.reason
        return None
    rounds, longest = next(iter(plans.items()))
    longest = replace(longest, cuts=())  # what is behind is there for the sake of the group
    launches = rounds_of(row, loop, rounds + loop.payers)
    pattern = Pattern(
        name,
        longest.invocations,
        None,
        loop=replace(loop, forms=forms, price=longest.groups[0].apart // rounds),
        target=given.target if given.on else None,
    )
    return PlannedPattern(
        region,
        replace(prediction, segments=(launches,)),
        Plans(longest, None, ()),
        (pattern,),
        0,
        expected.origin,
        given.on,
    )


def _planned(
    region: Region | CppRegion, expected: ExpectedRow, number: int, given: _Given
) -> PlannedPattern:
    prediction = expected.prediction
    launches = prediction.launches

    def planned(row: Prediction, others: Sequence[PredictedLaunch]) -> Plans:
        used = {memory.name for launch in others for memory in launch.invocation.memory}
        return plans_of(
            tuple(launch.invocation for launch in row.launches),
            [d for d in expected.drops(row) if d.memory not in used or d in of_all],
            expected.oracle(row),
            given.target,
            exact=given.exact,
            alone=given.fused.alone,
        )

    of_all: tuple[Drop, ...] = ()
    plans = planned(prediction, ())
    of_all = plans.drops
    patterns: list[Pattern] = []
    if plans.best.fuses:
        name = region.identifier + (f"_or_{number + 1}" if number else "")
        blocks = blocks_of(plans)
        for first, end in blocks:
            part = plans
            if len(blocks) > 1:
                row = replace(prediction, segments=(numbered(launches[first:end]),))
                part = planned(row, (*launches[:first], *launches[end:]))
            held = expected.held and len(blocks) == 1
            part_name = name + (f"_part_{len(patterns) + 1}" if patterns else "") + given.suffix
            try:
                made = pattern_of(part_name, part, given.fused, given.suffix, held=held)
                patterns.append(replace(made, target=given.target if given.on else None))
            except NotWrittenError as failed:
                given.fused.alone[failed.kernel] = failed.reason
                return _planned(region, expected, number, given)
    return PlannedPattern(
        region, prediction, plans, tuple(patterns), number, expected.origin, given.on
    )


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
    if any(each.patterns for each in patterns):
        return
    if sum(map(len, path.segments)) + len(path.unknown) < 2:
        text = "a region with fewer than two launches has nothing to fuse"
        code = "KF402"
        unknown = sorted(name for name in closed.settles if kind_of(name) is Kind.UNKNOWN)
        if unknown:
            listed = ", ".join(f"'{name}'" for name in unknown[:3])
            help = f"give kfusion the files of the library: none of those given defines {listed}"
    else:
        text = "nothing in this region is fused; it stays as it is"
        code = "KF401"
    severity = Severity.WARNING if help else Severity.NOTE  # --strict is not met
    result.diagnostics.append(Diagnostic(code, severity, text, region.mark.annotation, help=help))


def _texts(given: _Given, result: Result) -> dict[str, str]:
    inputs, fused = given.inputs, [r for r in result.regions if r.is_marked]
    outside = frozenset[str]().union(*(r.outside for r in fused))
    callers = _callers(inputs, fused, outside)
    readers = [reader for r in fused if r.shown is not None for reader in r.shown.readers]
    spliced = result.spliced
    for unit in inputs.files:
        name = given.name_of(unit.source.path)
        if unit in inputs.kernels:
            spliced[name] = _with_kernels(unit, given)
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


def _with_kernels(unit: Unit, given: _Given) -> Spliced:
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
    given: _Given,
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


def _without_doubles(patterns: Iterable[Pattern], given: _Given) -> Iterator[Pattern]:
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


def _additions(given: _Given) -> list[Addition]:
    """For programs that are not built from the kernel files of this output."""
    inputs = given.inputs
    full_groups = groups_are_full((*inputs.hosts, *inputs.cpp))
    found: list[Addition | None] = []
    strings = {each.unit: each for each in inputs.embedded}
    for unit, options in _build_options(inputs).items():
        text = strings.get(unit)
        data = text.data if text is not None else bytes_of(unit.source.text)
        kernels = given.fused.of(unit)
        found.append(addition(unit, data, kernels, options, full_groups=full_groups))
    return [each for each in found if each is not None]


def _build_options(inputs: Inputs) -> dict[Unit, tuple[str, ...] | None]:
    """The options of all builds of each kernel file and string; None: not known."""
    options = build_options(inputs.hosts)
    if any(each.builds for each in inputs.cpp):
        options = None
    own = {each.unit: each.options for each in inputs.embedded if each.options is not None}
    return {unit: own.get(unit, options) for unit in inputs.kernels}


def _require_kernels(inputs: Inputs) -> None:
    if not inputs.kernels:
        raise error(
            "KF114",
            "none of the files is a kernel file (.cl)",
            help="give the kernels, too; those that a program composes come from a run of it: "
            "see --for-recording",
        )
