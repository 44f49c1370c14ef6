"""Which memory a group must leave behind."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from kfusion.graph.bind import BoundAccess, Stage, surely_stored
from kfusion.graph.model import Disjoint
from kfusion.graph.unify import Equalities
from kfusion.kernel.forms import OF_GROUPS
from kfusion.source.protections import is_on, protection

LIVENESS = protection("liveness", "what is read after a group is stored")
GROUPS = protection("groups-later", "an element is surely overwritten whatever groups there are")
OWN_IDS = protection("own-ids", "guards of launches are compared in ids of their own items")
PARTIAL = protection("partial", "only elements that are surely overwritten are dead")


def stored_after(
    members: Sequence[Stage], later: Sequence[Stage], observed: frozenset[str] | None
) -> tuple[frozenset[str], list[Disjoint]]:
    """Memory that must hold its values after the group, and what is assumed of the rest."""
    written = {name for stage in members for name in stage.written}
    stored = {name for name in written if _is_live(name, members, later, observed)}
    readers = _readers(members, later, observed)
    dropped = product(sorted(written - stored), readers)
    assumed = [Disjoint(*sorted(pair)) for pair in dropped if pair[0] != pair[1]]
    return frozenset(stored), assumed


def _readers(
    members: Sequence[Stage], later: Sequence[Stage], observed: frozenset[str] | None
) -> list[str]:
    """Memory through which a value of the group might be seen afterwards."""
    found: dict[str, None] = {}
    for number, stage in enumerate((*later, *members)):
        for name in stage.memory:
            seen = observed is None or name in observed
            if seen or (number < len(later) and name in stage.read):
                found[name] = None
    return list(found)


def _is_live(
    name: str,
    members: Sequence[Stage],
    later: Sequence[Stage],
    observed: frozenset[str] | None,
) -> bool:
    if not is_on(LIVENESS):
        return False
    for stage in later:
        if name in stage.read:
            return True
        if name in stage.written and _overwrites(stage, name, members):
            return False
    return observed is None or name in observed


def _overwrites(stage: Stage, name: str, members: Sequence[Stage]) -> bool:
    """Does the stage surely write every element of the buffer that the members write?"""
    if not is_on(PARTIAL):
        return True
    exact = Equalities({})
    stored = surely_stored([a for a in stage.accesses if a.memory.name == name and _counts(a)])
    for member in members:
        if name not in member.written:
            continue
        if member.frame is not None and is_on(OWN_IDS):
            return False  # what is known of it is told of other items than its own
        if _range(member) != _range(stage) or not exact.same_guards(member.guards, stage.guards):
            return False
        for access in member.accesses:
            if access.memory.name != name or not access.access.mode.writes:
                continue
            if access.place not in stored:
                return False
    return True


def _counts(access: BoundAccess) -> bool:
    a = access.access
    sides = (side for fact in a.facts for side in (fact.left, fact.right))
    forms = (form for form in (a.form, *sides) if form is not None)
    # The groups of a launch that is made as written are not compared with those expected.
    by_group = any(form.mentions(*OF_GROUPS) for form in forms) and is_on(GROUPS)
    return not by_group


def _range(stage: Stage) -> tuple[int, str]:
    return stage.invocation.range.dimensions, stage.invocation.range.key
