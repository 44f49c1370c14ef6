"""Which memory objects are observed after a region."""

from __future__ import annotations

from kfusion.graph.model import Memory
from kfusion.host.merge import RegionAnalysis
from kfusion.host.symbolic import App, Entry, Global, Place, Pointee, Sym
from kfusion.source.diagnostics import Diagnostic, error


def object_of(value: Sym) -> str | None:
    """The application's variable that a memory object belongs to."""
    if not isinstance(value, Entry):
        return None
    place: Place = value.place
    while isinstance(place.root, Pointee) and isinstance(place.root.pointer, Entry):
        place = place.root.pointer.place
    return place.root.name if isinstance(place.root, App | Global) else None


def observed_after(analysis: RegionAnalysis) -> tuple[frozenset[str] | None, list[Diagnostic]]:
    """Names of the memory objects that must be in memory; None: all of them."""
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
    if outs:
        return frozenset(n for n, owner in objects.items() if owner in outs), []
    if temporaries:
        return frozenset(n for n, owner in objects.items() if owner not in temporaries), []
    return None, []
