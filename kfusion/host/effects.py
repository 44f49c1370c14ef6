"""What a host statement does that matters to OpenCL, as values."""

from __future__ import annotations

from pycparser import c_ast

from kfusion.host.symbolic import Contents, Place, Sym
from kfusion.source.dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Effect:
    node: c_ast.Node
    certain: bool  # it happens on every path (given that every OpenCL call succeeds)


@dataclass(frozen=True, eq=False)
class SetArgument(Effect):
    kernel: Sym
    index: Sym
    size: Sym
    place: Place | None  # where the value is read from; None: a NULL pointer
    value: Sym | None
    type: str = ""  # of the variable, if it is one
    parts: Contents | None = None  # of a place that is more than one scalar or handle

    @property
    def whole(self) -> Place | None:
        """The place, or the array that more than its first element is read from."""
        place = self.place
        while place is not None and self.parts is not None and place.path[-1:] == ("[0]",):
            place = Place(place.root, place.path[:-1])
        return place


@dataclass(frozen=True, eq=False)
class Launch(Effect):
    queue: Sym
    kernel: Sym
    dimensions: Sym
    offset: tuple[Sym, ...] | None
    size: tuple[Sym, ...]
    local: tuple[Sym, ...] | None
    waits: Sym  # the number of events to wait for
    event: Sym  # where the event goes: a pointer


@dataclass(frozen=True, eq=False)
class Transfer(Effect):
    """A copy between host and device, or within the device."""

    call: str
    reads: tuple[Sym, ...]  # memory objects
    writes: tuple[Sym, ...]
    waits: bool  # it has a wait list


@dataclass(frozen=True, eq=False)
class Assign(Effect):
    """A place outside the function's own variables gets a value."""

    place: Place
    value: Sym


@dataclass(frozen=True, eq=False)
class Synchronise(Effect):
    """clFinish, clWaitForEvents, blocking maps: what comes before has happened."""

    call: str


@dataclass(frozen=True, eq=False)
class Release(Effect):
    call: str
    handle: Sym


@dataclass(frozen=True, eq=False)
class Create(Effect):
    call: str
    value: Sym
    host_pointer: bool = False  # the buffer may share memory with host data


@dataclass(frozen=True, eq=False)
class HostCall(Effect):
    """A libc call with effects of its own (messages, allocation), none on the device."""

    name: str
    arguments: tuple[Sym, ...] = ()
    reached: tuple[Sym, ...] = ()  # what variables of functions hold that it is led to


@dataclass(frozen=True, eq=False)
class UnknownCall(Effect):
    """A function that is not among the files: it may do anything with what it can reach."""

    name: str
    arguments: tuple[Sym, ...] = ()


@dataclass(frozen=True, eq=False)
class Unsupported(Effect):
    """Something whose effect is not understood."""

    what: str
