"""Which memory objects are observed after a region.

Named by `out` and `temp`, and held against the code that follows. Without them an object
is dead only if it belongs to a local variable of the function that nothing after the
region reads: it is only released, and its handle never went anywhere else.
"""

from __future__ import annotations

from kfusion.graph.model import Memory
from kfusion.host.dead import DeadObjects
from kfusion.host.effects import Assign
from kfusion.host.equality import identity
from kfusion.host.following import Later, object_of, read_by_callers
from kfusion.host.merge import RegionAnalysis
from kfusion.host.surroundings import around_region
from kfusion.host.symbolic import Entry, Made, leaves
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Diagnostic, Severity, error
from kfusion.source.protections import is_on, protection

CONTRADICTED = protection("host-out-contradicted", "out or temp against a later read is believed")
HANDLES = protection("host-handles-exchanged", "out and temp name what handles were before")
WATCHED = protection("host-watched", "statements inside a region see what is on the device")


@dataclass(frozen=True)
class Liveness:
    """Names of the memory objects that must be in memory after the region.

    Those of `if_internal` need not be, provided that the region itself, run again in a
    loop, does not read what an earlier iteration left: that is, that the plan keeps them
    out of memory altogether.
    """

    observed: frozenset[str]
    if_internal: frozenset[str] = frozenset()
    notes: tuple[Diagnostic, ...] = ()


def observed_after(analysis: RegionAnalysis) -> Liveness:
    objects: dict[str, str | None] = {}
    for invocation in analysis.invocations:
        for argument in invocation.arguments:
            if isinstance(argument, Memory):
                objects[argument.name] = object_of(analysis.values[argument.name])
    data = analysis.region.mark.data
    for item in data:
        if item.role and item.name not in objects.values():
            raise error(
                "KF127",
                f"{item.role}({item.name}): no call of this region gives '{item.name}' to a kernel",
                item.span,
            )
    outs = {item.name for item in data if item.role == "out"}
    temporaries = {item.name for item in data if item.role == "temp"}
    around = around_region(analysis.region, analysis.program)
    if (outs or temporaries) and _renamed(analysis, objects):
        return Liveness(frozenset(objects))
    if outs:
        dead = {n for n, owner in objects.items() if owner not in outs}
    elif temporaries:
        dead = {n for n, owner in objects.items() if owner in temporaries}
    else:
        written = _written(analysis)  # of what is only read, nothing has to be kept
        inferred = DeadObjects(analysis, around)
        dead = {
            name
            for name, owner in objects.items()
            if name in written and owner is not None and inferred.is_dead(name, owner)
        }
        doubtful = dead if around.in_loop else set()
        return Liveness(frozenset(objects) - dead, frozenset(doubtful))
    notes = _contradictions(analysis, dead & _written(analysis), Later(analysis, around))
    if is_on(WATCHED) and analysis.segments.is_watched():
        return Liveness(frozenset(objects), notes=tuple(notes))
    return Liveness(frozenset(objects) - dead, notes=tuple(notes))


def _renamed(analysis: RegionAnalysis, objects: dict[str, str | None]) -> bool:
    """Do objects exchange handles in the region? Then names say nothing of what is left.

    A handle that is made in the region belongs to the object that gets it.
    """
    effects = (e for run in analysis.runs for step in run.steps for e in step.effects)
    for effect in effects:
        if not isinstance(effect, Assign):
            continue
        for leaf in leaves(effect.value):
            name = str(identity(leaf))
            if name in objects and isinstance(leaf, Made):
                objects[name] = object_of(Entry(effect.place))
            elif name in objects and leaf != Entry(effect.place) and is_on(HANDLES):
                return True
    return False


def _written(analysis: RegionAnalysis) -> set[str]:
    return {
        name for run in analysis.runs for name, written in analysis.uses(run).items() if written
    }


def _contradictions(analysis: RegionAnalysis, dead: set[str], later: Later) -> list[Diagnostic]:
    """A certain later read of a temporary is an error, a possible one a note."""
    notes: list[Diagnostic] = []
    for name in sorted(dead):
        found = later.first_read(name) or read_by_callers(analysis, name, later)
        if found is None or not is_on(CONTRADICTED):
            continue
        unit = found.unit or analysis.region.unit
        owner = object_of(analysis.values[name])
        when = "in the next iteration" if found.next_iteration else "after the region"
        if found.unit is not None and not found.next_iteration:
            when = f"after {analysis.region.function.name} returns"
        message = f"'{owner}' is temporary here, but it is read {when}"
        read = "here its caller may read it" if found.parameter else "it is read here"
        place = (read, unit.node_span(found.node))
        if found.certain:
            raise error(
                "KF303",
                message,
                analysis.region.mark.annotation,
                help=_remedy(analysis, owner),
                related=(place,),
                exit_code=1,
            )
        notes.append(
            Diagnostic(
                "KF403",
                Severity.NOTE,
                f"'{owner}' is temporary here, and may be read {when}",
                analysis.region.mark.annotation,
                related=(place,),
            )
        )
    return notes


def _remedy(analysis: RegionAnalysis, owner: str | None) -> str:
    if any(item.role == "out" for item in analysis.region.mark.data):
        return f"name it: out({owner})"
    return f"take '{owner}' out of temp(...)"
