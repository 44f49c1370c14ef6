"""The whole way: parsed inputs, plans, new texts. No files are written here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace

from kfusion.graph.model import Group, RegionPlan
from kfusion.graph.plan import plan_region
from kfusion.graph.target import ANY, Target
from kfusion.host.handles import HandleTable, read_handles
from kfusion.host.liveness import Liveness, observed_after
from kfusion.host.merge import RegionAnalysis
from kfusion.host.moving import reordered, runs_ahead, swapped
from kfusion.host.options import check_program_queries, kernel_defines
from kfusion.host.origins import Origins
from kfusion.host.program import HostProgram
from kfusion.host.regions import Region, read_regions
from kfusion.host.setup import read_setups
from kfusion.host.sticky import Reliances
from kfusion.kernel.model import Kernel
from kfusion.kernel.read import read_kernels
from kfusion.parse.annotations import misspelt_region
from kfusion.parse.files import Inputs, parse_sources
from kfusion.parse.sources import Sources
from kfusion.parse.unit import Unit
from kfusion.regenerate.application import FusedCall, Moved, region_edit
from kfusion.regenerate.function import FusedFunction, build_function
from kfusion.regenerate.header import HEADER_NAME, header_text
from kfusion.regenerate.library import appended, include_edit, release_edits
from kfusion.regenerate.moving import Check, build_check
from kfusion.regenerate.names import combined_name, names_in
from kfusion.regenerate.pieces import CannotWriteError
from kfusion.regenerate.sharing import for_both
from kfusion.source.dataclasses import dataclass
from kfusion.source.depth import refuses_depth
from kfusion.source.diagnostics import Diagnostic, Severity, error
from kfusion.source.lexer import tokenize
from kfusion.source.text import Edit, apply_edits
from kfusion.synthesis.files import section_edits
from kfusion.synthesis.kernel import synthesise
from kfusion.synthesis.model import FusedKernel
from kfusion.synthesis.several import ITEM


@dataclass(frozen=True)
class PlannedRegion:
    region: Region
    plan: RegionPlan
    analysis: RegionAnalysis
    order: tuple[int, ...]  # for each invocation of the plan, which call it was as written
    kernels: dict[Group, FusedKernel]  # of the fused groups, under the names that were written


@dataclass
class Result:
    """Everything a run decided and made; `files` maps names to texts."""

    files: dict[str, str]
    regions: list[PlannedRegion]
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def not_fused(self) -> list[Diagnostic]:
        return [d for d in self.diagnostics if d.severity is Severity.CUT]


_Tokens = tuple[tuple[str, ...], tuple[str, ...]]  # of a kernel and its function


@dataclass
class _Output:
    """What is added to which file, collected over all regions."""

    exact: bool
    target: Target
    edits: dict[Unit, list[Edit]] = field(default_factory=dict)
    functions: dict[_Tokens, FusedFunction] = field(default_factory=dict)
    kernel_units: dict[_Tokens, Unit] = field(default_factory=dict)  # where each has its kernel
    checks: list[Check] = field(default_factory=list)
    callers: dict[str, set[Unit]] = field(default_factory=dict)  # of functions and checks
    taken: set[str] = field(default_factory=set)

    def functions_in(self, unit: Unit) -> list[FusedFunction]:
        return [f for f in self.functions.values() if f.unit is unit]

    def checks_in(self, unit: Unit) -> list[Check]:
        return [check for check in self.checks if check.unit is unit]

    def kernels_in(self, unit: Unit) -> list[FusedKernel]:
        return [f.kernel for key, f in self.functions.items() if self.kernel_units[key] is unit]


@refuses_depth
def fuse_files(sources: Sources, *, exact: bool = False, target: Target = ANY) -> Result:
    """`exact`: not even a compiler that contracts operations of two kernels changes a bit."""
    inputs = parse_sources(sources, kernel_defines)
    _require_kinds(inputs)
    program = HostProgram(inputs.hosts)
    kernels = _all_kernels(inputs)
    setups = read_setups(program)
    handles = read_handles(program, setups)
    check_program_queries(inputs.hosts)
    reliances = Reliances(program, handles, kernels)
    origins = Origins(program, setups)
    output = _Output(exact, target)
    for unit in inputs.all:
        output.taken |= names_in(unit)
    result = Result({}, [])
    for unit in inputs.applications:
        for region in read_regions(unit, program):
            _region(region, program, handles, kernels, reliances, origins, output, result)
    result.files = _texts(inputs, program, output)
    return result


def _all_kernels(inputs: Inputs) -> dict[str, Kernel]:
    kernels: dict[str, Kernel] = {}
    for unit in inputs.kernels:
        for name, kernel in read_kernels(unit).items():
            if name in kernels:
                raise error(
                    "KF128",
                    f"kernel '{name}' is defined twice",
                    kernel.span,
                    related=(("the other definition", kernels[name].span),),
                )
            kernels[name] = kernel
    return kernels


def _region(
    region: Region,
    program: HostProgram,
    handles: HandleTable,
    kernels: dict[str, Kernel],
    reliances: Reliances,
    origins: Origins,
    output: _Output,
    result: Result,
) -> None:
    if len(region.calls) < 2:
        result.diagnostics.append(
            Diagnostic(
                "KF402",
                Severity.NOTE,
                "a region with fewer than two calls has nothing to fuse",
                region.mark.annotation,
                help="write one call in each statement" if region.crowded else None,
                related=(("several calls stand here", region.crowded),) if region.crowded else (),
            )
        )
        if not region.calls:
            return

    def analyse(region: Region) -> RegionAnalysis:
        return RegionAnalysis(region, program, handles, kernels, reliances, origins)

    arranged = _in_order(analyse(region), output)
    result.diagnostics += arranged.liveness.notes
    arranged = _in_better_order(arranged, analyse, output) or arranged
    analysis, plan = arranged.analysis, arranged.plan
    result.diagnostics += [cut.reason.as_cut() for cut in plan.cuts]
    calls: list[FusedCall] = []
    fused: dict[Group, FusedKernel] = {}
    for draft in arranged.drafts:
        call, written = _group(analysis, plan, draft, output)
        calls.append(call)
        # Of a shared kernel the parameters stand for this region's own arguments.
        fused[draft.group] = replace(draft.function.kernel, name=written.kernel.name)
    result.regions.append(PlannedRegion(analysis.region, plan, analysis, arranged.order, fused))
    if calls:
        moved = None
        if arranged.checks:
            output.checks += arranged.checks
            moved = Moved(region, tuple((c.name, c.arguments) for c in arranged.checks))
        for name in (*(call.name for call in calls), *(c.name for c in arranged.checks)):
            output.callers.setdefault(name, set()).add(region.unit)
        edit = region_edit(analysis.region, calls, moved)
        output.edits.setdefault(region.unit, []).append(edit)
    elif len(region.calls) > 1:
        result.diagnostics.append(
            Diagnostic(
                "KF401",
                Severity.NOTE,
                "nothing in this region is fused; it stays as it is",
                region.mark.annotation,
            )
        )


@dataclass(frozen=True)
class _Draft:
    """A group of a plan, and its function under the names that it would like to have."""

    group: Group
    function: FusedFunction


@dataclass(frozen=True)
class _Arranged:
    """A region with its calls in some order, what becomes of it, and when it may have it."""

    analysis: RegionAnalysis
    liveness: Liveness
    plan: RegionPlan
    drafts: list[_Draft]
    order: tuple[int, ...]
    checks: list[Check] = field(default_factory=list)

    @property
    def price(self) -> tuple[int, int]:
        groups = self.plan.groups
        return sum(g.loads_after + g.stores_after for g in groups), len(groups)


def _in_order(analysis: RegionAnalysis, output: _Output) -> _Arranged:
    liveness = observed_after(analysis)
    order = tuple(range(len(analysis.region.calls)))
    return _Arranged(analysis, liveness, *_written_plan(analysis, liveness, output), order)


def _in_better_order(
    written: _Arranged, analyse: Callable[[Region], RegionAnalysis], output: _Output
) -> _Arranged | None:
    """The region with calls moved past others that they do not need, if that saves something."""
    analysis = written.analysis
    if len(written.plan.groups) < 2 or not any(analysis.moving.simple):
        return None
    analysis.in_order = False
    groups = _plan(analysis, written.liveness, output).groups
    analysis.in_order = True
    order = tuple(member for group in groups for member in group.members)
    if order == written.order or runs_ahead(analysis.region, order):
        return None
    try:
        checks = _checks(analysis, order, output)
    except CannotWriteError:
        return None
    moved = _in_order(analyse(reordered(analysis.region, order)), output)
    moved = replace(moved, order=order, checks=checks)
    return moved if moved.price < written.price else None


def _checks(analysis: RegionAnalysis, order: tuple[int, ...], output: _Output) -> list[Check]:
    """For each library file whose calls change places."""
    calls = analysis.region.calls
    pairs: dict[Unit, list[tuple[int, int]]] = {}
    for p, q in swapped(order):
        pairs.setdefault(calls[p].function.unit, []).append((p, q))
    found: list[Check] = []
    for unit, mine in pairs.items():
        members = sorted({call for pair in mine for call in pair})
        base = combined_name([calls[i].function.name for i in members], ())
        name = combined_name([f"{base}_may_swap"], output.taken)
        output.taken.add(name)
        found.append(build_check(analysis, mine, name, _names_known(analysis, unit)))
    return found


def _written_plan(
    analysis: RegionAnalysis, liveness: Liveness, output: _Output
) -> tuple[RegionPlan, list[_Draft]]:
    """The best plan of which every group can be written."""
    while True:
        plan = _plan(analysis, liveness, output)
        drafts: list[_Draft] = []
        groups = [group for group in plan.groups if group.fused]
        for group in groups:
            try:
                names = _kernel_base(plan, group), _function_base(analysis, group)
                made = _make(analysis, plan, group, output.exact, *names)
                drafts.append(_Draft(group, made))
            except CannotWriteError as problem:
                if group.elements > 1:  # perhaps with the launch as it is
                    analysis.undivided.add(group.members)
                    continue
                analysis.refuse(group.members[0], group.members[-1], str(problem), problem.span)
        if len(drafts) == len(groups):
            return plan, drafts


def _plan(analysis: RegionAnalysis, liveness: Liveness, output: _Output) -> RegionPlan:
    """The plan, with as few stores as is consistent with it."""
    doubtful = liveness.if_internal
    while True:
        observed = liveness.observed | (liveness.if_internal - doubtful)
        plan = plan_region(
            analysis.invocations, observed, analysis, output.target, exact=output.exact
        )
        kept = {name for name in doubtful if not _is_internal(plan, name)}
        if not kept:
            return plan
        doubtful = doubtful - kept


def _is_internal(plan: RegionPlan, name: str) -> bool:
    """Does one group alone use the object, and keep it out of memory?"""
    users = [
        group
        for group in plan.groups
        if any(m.name == name for i in group.members for m in plan.invocations[i].memory)
    ]
    return len(users) == 1 and name in users[0].internalised


def _kernel_base(plan: RegionPlan, group: Group) -> str:
    return combined_name([plan.invocations[i].kernel.name for i in group.members], ())


def _function_base(analysis: RegionAnalysis, group: Group) -> str:
    return combined_name([analysis.region.calls[i].function.name for i in group.members], ())


def _group(
    analysis: RegionAnalysis, plan: RegionPlan, draft: _Draft, output: _Output
) -> tuple[FusedCall, FusedFunction]:
    """Kernel and function of a group; two groups that give one text share them."""
    group, probe = draft.group, draft.function
    members = [plan.invocations[i] for i in group.members]
    base, function_base = _kernel_base(plan, group), _function_base(analysis, group)
    key = (_without_comments(probe.kernel.text), _without_comments(probe.text))
    function = output.functions.get(key)
    if function is not None:
        output.functions[key] = for_both(function, probe)
    else:
        taken = set(output.taken)
        if probe.kernel.elements > 1:
            taken |= {name.removesuffix(ITEM) for name in taken}
        kernel_name = combined_name([m.kernel.name for m in members], taken)
        name = function_base
        if name in output.taken or (name == kernel_name and kernel_name != base):
            name = combined_name(
                [analysis.region.calls[i].function.name for i in group.members], output.taken
            )
        function = probe
        if (kernel_name, name) != (base, function_base):
            function = _make(analysis, plan, group, output.exact, kernel_name, name)
        output.taken |= {kernel_name, name, f"{name}_kernel", kernel_name + ITEM}
        output.functions[key] = function
        output.kernel_units[key] = members[0].kernel.unit
    # A shared function is called with the arguments of this region's own calls.
    first, last = group.members[0], group.members[-1]
    return FusedCall(first, last, function.name, probe.arguments), function


def _without_comments(text: str) -> tuple[str, ...]:
    """Two regions share a function if only the comments differ, which quote the calls."""
    return tuple(token.text for token in tokenize(text))


def _make(
    analysis: RegionAnalysis,
    plan: RegionPlan,
    group: Group,
    exact: bool,
    kernel_name: str,
    name: str,
) -> FusedFunction:
    kernel = synthesise(group, plan.invocations, kernel_name, exact=exact)
    unit = analysis.region.calls[group.members[-1]].function.unit
    return build_function(analysis, group, kernel, name, _names_known(analysis, unit))


def _names_known(analysis: RegionAnalysis, unit: Unit) -> set[str]:
    names = set(unit.macros.history)
    for each in analysis.program.units:
        names |= _global_names(each)
    return names


def _global_names(unit: Unit) -> set[str]:
    names = set(unit.functions)
    return names | {node.name for node in unit.ast.ext if getattr(node, "name", None)}


def _texts(inputs: Inputs, program: HostProgram, output: _Output) -> dict[str, str]:
    files: dict[str, str] = {}
    functions = list(output.functions.values())
    added: list[Check | FusedFunction] = [*output.checks, *functions]
    users = {f.name: {f.unit, *output.callers[f.name]} for f in added}
    files_of = _numbered(inputs, users)
    types = frozenset(
        word for f in added for word in f.prototype.replace("*", " ").replace("(", " ").split()
    )
    components = _component_handles(functions)
    for unit in inputs.all:
        text = unit.source.text
        edits = list(output.edits.get(unit, []))
        if unit in inputs.kernels:
            edits += section_edits(unit)
            kernels = output.kernels_in(unit)
            if kernels:
                edits.append(appended(text, [k.text for k in kernels]))
        elif own := output.functions_in(unit):
            edits.append(include_edit(unit, types, files_of.get(unit)))
            checks = [check.text for check in output.checks_in(unit)]
            edits.append(appended(text, [*checks, *(f.text for f in own)]))
            edits += release_edits(unit, program, components)
        elif edits:
            edits.append(include_edit(unit, types, files_of.get(unit)))
        files[unit.source.path.name] = apply_edits(text, _with_line_ends_of(text, edits))
    if functions:
        if HEADER_NAME in files:
            raise error(
                "KF103",
                f"{HEADER_NAME} is the name of the generated header",
                argument=HEADER_NAME,
            )
        prototypes = [
            (f.prototype, sorted(files_of[u] for u in users[f.name]) if files_of else [])
            for f in added
        ]
        several = any(f.kernel.elements > 1 for f in functions)
        files[HEADER_NAME] = header_text(prototypes, several, [f.text for f in added])
    return files


def _numbered(inputs: Inputs, users: dict[str, set[Unit]]) -> dict[Unit, int]:
    """The files that need some of the prototypes only: the types of others may be unknown there."""
    together = set().union(*users.values()) if users else set()
    if all(units == together for units in users.values()):
        return {}
    return {unit: number for number, unit in enumerate(inputs.all, 1) if unit in together}


def _with_line_ends_of(text: str, edits: list[Edit]) -> list[Edit]:
    """What is added to a file ends its lines as the file does."""
    end = "\r\n" if 2 * text.count("\r\n") > text.count("\n") else "\n"
    return [replace(e, new=e.new.replace("\r\n", "\n").replace("\n", end)) for e in edits]


def _component_handles(functions: list[FusedFunction]) -> set[str]:
    """Names under which the library keeps the components' handles."""
    return {name for f in functions for name in f.handles}


def _require_kinds(inputs: Inputs) -> None:
    if not inputs.applications:
        span = next(filter(None, (misspelt_region(unit.source) for unit in inputs.hosts)), None)
        raise error(
            "KF114",
            f"the pragma '{span.text}' is not understood, and none of the files holds a region"
            if span and span.text != "kfuse"  # that one is left out by #if
            else "none of the files holds a region",
            span,
            help="write `#pragma kfuse(x, y)` before a block of library calls",
        )
    if not inputs.kernels:
        raise error("KF114", "none of the files is a kernel file (.cl)")
