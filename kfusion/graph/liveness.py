"""Which memory a group must leave behind."""

from __future__ import annotations

from collections.abc import Sequence

from kfusion.graph.bind import BoundAccess, Stage
from kfusion.graph.model import Disjoint, Memory, Oracle
from kfusion.graph.unify import Equalities
from kfusion.source.protections import is_on, protection

LIVENESS = protection("liveness", "what is read after a group is stored")
PARTIAL = protection("partial", "only elements that are surely overwritten are dead")
HIDDEN_READERS = protection("hidden-readers", "a dropped buffer is not read under another name")
UNSURE = protection("unsure", "a call that may not launch overwrites nothing for sure")
HOST_READERS = protection("host-readers", "what later calls may read on the host is stored")


def stored_after(
    members: Sequence[Stage],
    later: Sequence[Stage],
    observed: frozenset[str] | None,
    oracle: Oracle,
) -> tuple[frozenset[str], list[Disjoint]]:
    """Memory that must hold its values after the group, and what is assumed of the rest."""
    written = {name for stage in members for name in stage.written}
    stored = {name for name in written if _is_live(name, members, later, observed)}
    assumed: list[Disjoint] = []
    readers = _readers(members, later, observed)
    own = {name for stage in members for name in stage.memory}
    for name in sorted(written - stored):
        memory = next(s.memory[name] for s in members if name in s.memory)
        others = [m for m in readers.values() if m.name != name]
        apart = all(
            oracle.disjoint(memory, m) and (m.name in own or oracle.compares(memory, m))
            for m in others
        )
        if apart or not is_on(HIDDEN_READERS):
            assumed += [Disjoint(*sorted((name, m.name))) for m in others]
        else:
            stored.add(name)
    return frozenset(stored), assumed


def _readers(
    members: Sequence[Stage], later: Sequence[Stage], observed: frozenset[str] | None
) -> dict[str, Memory]:
    """Memory through which a value of the group might be seen afterwards."""
    found: dict[str, Memory] = {}
    for number, stage in enumerate((*later, *members)):
        for memory in stage.memory.values():
            seen = observed is None or memory.name in observed
            if seen or (number < len(later) and _may_read(stage, memory)):
                found[memory.name] = memory
    return found


def _may_read(stage: Stage, memory: Memory) -> bool:
    seen = stage.invocation.seen
    return memory.name in stage.read or seen is None or memory.name in seen


def _is_live(
    name: str,
    members: Sequence[Stage],
    later: Sequence[Stage],
    observed: frozenset[str] | None,
) -> bool:
    if not is_on(LIVENESS):
        return False
    sure = True
    for stage in later:
        seen = stage.invocation.seen
        if name in stage.read or ((seen is None or name in seen) and is_on(HOST_READERS)):
            return True
        sure = sure and (stage.invocation.sure or not is_on(UNSURE))
        if sure and name in stage.written and _overwrites(stage, name, members):
            return False
    return observed is None or name in observed


def _overwrites(stage: Stage, name: str, members: Sequence[Stage]) -> bool:
    """Does the stage surely write every element of the buffer that the members write?"""
    if not is_on(PARTIAL):
        return True
    exact = Equalities({})
    stores = [a for a in stage.accesses if a.memory.name == name and _surely(a)]
    for member in members:
        if name not in member.written:
            continue
        if _range(member) != _range(stage) or not exact.same_guards(member.guards, stage.guards):
            return False
        for access in member.accesses:
            if access.memory.name != name or not access.access.mode.writes:
                continue
            if access.form is None or all(access.form != s.form for s in stores):
                return False
    return True


def _surely(access: BoundAccess) -> bool:
    return access.access.mode.writes and not access.access.conditional and access.access.whole


def _range(stage: Stage) -> tuple[int, str]:
    return stage.invocation.range.dimensions, stage.invocation.range.key
