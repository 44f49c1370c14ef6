"""The plan of a region: which invocations become one kernel.

Groups are contiguous runs of program order. Among the legal partitions the one with the
fewest predicted bytes is taken, then the one with the fewest launches, then the one
whose first groups are longest.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from kfusion.graph.bind import Stage
from kfusion.graph.legality import Legal, legal_pair
from kfusion.graph.liveness import stored_after
from kfusion.graph.model import (
    Assumption,
    Cut,
    Equal,
    Group,
    Invocation,
    Oracle,
    RegionPlan,
    SameRange,
)
from kfusion.graph.profit import over_budget
from kfusion.graph.unify import Equalities
from kfusion.graph.values import GroupValues, Role, group_values
from kfusion.kernel.forms import Form
from kfusion.kernel.types import size_of
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Reason


def plan_region(
    invocations: Sequence[Invocation], observed: frozenset[str] | None, oracle: Oracle
) -> RegionPlan:
    """Group the invocations: `observed` names the memory read after the region (None: all)."""
    return _Planner(tuple(invocations), observed, oracle).plan()


def values_of(group: Group, invocations: Sequence[Invocation]) -> tuple[list[Stage], GroupValues]:
    """What a group's plan makes of each access."""
    by_index = {i.index: i for i in invocations}
    stages = [Stage(by_index[index]) for index in group.members]
    return stages, group_values(stages, equalities_of(group), group.stored)


def equalities_of(group: Group) -> Equalities:
    equalities = Equalities({})
    for assumption in group.assumptions:
        if isinstance(assumption, Equal):
            equalities.join(assumption)
    return equalities


@dataclass(frozen=True)
class _Candidate:
    group: Group
    bytes: int


class _Planner:
    def __init__(
        self, invocations: tuple[Invocation, ...], observed: frozenset[str] | None, oracle: Oracle
    ) -> None:
        self.invocations, self.observed, self.oracle = invocations, observed, oracle
        self.stages = [Stage(i) for i in invocations]
        self.pair = cache(self._pair)
        self.candidate = cache(self._candidate)

    def plan(self) -> RegionPlan:
        whole = (0, len(self.stages) - 1)
        runs = [whole] if self._is_best(*whole) else self._best_runs()
        groups = tuple(self._group(first, last) for first, last in runs)
        cuts = tuple(
            Cut(
                self.invocations[left[1]].index,
                self.invocations[right[0]].index,
                self._why_not(left[0], left[1], right[1]),
            )
            for left, right in pairwise(runs)
        )
        return RegionPlan(self.invocations, groups, cuts)

    def _best_runs(self) -> list[tuple[int, int]]:
        count = len(self.stages)
        best: list[tuple[int, int, int]] = [(0, 0, 0)] * (count + 1)  # bytes, launches, last
        for first in reversed(range(count)):
            choices: list[tuple[int, int, int]] = []
            for last in range(first, count):
                found = self.candidate(first, last)
                if isinstance(found, _Candidate):
                    rest = best[last + 1]
                    choices.append((found.bytes + rest[0], 1 + rest[1], -last))
            best[first] = min(choices)
        runs: list[tuple[int, int]] = []
        first = 0
        while first < count:
            last = -best[first][2]
            runs.append((first, last))
            first = last + 1
        return runs

    def _is_best(self, first: int, last: int) -> bool:
        """One kernel for all, and no partition could move fewer bytes: others need no look."""
        found = self.candidate(first, last) if first < last else None
        return isinstance(found, _Candidate) and found.bytes <= self._least_bytes()

    def _least_bytes(self) -> int:
        """What is read before it is written has to be loaded, what is observed stored, once.

        Of memory that is only read, a kernel loads each element that it names.
        """
        loads: dict[str, int] = {}
        stores: dict[str, int] = {}
        written = {name for stage in self.stages for name in stage.written}
        for stage in self.stages:
            named: dict[str, list[Form | None]] = {}
            for access in stage.accesses:
                name, size, mode = access.memory.name, size_of(access.type), access.access.mode
                if name in written:
                    loads.setdefault(name, size if mode.reads else 0)
                elif access.form is None or access.form.in_loop:
                    named.setdefault(name, []).append(None)
                elif access.form not in named.setdefault(name, []):
                    named[name].append(access.form)
                if mode.writes and (self.observed is None or name in self.observed):
                    stores.setdefault(name, size)
                if name not in written:
                    loads[name] = max(loads.get(name, 0), size * len(named[name]))
        return sum(loads.values()) + sum(stores.values())

    def _pair(self, first: int, second: int) -> Legal | Reason:
        return legal_pair(self.stages[first], self.stages[second], self.oracle)

    def _candidate(self, first: int, last: int) -> _Candidate | Reason:
        assumptions: list[Assumption] = []
        for q in range(first, last + 1):
            for p in reversed(range(first, q)):
                found = self.pair(p, q)
                if isinstance(found, Reason):
                    return found
                assumptions += found.assumptions
        members = self.stages[first : last + 1]
        if first != last:
            reason = over_budget(members) or self.oracle.joinable(
                self.invocations[first].index, self.invocations[last].index
            )
            if reason is not None:
                return reason
        return self._cost(first, last, assumptions)

    def _cost(self, first: int, last: int, assumptions: list[Assumption]) -> _Candidate:
        members = self.stages[first : last + 1]
        before = [a.access.mode for stage in members for a in stage.accesses]
        loads = sum(mode.reads for mode in before)
        stores = sum(mode.writes for mode in before)
        written = frozenset(name for stage in members for name in stage.written)
        if first == last:
            alone = group_values(members, Equalities({}), written)
            group = Group(
                (self.invocations[first].index,),
                written,
                frozenset(),
                (),
                loads,
                stores,
                loads,
                stores,
            )
            return _Candidate(group, alone.bytes)
        stored, disjoint = stored_after(
            members, self.stages[last + 1 :], self.observed, self.oracle
        )
        indices = tuple(stage.invocation.index for stage in members)
        group = Group(
            indices,
            stored,
            frozenset(),
            _needed((*assumptions, *disjoint), indices[0]),
            loads,
            stores,
            0,
            0,
        )
        values = group_values(members, equalities_of(group), stored)
        saved = _saved(members, values)
        return _Candidate(
            Group(
                group.members,
                group.stored,
                values.internalised,
                group.assumptions,
                loads,
                stores,
                values.loads,
                values.stores,
                values.forwarded & saved,
                values.forwarded - saved,
            ),
            values.bytes,
        )

    def _group(self, first: int, last: int) -> Group:
        found = self.candidate(first, last)
        assert isinstance(found, _Candidate)
        return found.group

    def _why_not(self, first: int, last: int, end: int) -> Reason:
        """Why the run first..last was not continued to the end of the next one."""
        for second in range(last + 1, end + 1):
            for p in reversed(range(first, last + 1)):
                found = self.pair(p, second)
                if isinstance(found, Reason):
                    return found
            joined = self.candidate(first, second)
            if isinstance(joined, Reason):
                return joined
        return Reason(
            "KF224",
            "one kernel for these would load and store more than they do apart",
            self.invocations[last + 1].span,
        )


def _saved(members: Sequence[Stage], values: GroupValues) -> frozenset[str]:
    """Memory that the group does store to."""
    return frozenset(
        access.memory.name
        for number, stage in enumerate(members)
        for access in stage.accesses
        if (place := values.places.get((number, access.number))) is not None
        if place.stored
        or place.flushed
        or (place.role is Role.MEMORY and access.access.mode.writes)
    )


def _needed(assumptions: tuple[Assumption, ...], leader: int) -> tuple[Assumption, ...]:
    """Each once; equal ranges and scalars are compared with the first of them only."""
    equalities = Equalities({})
    kept: dict[Assumption, None] = {}
    for assumption in assumptions:
        if isinstance(assumption, SameRange) and assumption.left != leader:
            continue
        if isinstance(assumption, Equal):
            equalities.join(assumption)
        else:
            kept[assumption] = None
    names = dict.fromkeys(
        name for a in assumptions if isinstance(a, Equal) for name in (a.left, a.right)
    )
    equal = [Equal(first, n) for n in names if (first := equalities.leader(n)) != n]
    return (*kept, *equal)
