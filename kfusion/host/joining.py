"""May the host code of several calls become one function, and their launches one?

The host statements of all calls stay in program order. It is the launches that move, to
the place of the last one: legal when nothing in between observes, changes or releases
what a moved launch uses, and when the arguments still have the values they were set to.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from pycparser import c_ast

from kfusion.host.copied import copy_reason, form_reason
from kfusion.host.effects import (
    Effect,
    Launch,
    Release,
    SetArgument,
    Synchronise,
    Transfer,
    UnknownCall,
    Unsupported,
)
from kfusion.host.equality import identity, is_known
from kfusion.host.library import LibraryExecutor, Run
from kfusion.host.reach import Reach
from kfusion.host.regions import Between, RegionCall
from kfusion.host.spelling import spell, spell_place
from kfusion.host.statements import names_of
from kfusion.host.statuses import return_type, status_reason
from kfusion.host.symbolic import Entry, Local, Made, Num, Place, Pointee, Ref, State, Sym, leaves
from kfusion.kernel.model import Kernel
from kfusion.parse.annotations import Sync
from kfusion.source.diagnostics import Reason
from kfusion.source.protections import is_on, protection
from kfusion.source.text import Span

if TYPE_CHECKING:
    from kfusion.host.merge import RegionAnalysis

MOVED_PAST = protection("host-moved-past", "a launch moves past a statement that uses its data")
CHANGED_VALUE = protection("host-changed-value", "an argument has changed when the launch is made")
SYNCHRONISED = protection("host-synchronised", "a launch moves past a host synchronisation")
RELEASED = protection("host-released", "a launch moves past a release of what it uses")
STICKY = protection("host-sticky-arguments", "an argument that is set elsewhere is relied on")
ONE_LAUNCH = protection("host-one-launch", "a function may launch otherwise than once")
BETWEEN = protection("host-between", "a statement between calls uses what the calls use")
SYNC = protection("host-sync", "a sync annotation is ignored")
EVENTS = protection("host-events", "wait lists that cannot be joined are joined")
QUEUES = protection("host-queues", "launches on different queues are fused")
LIBRARIES = protection("host-libraries", "functions of different files are fused")
RESULTS = protection("host-results", "a result that is used is lost")
STATUS = protection("host-status", "statuses are handled in different forms")


class Joining:
    """The reasons against joining the calls first..last of a region."""

    def __init__(self, analysis: RegionAnalysis) -> None:
        self.analysis = analysis
        self.region = analysis.region
        self.runs = analysis.runs
        self.reach = Reach(analysis.region, analysis.program)

    def reason(self, first: int, last: int, runs: list[Run]) -> Reason | None:
        if first == last:
            return None
        return (
            self._functions_reason(first, last, runs)
            or self._application_reason(first, last, runs)
            or (self._events_reason(runs) if is_on(EVENTS) else None)
            or self._moves_reason(runs)
            or self._values_reason(runs)
        )

    def _span(self, run: Run, node: c_ast.Node) -> Span:
        """Where something stands that a call does, itself or by a function of another file."""
        return self.analysis.program.node_span(node, run.function.unit)

    def _functions_reason(self, first: int, last: int, runs: list[Run]) -> Reason | None:
        """What each function must be like, whatever it is joined with."""
        for offset, run in enumerate(runs):
            call = self.region.calls[first + offset]
            spans = sorted((a.span.start, a.span.end) for a in call.arguments)
            overlap = any(a[1] > b[0] for a, b in pairwise(spans))
            if overlap and is_on(BETWEEN):
                return Reason(
                    "KF219",
                    "one macro gives several arguments of this call",
                    call.call,
                    help="write the arguments one by one",
                )
            if not run.function.in_main_file and is_on(LIBRARIES):
                return Reason(
                    "KF226",
                    f"{run.function.name} is defined in a header",
                    call.call,
                    help="define it in one of the files given to kfusion",
                )
            if run.function.is_old_style and is_on(LIBRARIES):
                return Reason(
                    "KF219",
                    f"the parameters of {run.function.name} are declared behind its head",
                    call.call,
                    help="declare them in the brackets: `int f(int x)`",
                )
            strange = next((e for e in _shown_by(run) if not run.function.unit.holds(e.node)), None)
            if strange is not None and is_on(LIBRARIES):
                return Reason(
                    "KF226",
                    f"{run.function.name} uses a function of another file for its launch",
                    call.call,
                    help="let one file set the arguments and launch",
                    related=(("it is launched here", self._span(run, strange.node)),),
                )
            if run.problems and is_on(ONE_LAUNCH):
                return run.problems[0]
            if len(run.launches) != 1:
                return Reason("KF210", f"{run.function.name} does not launch once", call.call)
            if run.late_return is not None and run is not runs[-1] and is_on(ONE_LAUNCH):
                return run.late_return
            kernel = self.analysis.kernel_of[first + offset]
            assert kernel is not None
            missing = [
                p.name for i, p in enumerate(kernel.parameters) if i not in run.set_arguments
            ]
            if missing and is_on(STICKY):
                return self._not_set(run, kernel, missing[0])
            relying = self.analysis.reliances.of(kernel)
            if relying is not None:
                return Reason(
                    "KF211",
                    f"{relying.launches} without setting its argument "
                    f"'{relying.parameter}': it relies on what {run.function.name} has set",
                    relying.span,
                    help="set every argument of a kernel in the function that launches it",
                )
            copied = copy_reason(run.function) or form_reason(run.function, self.analysis.program)
            if copied is not None:
                return copied
        units = {run.function.unit.source.name for run in runs}
        if len(units) > 1 and is_on(LIBRARIES):
            return Reason(
                "KF226",
                f"the functions are in different files: {', '.join(sorted(units))}",
                self.region.calls[last].call,
                help="the queue and the kernels of a file may be private to it",
            )
        queues = {run.launch.queue for run in runs}
        if not _may_be_one_queue(queues) and is_on(QUEUES):
            texts = sorted(set(map(spell, queues)))
            may = "" if len(texts) > 1 else "may "
            return Reason(
                "KF215",
                f"the launches {may}go to different queues: {' and '.join(texts)}",
                self.region.calls[last].call,
                help="let all calls of a region use one queue",
            )
        return self._sync_reason(first, last)

    def _not_set(self, run: Run, kernel: Kernel, parameter: str) -> Reason:
        body = run.function.function.body
        shared = any(
            token.text == "clSetKernelArgSVMPointer"
            for token in run.function.unit.tokens[body.first : body.last]
        )
        where = f"{run.function.name} by clSetKernelArg()" if shared else run.function.name
        return Reason(
            "KF211",
            f"argument '{parameter}' of kernel {kernel.name} is not set in {where}",
            self._span(run, run.launch.node),
            help="give the kernel buffers: shared virtual memory is not followed"
            if shared
            else "set every argument of a kernel in the function that launches it",
        )

    def _events_reason(self, runs: list[Run]) -> Reason | None:
        """The group waits for all events from outside, and its event goes out as all."""
        own = {run.launch.made for run in runs} - {None}
        for run in runs[:-1]:
            launch = run.launch
            if launch.events is None:
                return Reason(
                    "KF215",
                    f"the events that {run.function.name} waits for are not known one by one",
                    self._span(run, launch.node),
                )
        last = runs[-1].launch
        if last.events is None and any(run.launch.events for run in runs[:-1]):
            return Reason(
                "KF215",
                "two wait lists cannot be joined: one of them has an unknown length",
                self._span(runs[-1], last.node),
            )
        alias = self._event_alias(runs)
        if alias is not None:
            return alias
        for run in runs:
            for event in run.launch.events or ():
                if event not in own and not isinstance(event, Entry):
                    if run is runs[-1] and not any(r.launch.events for r in runs[:-1]):
                        continue  # its own wait list stays as it is written
                    return Reason(
                        "KF215",
                        f"{run.function.name} waits for an event that it makes itself",
                        self._span(run, run.launch.node),
                    )
        return None

    def _event_alias(self, runs: list[Run]) -> Reason | None:
        """An event that a launch makes may be waited for under another name."""
        made: list[Run] = []
        for run in runs:
            for event in run.launch.events or ():
                place = event.place if isinstance(event, Entry) else None
                for other in made:
                    target = other.launch.event
                    where = target.place if isinstance(target, Ref) else Place(Pointee(target))
                    if place is not None and _may_alias(place, where):
                        return Reason(
                            "KF215",
                            f"{run.function.name} may wait for the event of "
                            f"{other.function.name} through '{spell_place(place)}'",
                            self._span(run, run.launch.node),
                            help="give both calls the event under one name",
                        )
            if run.launch.made is not None:
                made.append(run)
        return None

    def _sync_reason(self, first: int, last: int) -> Reason | None:
        """`#pragma sync in` and `out`, for all data or by parameter."""
        if not is_on(SYNC):
            return None
        for index in range(first, last + 1):
            for sync in syncs_of(self.region.calls[index]):
                others = range(first, index)
                if sync.direction == "out":
                    others = range(index + 1, last + 1)
                for other in others:
                    if sync.names is None or self._shares(index, other, sync.names, sync.direction):
                        name = self.region.calls[index].function.name
                        side = "earlier" if sync.direction == "in" else "later"
                        return Reason(
                            "KF212",
                            f"{name} is not fused with {side} calls: "
                            f"'{' '.join(sync.span.text.split())}'",
                            sync.span,
                            help="remove the annotation if the code does not need it",
                        )
        return None

    def _shares(self, index: int, other: int, names: tuple[str, ...], direction: str) -> bool:
        """Does the other call write (in) or use (out) the data of the named parameters?"""
        call = self.region.calls[index]
        objects = {
            str(self.runs[index].arguments[i])
            for i, p in enumerate(call.function.parameters)
            if p.name in names
        }
        theirs = {str(a) for a in self.runs[other].arguments}
        return bool(objects & theirs)

    def _application_reason(self, first: int, last: int, runs: list[Run]) -> Reason | None:
        """Statements between, forms of status, and arguments that change on the way."""
        calls = self.region.calls[first : last + 1]
        reason = status_reason(calls)
        if reason is not None and is_on(STATUS):
            return reason
        lost = self._lost_result(calls, runs)
        if lost is not None and is_on(RESULTS):
            return lost
        kinds = {" ".join(return_type(call)) for call in calls}
        if len(kinds) > 1:
            return Reason(
                "KF229",
                f"the functions return different types: {', '.join(sorted(kinds))}",
                calls[-1].call,
            )
        for item in self.analysis.between(last - 1, last):  # others: in the shorter groups
            reason = self._between_reason(item, calls[:-1], runs[:-1])
            if reason and is_on(BETWEEN):
                return reason
        return self._arguments_reason(first, last, runs)

    def _lost_result(self, calls: tuple[RegionCall, ...], runs: list[Run]) -> Reason | None:
        """Of the results of a group only the last comes out: the others must be 0."""
        looked_at = {"checked", "chained", "or-ed"}
        if calls[-1].status == "chained":
            looked_at.add("assigned")
        for call, run in zip(calls[:-1], runs[:-1], strict=True):
            if call.status in looked_at and run.result != Num(0):
                return Reason(
                    "KF213",
                    f"{run.function.name} may return something else than 0 when all is well, and "
                    "its result is used",
                    call.statement,
                )
        return None

    def _between_reason(
        self, item: Between, earlier: tuple[RegionCall, ...], runs: list[Run]
    ) -> Reason | None:
        if item.several:
            return Reason(
                "KF230",
                "several calls stand in one statement",
                item.statement,
                help="write one call in each statement",
            )
        if not item.harmless:
            return self._harmful_reason(item, earlier)
        used = frozenset(name for call in earlier for name in call.names)
        given = frozenset(name for call in earlier for name in call.assigns)
        for name in sorted(item.names | item.assigns):
            if name in given or self._is_reached(name, item, runs):
                what = "gets its status from" if name in given else "may be reached by"
                return Reason(
                    "KF214",
                    f"this statement uses '{name}', which {what} an earlier call",
                    item.statement,
                    help="move it before or after the region",
                    related=(("the call", earlier[0].statement),),
                )
            if name in used and (name in item.assigns or not self._is_plain(name, earlier)):
                return Reason(
                    "KF214",
                    f"this statement uses '{name}', and so does an earlier call",
                    item.statement,
                    related=(("the call", earlier[0].statement),),
                )
        return None

    def _harmful_reason(self, item: Between, earlier: tuple[RegionCall, ...]) -> Reason:
        """A statement that does more than compute, and the calls by which it may do so."""
        names = {name for node in item.nodes for name in self.analysis.program.names_called(node)}
        listed = " and ".join(f"'{name}'" for name in sorted(names))
        given = sorted(item.names & {name for call in earlier for name in call.assigns})
        help = "move it before or after the region"
        if given:
            help += f", or, to check a status, leave the region by `if ({given[0]}) ...`"
        return Reason(
            "KF214",
            "this statement stands between the calls and may depend on them"
            + (f": it calls {listed}" if names else ""),
            item.statement,
            help=help,
        )

    def _is_reached(self, name: str, item: Between, runs: list[Run]) -> bool:
        """May calls before read what the statement assigns, or change what it reads?"""
        program = self.analysis.program
        if name in item.declares or self.reach.is_private(name):
            return False
        if name not in self.region.variables and name in program.enumerators:
            return False
        reads = self.analysis.reads(self.reach, [c_ast.ID(name)], State())
        return name in item.assigns or self.reach.may_change(reads, runs)

    def _is_plain(self, name: str, calls: tuple[RegionCall, ...]) -> bool:
        """A variable that the calls get by value only."""
        declared = self.region.variables.get(name)
        if declared is None or not isinstance(declared.type, c_ast.TypeDecl):
            return False
        return not any(
            f"& {name}" in " ".join(a.text.replace("&", "& ").split())
            for c in calls
            for a in c.arguments
        )

    def _arguments_reason(self, first: int, last: int, runs: list[Run]) -> Reason | None:
        """The fused call evaluates all arguments where the last call stands."""
        executor = LibraryExecutor(self.analysis.program)
        state = State()
        for index in range(first, last):
            for item in self.analysis.between(index, index + 1):
                self.analysis.run_between(executor, item, state)
        for index in range(first, last + 1):
            call = self.region.calls[index]
            if index == last and is_on(CHANGED_VALUE):  # others: in the shorter groups
                reason = self._reached_reason(call, self.region.calls[first:last], runs, state)
                if reason:
                    return reason
            values = self.analysis.arguments(executor, call, state)
            for argument, now, then in zip(
                call.arguments, values, runs[index - first].arguments, strict=True
            ):
                if now != then and is_on(CHANGED_VALUE):
                    return Reason(
                        "KF225",
                        f"the value of '{argument.text}' depends on the calls before it",
                        argument.span,
                    )
        return None

    def _reached_reason(
        self, call: RegionCall, earlier: tuple[RegionCall, ...], runs: list[Run], state: State
    ) -> Reason | None:
        """An argument of the last call that the earlier ones may change unseen."""
        given = frozenset(name for other in earlier for name in other.assigns)
        for argument in call.arguments:
            reads = self.analysis.reads(self.reach, [argument.node], state)
            if given & names_of([argument.node]) or self.reach.may_change(reads, runs[:-1]):
                return Reason(
                    "KF225",
                    f"an earlier call may change the value of '{argument.text}'",
                    argument.span,
                    help="if no call changes it, copy it into a variable before the region",
                )
        return None

    def _moves_reason(self, runs: list[Run]) -> Reason | None:
        """Nothing that stays may see or change what a moved launch uses."""
        pending: list[Run] = []
        for number, run in enumerate(runs):
            is_last = number == len(runs) - 1
            for index, step in enumerate(run.steps):
                if is_last and index >= run.launch_step:
                    break
                moved = [*pending, run] if index > run.launch_step else pending
                for effect in step.effects:
                    reason = self._conflict(effect, moved, run)
                    if reason:
                        return reason
            pending.append(run)
        return None

    def _conflict(self, effect: Effect, moved: list[Run], run: Run) -> Reason | None:
        if not moved:
            return None
        if isinstance(effect, UnknownCall | Unsupported):
            what = effect.name if isinstance(effect, UnknownCall) else effect.what
            return (
                Reason(
                    "KF209",
                    f"a launch would move past '{what}', which kfusion does not know",
                    self._span(run, effect.node),
                    help="give kfusion the file that defines it",
                )
                if is_on(MOVED_PAST)
                else None
            )
        if isinstance(effect, Synchronise) and is_on(SYNCHRONISED):
            return Reason(
                "KF209",
                f"{effect.call} waits for the launch before it",
                self._span(run, effect.node),
            )
        uses: dict[str, bool] = {}
        for other in moved:
            for name, written in self.analysis.uses(other).items():
                uses[name] = written or uses.get(name, False)
        events = {r.launch.made for r in moved} - {None}
        if isinstance(effect, Release) and is_on(RELEASED):
            if _may_release(effect, uses, moved):
                return Reason(
                    "KF209",
                    f"{effect.call} releases what an earlier launch may use",
                    self._span(run, effect.node),
                )
        if isinstance(effect, Transfer) and effect.waits and events and is_on(EVENTS):
            return Reason(
                "KF215",
                f"{effect.call} may wait for the event of an earlier launch",
                self._span(run, effect.node),
            )
        if isinstance(effect, Transfer) and is_on(MOVED_PAST):
            for value in map(identity, effect.writes):
                if str(value) in uses or not is_known(value):
                    return self._transfer_reason(effect, run, value)
            for value in map(identity, effect.reads):
                if uses.get(str(value), not is_known(value)):
                    return self._transfer_reason(effect, run, value)
        return None

    def _transfer_reason(self, effect: Transfer, run: Run, value: Sym) -> Reason:
        return Reason(
            "KF209",
            f"{effect.call} on '{spell(value)}' may touch what an earlier launch uses",
            self._span(run, effect.node),
        )

    def _values_reason(self, runs: list[Run]) -> Reason | None:
        """At the last launch, every place must hold what an argument was set to."""
        end = runs[-1].state_at_launch
        assert end is not None
        for run in runs:
            for effect in run.set_arguments.values():
                changed = self._changed(effect, run, end)
                if changed is not None and is_on(CHANGED_VALUE):
                    when = "after an argument is set to it"
                    if run is not runs[-1]:
                        when = "between the launch that uses it and the last one"
                    return Reason(
                        "KF225",
                        f"'{spell_place(changed)}' is changed {when}",
                        self._span(run, effect.node),
                        help="set each argument from a variable of its own"
                        if isinstance(changed.root, Local)
                        else "change it before or after the region, not in a function that "
                        "the region calls",
                    )
        return None

    def _changed(self, effect: SetArgument, run: Run, end: State) -> Place | None:
        """A place that the fused function reads the argument from, if it has changed."""
        place, value = effect.place, effect.value
        if place is None or value is None:
            return None
        if isinstance(place.root, Local) and place.root.frame != run.frame.number:
            if effect.parts is not None:
                return place
            # The variable of a helper is gone: the value is written out again.
            entries = [leaf for leaf in leaves(value) if isinstance(leaf, Entry)]
            return next((e.place for e in entries if end.read(e.place) != e), None)
        return None if effect.is_unchanged(end) else place


def syncs_of(call: RegionCall) -> list[Sync]:
    """The sync annotations right before the function's definition (or its prototype)."""
    unit = call.function.unit
    function = call.function.function
    start, _ = unit.range(function.first, function.first)  # it may begin with a macro
    found = []
    for sync in unit.annotations.syncs:
        if 0 <= sync.span.end <= start:
            between = unit.source.text[sync.span.end : start]
            if not any(c in _without_comments(between) for c in ";}"):
                found.append(sync)
    return found


def _without_comments(text: str) -> str:
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


def _may_release(effect: Release, uses: dict[str, bool], moved: list[Run]) -> bool:
    """May the handle be one that a moved launch uses, under whatever name?"""
    handle = identity(effect.handle)
    events = {run.launch.made for run in moved} - {None}
    if isinstance(handle, Made) and any(
        setting.value is not None and handle in leaves(identity(setting.value))
        for run in moved
        for setting in run.set_arguments.values()
    ):
        return True  # a sampler, say
    if isinstance(handle, Made) or (effect.call == "clReleaseMemObject" and is_known(handle)):
        return handle in events or str(handle) in uses  # under other names: the guard compares
    if effect.call == "clReleaseEvent" and is_known(handle):
        return any(run.launch.events != () for run in moved)
    return True


def _may_alias(left: Place, right: Place) -> bool:
    """May two names that differ be one place?"""
    if left.root == right.root:
        return any(step.startswith("[?") for step in (*left.path, *right.path))
    return isinstance(left.root, Pointee) or isinstance(right.root, Pointee)


def _shown_by(run: Run) -> list[Effect]:
    """What the text of a fused function repeats: settings of arguments, the launch."""
    effects = [effect for step in run.steps for effect in step.effects]
    return [e for e in effects if isinstance(e, Launch | SetArgument)]


def _may_be_one_queue(queues: set[Sym]) -> bool:
    """One, or the same member of several objects: these are compared at run time."""
    members = {
        queue.place.path if isinstance(queue, Entry) and queue.place.path else queue
        for queue in queues
    }
    return len(members) == 1
