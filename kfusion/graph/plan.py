"""The plan of a region: which invocations become one kernel.

Which calls may share a kernel is asked pair by pair; what a group moves is predicted from
its values; partition.py takes the best grouping.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import cache, cached_property
from itertools import combinations, pairwise

from kfusion.graph.again import (
    Functions,
    Repeated,
    computed_again,
    cost,
    functions_of,
    is_vector,
    keys,
    loads_again,
    mix_vectors,
    saved_by,
    unsettled,
)
from kfusion.graph.bind import Stage
from kfusion.graph.copied import without_copies
from kfusion.graph.images import kept_as_they_are, too_many_images, unfit_images
from kfusion.graph.least import LeastBytes
from kfusion.graph.legality import Across, Legal, legal_pair, obstacles, other_groups
from kfusion.graph.levels import Assumed, Levels, Windows, levels_of, share_loads
from kfusion.graph.liveness import stored_after
from kfusion.graph.march import UNROLLED, marching
from kfusion.graph.model import (
    Again,
    Assumption,
    AtLeast,
    AtMost,
    Covers,
    Cut,
    Disjoint,
    Equal,
    Group,
    Invocation,
    Keeps,
    Marching,
    Oracle,
    Placement,
    RegionPlan,
    SameRange,
    Tiles,
    UpTo,
)
from kfusion.graph.partition import Members, Pairs, Prices, best_partition
from kfusion.graph.pauses import pauses
from kfusion.graph.placing import placements
from kfusion.graph.planes import marching_in_planes
from kfusion.graph.profit import over_budget
from kfusion.graph.rounding import rounded, unreachable
from kfusion.graph.several import may_ask_by_group, may_do_several, pays
from kfusion.graph.target import ANY, Target
from kfusion.graph.unify import Equalities
from kfusion.graph.values import GroupValues, group_values
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Reason
from kfusion.source.protections import is_on, protection

Pair = tuple[int, int, bool]  # two calls, and whether they stand in frames


DEAR = "KF224"  # the code of what would take longer in one kernel
VECTORS = 8  # loads that compilers for CPUs make vectors of, and that cost as one from memory

SURE = protection("sure-kernels", "no call passes one of a kernel that may be another one")
PROGRAM_ORDER = protection("program-order", "calls move only past calls that they do not need")


def plan_region(
    invocations: Sequence[Invocation],
    observed: frozenset[str] | None,
    oracle: Oracle,
    target: Target = ANY,
    *,
    exact: bool = False,
    known: Known | None = None,
    alone: Mapping[str, Reason] | None = None,
) -> RegionPlan:
    """Group the invocations: `observed` names the memory read after the region (None: all).

    `exact`: what one stage computes and another one uses must be rounded in between.
    `known`: what plans of the same invocations, or of the first of them, have found out for the
    same target, and this one adds to.
    `alone`: kernels that share no group, and why.
    """
    known = known or Known()
    return _Planner(tuple(invocations), observed, oracle, target, exact, known, alone or {}).plan()


def values_of(group: Group, invocations: Sequence[Invocation]) -> tuple[list[Stage], GroupValues]:
    """What a group's plan makes of each access."""
    plain = {i.index: Stage(i) for i in invocations}
    placed = {
        a.invocation: Stage(plain[a.invocation].invocation, a, plain[a.frame])
        for a in group.assumptions
        if isinstance(a, Placement)
    }
    stages = [placed.get(index, plain[index]) for index in group.members]
    values = group_values(
        stages,
        equalities_of(group, stages),
        group.stored,
        group.barriers,
        group.handed,
        keys(group.again),
    )
    return stages, values


def by_themselves(invocations: Sequence[Invocation]) -> list[Group]:
    """A group for each."""
    stages = map(Stage, invocations)
    return [_alone(stage, frozenset(stage.written), ()) for stage in stages]


def _alone(stage: Stage, stored: frozenset[str], moved: tuple[Assumption, ...]) -> Group:
    index = (stage.invocation.index,)
    loads, stores = _counted([stage])
    return Group(index, stored, frozenset(), moved, loads, stores, loads, stores)


def _counted(stages: Iterable[Stage]) -> tuple[int, int]:
    """Loads and stores as written."""
    modes = [each.access.mode for stage in stages for each in stage.accesses]
    return sum(mode.reads for mode in modes), sum(mode.writes for mode in modes)


def equalities_of(group: Group, stages: Sequence[Stage]) -> Equalities:
    return _equalities(group.assumptions, stages)


def _equalities(assumptions: Iterable[Assumption], stages: Sequence[Stage]) -> Equalities:
    equalities = Equalities({}, small_ids=not any(stage.range.offset for stage in stages))
    for assumption in assumptions:
        if isinstance(assumption, Equal):
            equalities.join(assumption)
        elif isinstance(assumption, AtLeast):
            equalities.assumed.append(assumption)
        elif isinstance(assumption, AtMost):
            equalities.orders.append(assumption)
    return equalities


@dataclass(frozen=True)
class _Candidate:
    """A legal group, as far as its price needs it."""

    assumptions: list[Assumption]
    stored: frozenset[str]
    barriers: frozenset[int]
    handed: frozenset[str]
    bytes: int
    again: tuple[Again, ...] = ()
    further: int = 0  # loads, of what is computed again
    tiles: Tiles | None = None


@dataclass(frozen=True)
class _Together:
    """Calls that may share a kernel, if what items have across it is settled."""

    stages: list[Stage]
    legal: list[Legal]

    @property
    def across(self) -> list[Across]:
        return [across for legal in self.legal for across in legal.across]

    @property
    def assumptions(self) -> list[Assumption]:
        return [assumption for legal in self.legal for assumption in legal.assumptions]


@dataclass(frozen=True, eq=False)
class Known:
    """What holds whatever is launched behind the calls, and is found out once."""

    stages: dict[Invocation, Stage] = field(default_factory=dict)
    pairs: dict[Pair, Legal | None] = field(default_factory=dict)
    windows: Windows = field(default_factory=dict)
    priced: dict[object, _Candidate | Reason] = field(default_factory=dict)

    def stage(self, invocation: Invocation) -> Stage:
        return self.stages.setdefault(invocation, Stage(invocation))


class _Planner:
    def __init__(
        self,
        invocations: tuple[Invocation, ...],
        observed: frozenset[str] | None,
        oracle: Oracle,
        target: Target,
        exact: bool,
        known: Known,
        alone: Mapping[str, Reason],
    ) -> None:
        self.invocations, self.observed, self.exact = invocations, observed, exact
        self.oracle, self.target = oracle, target
        self.stages = [known.stage(i) for i in invocations]
        self.known, self.alone = known, alone
        self.candidate = cache(self._candidate)
        self.together = cache(self._together)
        self.over_budget = cache(self._over_budget)

    def plan(self) -> RegionPlan:
        whole = tuple(range(len(self.stages)))
        runs = (whole,) if self._is_best(whole) else self._best_runs()
        groups = tuple(
            self._group(run, self._moved_past(runs[:number], run))
            for number, run in enumerate(runs)
        )
        cuts = tuple(
            Cut(
                self.invocations[left[-1]].index,
                self.invocations[right[0]].index,
                self._why_not(left, right),
            )
            for left, right in pairwise(runs)
        )
        return RegionPlan(self.invocations, groups, cuts)

    def _best_runs(self) -> tuple[Members, ...]:
        count = len(self.stages)
        pairs = ((p, q) for q in range(count) for p in range(q))
        together = frozenset(pair for pair in pairs if self._may_meet(*pair))
        prices = Prices(self._bytes, self.least.of, self._fits)
        return best_partition(count, self.ordered, together, prices)

    def _fits(self, members: Members) -> bool:
        """So has every group that it grew from."""
        together = self.together(members)
        across = together.across if together is not None else []
        levels = {(each.first[0], each.memory) for each in across if each.point}
        return len(levels) <= self.target.levels and self.over_budget(members) is None

    def _may_meet(self, p: int, q: int) -> bool:
        return any(self.pair(p, q, placed=placed) is not None for placed in (False, True))

    def _over_budget(self, members: Members) -> Reason | None:
        together = self.together(members)
        stages = together.stages if together is not None else [self.stages[m] for m in members]
        return over_budget(stages, self.target)

    def _bytes(self, members: Members) -> int | None:
        found = self.candidate(members)
        return found.bytes if isinstance(found, _Candidate) else None

    @cached_property
    def least(self) -> LeastBytes:
        return LeastBytes(self.stages, self.observed, shared=self.shared)

    @cached_property
    def shared(self) -> bool:
        """Neighbouring items load the same elements, and some may be computed again."""
        count = len(self.stages)
        found = (self.pair(p, q, placed=False) for q in range(count) for p in range(q))
        return any(legal is not None and any(a.point for a in legal.across) for legal in found)

    @cached_property
    def ordered(self) -> Pairs:
        """Calls that must stay in program order unless they share a group."""
        pairs = ((p, q) for q in range(len(self.stages)) for p in range(q))
        return frozenset((p, q) for p, q in pairs if self._keeps_order(p, q))

    def _keeps_order(self, first: int, second: int) -> bool:
        p, q = self.stages[first], self.stages[second]
        if not is_on(PROGRAM_ORDER):
            return False
        if not (p.invocation.kernel.sure and q.invocation.kernel.sure) and is_on(SURE):
            return True
        if p.invocation.kernel.features and q.invocation.kernel.features:
            return True  # what both print, or program-scope variables
        return any(left == right for left, right in conflicts(p, q))

    def _is_best(self, whole: Members) -> bool:
        """One kernel for all, and no partition could move fewer bytes: others need no look."""
        together = self.together(whole) if len(whole) > 1 else None
        found = self.candidate(whole) if together is not None and not together.across else None
        return isinstance(found, _Candidate) and found.bytes <= self.least.of(whole)

    def pair(self, first: int, second: int, *, placed: bool) -> Legal | None:
        """None: there are obstacles. `placed`: they stand in frames, if they may."""
        placed = placed and any(self.placed[call].frame for call in (first, second))
        key = first, second, placed
        pairs = self.known.pairs
        if key not in pairs:
            p, q = self._stages((first, second), placed=placed)
            alone = self._alone(first, second)
            again = self.target.near > 0
            pairs[key] = None if alone else legal_pair(p, q, self.oracle, again=again)
        return pairs[key]

    @cached_property
    def placed(self) -> list[Stage]:
        def legal(p: int, q: int) -> bool:
            found = self.pair(p, q, placed=False)
            return found is not None and not found.across

        return placements(self.stages, legal, self.oracle)

    def _stages(self, members: Members, *, placed: bool) -> list[Stage]:
        return [(self.placed if placed else self.stages)[m] for m in members]

    def _together(self, members: Members) -> _Together | None:
        """None: two of them have obstacles. As they are if they may be, or else in frames, or
        else with what items have across settled."""
        found = [self._in_place(members, placed=placed) for placed in (False, True)]
        legal = (each for each in found if each is not None and not each.across)
        return next(legal, found[0])

    def _in_place(self, members: Members, *, placed: bool) -> _Together | None:
        """None: two of them have obstacles, or a frame is not there."""
        stages = self._stages(members, placed=placed)
        if not all(s.frame is None or s.frame in stages for s in stages):
            return None
        found: list[Legal] = []
        for position, q in enumerate(members):
            for p in reversed(members[:position]):
                legal = self.pair(p, q, placed=placed)
                if legal is None:
                    return None
                found.append(legal)
        return _Together(stages, found)

    def _alone(self, *calls: int) -> tuple[Reason, ...]:
        names = dict.fromkeys(self.invocations[call].kernel.name for call in calls)
        return tuple(self.alone[name] for name in names if name in self.alone)

    def _candidate(self, members: Members) -> _Candidate | Reason | None:
        """None: two members have obstacles."""
        together = self.together(members)
        if together is None:
            return None
        if len(members) > 1:
            waits = any(legal.handed for legal in together.legal)
            reason = other_groups(together.stages) if waits else None
            reason = (
                reason
                or self.over_budget(members)
                or self.oracle.joinable(tuple(self.invocations[m].index for m in members))
            )
            if reason is not None:
                return reason
            if waits and together.across:
                return together.across[0].told()
        return self._priced(members, together)

    def _later(self, members: Members) -> list[Stage]:
        """The calls that come after the group, wherever they are free to."""
        return [
            self.stages[x]
            for x in range(members[0] + 1, len(self.stages))
            if x not in members and not any((x, q) in self.ordered for q in members)
        ]

    def _moved_past(self, before: Sequence[Members], run: Members) -> list[Disjoint]:
        """What must be apart so that the calls of a group may come before earlier ones."""
        done = {call for group in before for call in group} | set(run)
        found = (
            Disjoint(*sorted(pair))
            for q in run
            for p in range(q)
            if p not in done
            for pair in conflicts(self.stages[p], self.stages[q])
        )
        return list(dict.fromkeys(found))

    def _priced(self, run: Members, together: _Together) -> _Candidate | Reason:
        """The plans of other rows ask for the same: what is behind a group counts for little."""
        stored, apart = frozenset(together.stages[0].written), list[Disjoint]()
        if len(run) > 1:
            stored, apart = stored_after(together.stages, self._later(run), self.observed)
        key = tuple(together.stages), stored, tuple(apart), self.shared
        if key not in self.known.priced:
            self.known.priced[key] = self._priced_if(run, together, stored, tuple(apart))
        return self.known.priced[key]

    def _priced_if(
        self,
        run: Members,
        together: _Together,
        stored: frozenset[str],
        apart: tuple[Disjoint, ...],
        more: tuple[Assumption, ...] = (),
    ) -> _Candidate | Reason:
        """If so much is stored. `more`: what is to be assumed, too."""
        members, assumptions = together.stages, [*together.assumptions, *more, *apart]
        barriers, handed = self._meetings(run)
        equalities = _equalities(assumptions, members)
        again = computed_again(members, together.across, equalities, stored)
        values = group_values(members, equalities, stored, barriers, handed, keys(again))
        functions = functions_of(members, equalities, again, values)
        reason = unsettled(members, values, together.across, again, functions, equalities)
        if reason is not None:
            return reason
        if len(run) > 1:
            reason = unfit_images(members, values)
            reason = reason or too_many_images(members, values, self.target)
            if reason is not None:
                return reason
            kept = kept_as_they_are(members, values)
            reason = self._lossy(members, kept)
            if reason is not None:
                return reason
            assumptions = [*assumptions, *kept]
        if self.exact and (reason := _not_rounded(members, values)) is not None:
            return reason
        near, rows = self.target.near, self.target.rows
        straight = max(near, VECTORS) if self.target.strip else near
        walks = again or (self.target.strip and self._may_be_in_strips(run, values))
        if (
            (self.target.march or self.target.strip)
            and walks
            and (
                levels := levels_of(
                    members,
                    values,
                    again,
                    functions,
                    equalities,
                    self.known.windows,
                    self._may_assume,
                )
            )
        ):
            new = tuple(each for each in levels.assumed if each not in more)
            if any(isinstance(each, Equal) for each in new):  # values may be others then
                return self._priced_if(run, together, stored, apart, (*more, *new))
            if self.target.march and again:
                tiles = self._marching(levels, members, values, functions)
            else:
                tiles = levels.tiles(self.target.strip, rows)
            if tiles is not None:
                size = levels.cost(tiles, members, values, near)
                assumptions = [*assumptions, *levels.assumed]
                if again or size < cost(members, values, Repeated(), near, straight):
                    if not self.shared:
                        size = values.bytes + int(levels.one_by_one(tiles, members, values, near))
                    return _Candidate(
                        assumptions, stored, barriers, handed, size, again, levels.further, tiles
                    )
        if not self.shared:
            return _Candidate(assumptions, stored, barriers, handed, values.bytes, again)
        further = loads_again(members, values, again, functions)
        if further is None:
            return self._costs(again, run[-1])
        size = cost(members, values, further, near, straight)
        return _Candidate(assumptions, stored, barriers, handed, size, again, len(further.loads))

    def _may_be_in_strips(self, run: Members, values: GroupValues) -> bool:
        """Nothing is computed again, but neighbouring items load the same."""
        together = self.together(run)
        assert together is not None
        fits = not self._alone(*run) and self.over_budget(run) is None
        return fits and share_loads(together.stages, values)

    def _marching(
        self, levels: Levels, members: Sequence[Stage], values: GroupValues, functions: Functions
    ) -> Tiles | None:
        march = marching if len(levels.last.reach) == 2 else marching_in_planes
        return march(levels, members, values, functions, self.target)

    def _may_assume(self, assumed: Assumed) -> bool:
        scalars = {n: scalar for stage in self.stages for n, scalar in stage.scalars.items()}
        sides = (assumed.left, assumed.right) if isinstance(assumed, Equal) else (assumed.scalar,)
        scalar, *other = (Equalities(scalars).scalar(side) for side in sides)
        assert scalar is not None
        if isinstance(assumed, Equal):
            assert other[0] is not None
            return self.oracle.equal(scalar, other[0])
        if isinstance(assumed, AtLeast):
            return self.oracle.at_least(scalar, assumed.least)
        launch = next(i for i in self.invocations if i.index == assumed.invocation)
        return self.oracle.within(launch, assumed.dimension, scalar, implied=False)

    def _lossy(self, members: list[Stage], kept: list[Keeps]) -> Reason | None:
        images = {name: memory for stage in members for name, memory in stage.memory.items()}
        found = (self.oracle.keeps(images[each.memory], each.type) for each in kept)
        return next((reason for reason in found if reason is not None), None)

    def _meetings(self, run: Members) -> tuple[frozenset[int], frozenset[str]]:
        """Where the items of a work-group must wait for each other, and for what memory."""
        barriers: set[int] = set()
        handed: set[str] = set()
        begun = 0  # the first stage behind the last barrier
        together = self.together(run)
        placed = together is not None and any(stage.frame for stage in together.stages)
        for position, q in enumerate(run):
            found = [self.pair(p, q, placed=placed) for p in run[:position]]
            names = [each.handed if each is not None else set[str]() for each in found]
            handed.update(*names)
            if any(names[begun:]):
                barriers.add(self.invocations[q].index)
                begun = position
        return frozenset(barriers), frozenset(handed)

    def _group(self, run: Members, apart: list[Disjoint]) -> Group:
        found = self.candidate(run)
        assert isinstance(found, _Candidate)
        together = self.together(run)
        assert together is not None
        members = together.stages
        if len(run) == 1 and found.tiles is None:
            return _alone(members[0], found.stored, tuple(apart))
        loads, stores = _counted(members)
        indices = tuple(stage.invocation.index for stage in members)
        assumptions = _needed((*found.assumptions, *apart))
        equalities = _equalities(assumptions, members)
        values = group_values(
            members, equalities, found.stored, found.barriers, found.handed, keys(found.again)
        )
        saved = saved_by(members, values)
        as_it_is = not found.again and found.tiles is None  # items do what they would
        elements, distinct = self._several(members, values) if as_it_is else (1, [])
        if found.tiles is not None:
            distinct = _distinct(members, values)
        direct, untouched = frozenset[int](), list[Disjoint]()
        if not self.target.local_copies and as_it_is:
            direct, untouched = without_copies(members, values)
        waits = frozenset[int]()
        if self.target.pauses and elements == 1 and as_it_is:
            waits = pauses(members, values, direct, self.target.pauses)
        return Group(
            indices,
            found.stored,
            values.internalised,
            tuple(dict.fromkeys((*assumptions, *distinct, *untouched))),
            loads,
            stores,
            values.loads + found.further,
            values.stores,
            values.forwarded & saved,
            values.forwarded - saved,
            found.barriers,
            found.handed,
            elements,
            elements == 1
            and as_it_is
            and self.target.whole_groups > 0
            and may_ask_by_group(members)
            and pays(members),
            direct,
            max(self.target.unrolled, UNROLLED if isinstance(found.tiles, Marching) else 0),
            waits,
            found.again,
            found.tiles,
            found.bytes,
            sum(self._bytes((member,)) or 0 for member in run),
        )

    def _several(self, members: list[Stage], values: GroupValues) -> tuple[int, list[Disjoint]]:
        """How many items one item stands for, and what must be apart for that: loads of the
        next ones come before stores of the first."""
        if self.target.elements < 2 or not may_do_several(members, values.blocks):
            return 1, []
        if not pays(members):
            return 1, []
        return self.target.elements, _distinct(members, values)

    def _why_not(self, left: Members, right: Members) -> tuple[Reason, ...]:
        """All that keeps two groups apart, first what a person can do something about."""
        pairs = [(min(p, q), max(p, q)) for q in right for p in reversed(left)]
        found: dict[tuple[str, str], Reason] = {}  # one for each place, and for ranges
        for reason in (reason for pair in pairs for reason in self._obstacles(*pair)):
            place = "" if reason.code == "KF202" else str(reason.span)
            found.setdefault((reason.code, place), reason)
        if found:
            return tuple(sorted(found.values(), key=lambda reason: reason.help is None))
        ends = range(1, len(right) + 1)
        joined = [self.candidate(tuple(sorted((*left, *right[:end])))) for end in ends]
        if reasons := [each for each in joined if isinstance(each, Reason)]:
            return (reasons[0],)
        for each in joined:
            if isinstance(each, _Candidate) and each.again:
                return (self._costs(each.again, right[0]),)
        more = "one kernel for these would load and store more than they do apart"
        stages = [self.stages[call] for call in (*left, *right)]
        types = {access.type for stage in stages for access in stage.accesses}
        if any(isinstance(each, _Candidate) and each.tiles for each in joined):
            if mix_vectors(types):
                more = (
                    "one kernel for these would take longer than they do apart: beside vectors, "
                    f"{' and '.join(sorted(filter(is_vector, types)))}, compilers for CPUs load "
                    "numbers one by one"
                )
        return (Reason(DEAR, more, self.invocations[right[0]].span),)

    def _costs(self, again: Sequence[Again], call: int) -> Reason:
        labels = {m.name: str(m) for stage in self.stages for m in stage.memory.values()}
        named = " and ".join(dict.fromkeys(f"'{labels[each.memory]}'" for each in again))
        return Reason(
            DEAR,
            f"to compute {named} again for each neighbour that reads it would take longer than to "
            "store and load it",
            self.invocations[call].span,
            help="kernels of their own are better here; `--target` says for which device, and "
            "`--budget near=N` what N loads of neighbouring elements cost: one from memory",
        )

    def _obstacles(self, first: int, second: int) -> tuple[Reason, ...]:
        pair = (first, second)
        if self._may_meet(*pair):
            return ()
        several = len({stage.range.dimensions for stage in self._stages(pair, placed=False)}) > 1
        p, q = self._stages(pair, placed=several)
        return self._alone(first, second) or obstacles(
            p, q, self.oracle, again=self.target.near > 0
        )


def _distinct(members: Sequence[Stage], values: GroupValues) -> list[Disjoint]:
    """That no two buffers of which one is written share memory."""
    written = {name for stage in members for name in stage.written}
    kept = sorted({n for stage in members for n in stage.memory} - values.internalised)
    pairs = combinations(kept, 2)
    return [Disjoint(*pair) for pair in pairs if written.intersection(pair)]


def conflicts(p: Stage, q: Stage) -> list[tuple[str, str]]:
    """Pairs of memory objects of the two of which one is written."""
    return [
        (left, right)
        for left in p.memory
        for right in q.memory
        if left in p.written or right in q.written
    ]


def _not_rounded(stages: list[Stage], values: GroupValues) -> Reason | None:
    access = unreachable(stages, rounded(stages, values))
    if access is None:
        return None
    return Reason(
        "KF231",
        f"{access} would be contracted with what another kernel computes, for all that --exact "
        "can do",
        access.access.span,
    )


def first_of_range(assumptions: Iterable[Assumption]) -> dict[int, int]:
    """Of each invocation the first one that has the same range."""
    first: dict[int, int] = {}
    for a in assumptions:
        if isinstance(a, SameRange):
            one, other = (first.get(index, index) for index in (a.left, a.right))
            joined = {a.left, a.right, *(i for i, f in first.items() if f in (one, other))}
            first |= dict.fromkeys(joined, min(one, other))
    return first


def _needed(assumptions: tuple[Assumption, ...]) -> tuple[Assumption, ...]:
    """Each once; equal ranges and scalars are compared with the first of them only."""
    equalities = Equalities({})
    first_range = first_of_range(assumptions)
    kept: dict[Assumption, None] = {}
    for assumption in assumptions:
        if isinstance(assumption, SameRange | Covers):
            sides = assumption.left, assumption.right
            one, other = (first_range.get(index, index) for index in sides)
            if isinstance(assumption, Covers) and one != other:
                kept[assumption] = None
            for index, leader in zip(sides, (one, other), strict=True):
                if index != leader:
                    kept[SameRange(leader, index)] = None
        elif isinstance(assumption, Equal):
            equalities.join(assumption)
        elif not isinstance(assumption, (AtMost, AtLeast, UpTo)):
            kept[assumption] = None
    names = dict.fromkeys(
        name for a in assumptions if isinstance(a, Equal) for name in (a.left, a.right)
    )
    rows = {
        AtMost(equalities.leader(a.left), equalities.leader(a.right), a.type, a.times): None
        for a in assumptions
        if isinstance(a, AtMost)
    }
    least: dict[tuple[str, str], int] = {}
    most: dict[tuple[str, str, str], int] = {}
    for a in assumptions:
        if isinstance(a, AtLeast):
            scalar = (equalities.leader(a.scalar), a.type)
            least[scalar] = max(a.least, least.get(scalar, 0))
        if isinstance(a, UpTo):
            product = (equalities.leader(a.scalar), a.type, a.by and equalities.leader(a.by))
            most[product] = min(a.most, most.get(product, a.most))
    floors = [AtLeast(name, number, type_) for (name, type_), number in least.items()]
    ends = [UpTo(name, number, type_, by) for (name, type_, by), number in most.items()]
    equal = [Equal(first, n) for n in names if (first := equalities.leader(n)) != n]
    return (*kept, *rows, *floors, *ends, *equal)
