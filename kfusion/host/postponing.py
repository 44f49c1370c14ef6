"""May the launches of several calls be made where the last of them is?

The host statements of all calls stay in program order. It is the launches that move, to
the place of the last one: legal when nothing in between observes, changes or releases
what a moved launch uses, when the arguments still have the values they were set to, and
when one launch can wait for what each of them waits for.
"""

from __future__ import annotations

from collections.abc import Callable

from pycparser import c_ast

from kfusion.host.effects import (
    Effect,
    Release,
    SetArgument,
    Synchronise,
    Transfer,
    UnknownCall,
    Unsupported,
)
from kfusion.host.equality import identity, is_known
from kfusion.host.library import Run
from kfusion.host.program import HostProgram
from kfusion.host.spelling import spell, spell_place
from kfusion.host.symbolic import Entry, Local, Made, Place, Pointee, Ref, State, Sym, leaves
from kfusion.source.diagnostics import Reason
from kfusion.source.protections import is_on, protection
from kfusion.source.text import Span

MOVED_PAST = protection("host-moved-past", "a launch moves past a statement that uses its data")
CHANGED_VALUE = protection("host-changed-value", "an argument has changed when the launch is made")
SYNCHRONISED = protection("host-synchronised", "a launch moves past a host synchronisation")
RELEASED = protection("host-released", "a launch moves past a release of what it uses")
EVENTS = protection("host-events", "wait lists that cannot be joined are joined")


class Postponing:
    """The reasons against it, for calls that were executed in a row.

    `uses` tells the memory objects of a launch by name, and whether it may write them.
    """

    def __init__(self, program: HostProgram, uses: Callable[[Run], dict[str, bool]]) -> None:
        self.program, self.uses = program, uses

    def reason(self, runs: list[Run]) -> Reason | None:
        return (
            (self._events_reason(runs) if is_on(EVENTS) else None)
            or self._moves_reason(runs)
            or self._values_reason(runs)
        )

    def _span(self, run: Run, node: c_ast.Node) -> Span:
        """Where something stands that a call does, itself or by a function of another file."""
        return self.program.node_span(node, run.function.unit)

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
            for name, written in self.uses(other).items():
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
