"""The run-time guard: what a fusion takes for granted, as C conditions."""

from __future__ import annotations

from dataclasses import dataclass, field

from kfusion.graph.model import Disjoint, Equal, Group, SameRange, Within
from kfusion.host.equality import identity, range_pairs, strip, unify
from kfusion.host.expressions import inverted
from kfusion.host.library import Run
from kfusion.host.merge import RegionAnalysis
from kfusion.host.symbolic import Entry, Num, Op, Sym
from kfusion.regenerate.ctext import Renderer
from kfusion.regenerate.pieces import CannotWrite
from kfusion.source.protections import is_on, protection

GUARD_EQUAL = protection("guard-equal", "sizes and scalars are not compared at run time")
GUARD_REQUIRED = protection("guard-required", "early returns are not checked at run time")
GUARD_DISJOINT = protection("guard-disjoint", "buffers are not compared at run time")


@dataclass
class Equalities:
    """Classes of values that must be equal, in order of first mention."""

    order: list[Sym] = field(default_factory=list)
    parent: dict[Sym, Sym] = field(default_factory=dict)

    def find(self, value: Sym) -> Sym:
        while value in self.parent:
            value = self.parent[value]
        return value

    def join(self, left: Sym, right: Sym) -> None:
        for value in (left, right):
            if value not in self.order:
                self.order.append(value)
        a, b = self.find(left), self.find(right)
        if a == b:
            return
        if self.order.index(b) < self.order.index(a) or isinstance(b, Num):
            a, b = b, a
        self.parent[b] = a

    def conditions(self, renderer: Renderer) -> list[str]:
        """One inequality for each value that is not the first of its class."""
        result = []
        for value in self.order:
            first = self.find(value)
            if first != value:
                result.append(f"{_text(renderer, value)} != {_text(renderer, first)}")
        return result


@dataclass(frozen=True)
class Guard:
    """Conditions of which any one makes the original calls run."""

    conditions: tuple[str, ...]
    written: tuple[str, ...]  # `&a->device`: memory that is written
    others: tuple[str, ...]  # memory that must be apart from it


def make_guard(
    analysis: RegionAnalysis, group: Group, runs: list[Run], renderer: Renderer
) -> Guard:
    first = group.members[0]
    equalities = Equalities()
    conditions: list[str] = []
    for run in runs:
        for requirement, _ in run.requirements:
            _require(requirement, equalities, conditions, renderer)
    for assumption in group.assumptions:
        pairs: list[tuple[Sym, Sym]] | None = []
        if isinstance(assumption, Equal):
            left = _scalar(analysis, group, runs, assumption.left)
            right = _scalar(analysis, group, runs, assumption.right)
            pairs = unify(left, right)
        elif isinstance(assumption, SameRange):
            pairs = range_pairs(
                runs[assumption.left - first].launch, runs[assumption.right - first].launch
            )
        elif isinstance(assumption, Within):
            size = runs[assumption.invocation - first].launch.size[assumption.dimension]
            value = _scalar(analysis, group, runs, assumption.scalar)
            pairs = unify(strip(size), strip(value))
        if pairs is None:
            raise CannotWrite("an assumption cannot be checked on entry")
        for left, right in pairs:
            if is_on(GUARD_EQUAL):
                equalities.join(left, right)
    conditions = [*equalities.conditions(renderer), *conditions]
    written, others = _memory(analysis, group, runs, renderer)
    return Guard(tuple(dict.fromkeys(conditions)), written, others)


def _require(
    requirement: Sym, equalities: Equalities, conditions: list[str], renderer: Renderer
) -> None:
    if not is_on(GUARD_REQUIRED):
        return
    if isinstance(requirement, Op) and requirement.name == "&&":
        for part in requirement.args:
            _require(part, equalities, conditions, renderer)
    elif isinstance(requirement, Op) and requirement.name == "==":
        equalities.join(*requirement.args)
    elif requirement != Num(1):
        conditions.append(_text(renderer, inverted(requirement)))


def _scalar(analysis: RegionAnalysis, group: Group, runs: list[Run], name: str) -> Sym:
    """The value of a scalar of the plan, in terms of this group's entry."""
    for member, run in zip(group.members, runs, strict=True):
        for position, argument in enumerate(analysis.invocations[member].arguments):
            if argument.name == name and position in run.set_arguments:
                value = run.set_arguments[position].value
                assert value is not None
                return identity(value)
    raise CannotWrite(f"'{name}' is not known on entry")


def _memory(
    analysis: RegionAnalysis, group: Group, runs: list[Run], renderer: Renderer
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    named = {n for a in group.assumptions if isinstance(a, Disjoint) for n in (a.left, a.right)}
    if not named or not is_on(GUARD_DISJOINT):
        return (), ()
    written: list[str] = []
    others: list[str] = []
    for member, run in zip(group.members, runs, strict=True):
        writes = analysis.uses(run)
        for position, argument in enumerate(analysis.invocations[member].arguments):
            if argument.name not in named or position not in run.set_arguments:
                continue
            value = run.set_arguments[position].value
            value = identity(value) if value is not None else None
            if not isinstance(value, Entry):
                continue  # made here: apart from all that was there before
            place = renderer.place(value.place) or renderer.parameters.get(value)
            if place is None:
                raise CannotWrite(f"'{argument.name}' cannot be named on entry")
            text = f"&{place}"
            (written if writes.get(str(value)) else others).append(text)
    written = list(dict.fromkeys(written))  # by one launch at least
    others = [o for o in dict.fromkeys(others) if o not in written]
    return tuple(written), tuple(others)


def _text(renderer: Renderer, value: Sym) -> str:
    text = renderer.value(value)
    if text is None:
        raise CannotWrite(f"'{value}' cannot be written down on entry")
    return text
