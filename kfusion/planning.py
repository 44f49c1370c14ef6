"""From the launches that a region is expected to make to the patterns that are noted.

Launches come in, with named arguments, what is known of their values, and which objects need not
be in memory afterwards. A pattern goes out, with the fused kernels under their names. Where no
group goes across, a row of launches is cut: the condition of one group does not keep others from
being fused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import field, replace
from functools import partial
from itertools import pairwise
from operator import itemgetter

from kfusion.graph.drops import Drop
from kfusion.graph.model import Argument, Group, Invocation, Oracle, RegionPlan
from kfusion.graph.plan import Known, plan_region
from kfusion.graph.target import Target
from kfusion.parse.unit import Unit
from kfusion.regenerate.names import combined_name
from kfusion.regenerate.pattern import Form, Pattern
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Reason
from kfusion.source.lexer import tokenize
from kfusion.synthesis.alike import but_for_names
from kfusion.synthesis.kernel import synthesise
from kfusion.synthesis.model import FusedKernel, FusedParameter, NotWrittenError
from kfusion.synthesis.several import ITEM

STORING_ALL = "_all"  # after the name of a kernel of which there is one that stores less

# Programs of the components, and a text but for the names of its variables: what other names
# stand for is another thing in another program.
_Key = tuple[tuple[Unit, ...], tuple[str, ...]]


@dataclass
class Kernels:
    """The fused kernels of all regions: one text, one kernel."""

    exact: bool
    taken: set[str]  # by anything in the program: no fused kernel is called so
    reserved: frozenset[str] = frozenset()  # in files of kernels: nothing in one is called so
    written: set[str] = field(default_factory=set)  # fused kernels, and the functions they call
    made: dict[_Key, FusedKernel] = field(default_factory=dict)
    units: dict[str, Unit] = field(default_factory=dict)  # where each has its components
    order: dict[str, tuple[int, ...]] = field(default_factory=dict)  # of parameters, see below
    alone: dict[str, Reason] = field(default_factory=dict)  # components that cannot be repeated
    # The text for a kernel of several programs.
    unit_of: Callable[[Sequence[Unit]], Unit | None] = itemgetter(0)

    def kept(self) -> Kernels:
        """As they are now."""
        names = ("taken", "written", "made", "units", "order", "alone")
        return replace(self, **{name: copy(getattr(self, name)) for name in names})

    def of(self, unit: Unit) -> list[FusedKernel]:
        return [k for k in self.made.values() if self.units[k.name] is unit]

    def form(self, plan: RegionPlan, suffix: str = "") -> Form:
        fused = {g: self._kernel(plan, g, suffix) for g in plan.groups if g.fused}
        return Form(plan, fused)

    def _kernel(self, plan: RegionPlan, group: Group, suffix: str) -> FusedKernel:
        """Of a shared kernel the parameters stand for this region's own arguments."""
        members = [plan.invocations[i] for i in group.members]
        names = [m.kernel.name for m in members]
        name = combined_name(names, ())
        write = partial(synthesise, group, plan.invocations, exact=self.exact)
        probe = write(name, taken=self.reserved)
        written = but_for_names(probe, {m.kernel.unit for m in members}, self.reserved)
        key = tuple(dict.fromkeys(m.kernel.program for m in members)), written
        if key not in self.made:
            taken = self.taken | self.reserved
            if probe.elements > 1:
                taken = taken | {name.removesuffix(ITEM) for name in taken}
            name = combined_name([name + suffix], taken)
            made = probe
            if name != probe.name or self.taken & set(probe.functions):
                made = write(name, taken=self.reserved | self.written)
            unit = self.unit_of([member.kernel.program for member in members])
            if unit is None:
                text = "the programs of the kernels cannot be joined without that of another one"
                raise NotWrittenError(names[-1], Reason("KF208", text, members[-1].span))
            self.written |= {name, name + ITEM, *made.functions}
            self.taken |= self.written
            self.made[key] = made
            self.units[name] = unit
            self.order[name] = _order(probe.parameters, made.parameters)
        name = self.made[key].name
        # Under another name it may name its parameters, and so list them, in another way.
        parameters = tuple(probe.parameters[position] for position in self.order[name])
        return replace(probe, name=name, parameters=parameters)


def _order(ours: Sequence[FusedParameter], theirs: Sequence[FusedParameter]) -> tuple[int, ...]:
    """Where each of theirs stands among ours: both are of one group's arguments."""
    left = dict(enumerate(map(_but_for_its_name, ours)))
    found: list[int] = []
    for wanted in map(_but_for_its_name, theirs):
        found.append(next(position for position, each in left.items() if each == wanted))
        del left[found[-1]]
    assert not left, "a kernel has the same parameters under any name"
    return tuple(found)


def _but_for_its_name(parameter: FusedParameter) -> tuple[Argument, str]:
    declared = " ".join(t.text for t in tokenize(parameter.text) if t.text != parameter.name)
    return parameter.argument, declared


@dataclass(frozen=True)
class Plans:
    """What becomes of a sequence of launches: storing all results, and storing fewer."""

    whole: RegionPlan
    less: RegionPlan | None
    drops: tuple[Drop, ...]

    @property
    def best(self) -> RegionPlan:
        return self.less or self.whole

    def groups_from(self, first: int) -> list[tuple[int, ...]]:
        """The launches of each kernel, where those of the plan are numbered from there."""
        return [tuple(first + member for member in group.members) for group in self.best.groups]


def plans_of(
    invocations: Sequence[Invocation],
    drops: Sequence[Drop],
    oracle: Oracle,
    target: Target,
    *,
    exact: bool,
    alone: Mapping[str, Reason],
) -> Plans:
    """`alone`: kernels that are not fused, and why."""
    known = Known()
    whole = plan_region(invocations, None, oracle, target, exact=exact, known=known, alone=alone)
    wanted = list(drops)
    while wanted:
        kept = {m.name for i in invocations for m in i.memory} - {d.memory for d in wanted}
        seen = frozenset(kept)
        less = plan_region(invocations, seen, oracle, target, exact=exact, known=known, alone=alone)
        inside = [drop for drop in wanted if _is_internal(less, drop.memory)]
        if len(inside) == len(wanted):
            return Plans(whole, less, tuple(wanted))
        wanted = inside
    return Plans(whole, None, ())


def _is_internal(plan: RegionPlan, name: str) -> bool:
    """Does each group that uses the object keep it out of memory?

    Otherwise the same launches, made once more, might read what was left out.
    """
    return all(
        name in group.internalised
        for group in plan.groups
        if any(_uses(plan.invocations[i], name) for i in group.members)
    )


def blocks_of(plans: Plans, *, overwritten: bool) -> list[tuple[int, int]]:
    """The launches in pieces that no group goes across: first and end of each. `overwritten`: a
    group is with the launches that overwrite what it does not store."""
    count = len(plans.whole.invocations)
    spans = [
        (min(group.members), max(group.members))
        for plan in (plans.whole, plans.best)
        for group in plan.groups
    ]
    if overwritten:
        spans += [_with_overwriting(plans, group) for group in plans.best.groups]
    starts = [i for i in range(count) if not any(first < i <= last for first, last in spans)]
    return list(pairwise([*starts, count]))


def _with_overwriting(plans: Plans, group: Group) -> tuple[int, int]:
    """From the group to the launches that overwrite what it does not store for their sake."""
    invocations, last = plans.best.invocations, max(group.members)
    left_out = (group.internalised | group.loaded) - {drop.memory for drop in plans.drops}
    users = {
        memory: [i for i in range(last + 1, len(invocations)) if _uses(invocations[i], memory)]
        for memory in left_out
    }
    return min(group.members), max([last, *(each[0] for each in users.values() if each)])


def _uses(invocation: Invocation, memory: str) -> bool:
    return any(each.name == memory for each in invocation.memory)


def pattern_of(
    name: str, plans: Plans, kernels: Kernels, suffix: str = "", *, held: bool
) -> Pattern:
    """`held`: nothing comes between the launches and the region's end. `suffix`: of kernels."""
    if not plans.best.fuses:  # a launch that others may wait behind
        return Pattern(name, plans.whole.invocations, None)
    less = kernels.form(plans.less, suffix) if plans.less is not None else None
    whole = None
    if less is None or (not held and plans.whole.fuses):
        whole = kernels.form(plans.whole, (STORING_ALL if less is not None else "") + suffix)
    return Pattern(name, plans.whole.invocations, whole, less, plans.drops)
