"""Launches and arguments of kernels, as values."""

from __future__ import annotations

from pycparser import c_ast

from kfusion.host.symbolic import Place, Sym
from kfusion.source.dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class SetArgument:
    kernel: Sym
    index: Sym
    size: Sym
    place: Place | None  # where the value is read from; None: a NULL pointer
    value: Sym | None
    parts: frozenset[tuple[Place, Sym]] | None = None  # of what is no single scalar or handle

    @property
    def whole(self) -> Place | None:
        """The place, or the array that more than its first element is read from."""
        place = self.place
        while place is not None and self.parts is not None and place.path[-1:] == ("[0]",):
            place = Place(place.root, place.path[:-1])
        return place


@dataclass(frozen=True, eq=False)
class Launch:
    node: c_ast.FuncCall
    queue: Sym
    kernel: Sym
    dimensions: Sym
    offset: tuple[Sym, ...] | None
    size: tuple[Sym, ...]
    local: tuple[Sym, ...] | None
    waits: Sym  # the number of events to wait for
    event: Sym  # where the event goes: a pointer
    is_task: bool = False


@dataclass(frozen=True, eq=False)
class Transfer:
    """A copy between host and device, or within the device."""

    call: str
    reads: tuple[Sym, ...]  # memory objects
    writes: tuple[Sym, ...]
    waits: bool  # it has a wait list
