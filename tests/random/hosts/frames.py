"""What is known while a function of a random host program is carried out."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.random.hosts import model as m
from tests.random.hosts.kernels import UNKNOWN, Kernel, Unknown, Value
from tests.random.hosts.memory import Buffer, Host, Invalid, KernelObject, Root, Vector

OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "%": operator.mod,
    "&": operator.and_,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}


class Leave(Exception):  # noqa: N818
    """A statement that goes on elsewhere."""


class LeaveLoop(Leave):
    pass


class NextTurn(Leave):
    pass


class LeaveFunction(Leave):
    pass


@dataclass(eq=False)
class Frame:
    function: m.Function
    vectors: dict[str, Vector]
    numbers: dict[str, Value] = field(default_factory=dict)
    kernels: dict[str, KernelObject | None] = field(default_factory=dict)
    hosts: dict[str, Host] = field(default_factory=dict)
    events: dict[str, tuple[int, int] | None] = field(default_factory=dict)
    path: m.Path = ()
    loops: int = 0


@dataclass(eq=False)
class RegionState:
    written: set[tuple[Root, int]] = field(default_factory=set)


class Items:
    """The memory of one launch as its items see it; watches for races."""

    def __init__(self, kernel: Kernel, arguments: dict[str, object]) -> None:
        self.arguments = arguments
        self.item = 0
        self.readers: dict[tuple[Root, int], int] = {}
        self.writers: dict[tuple[Root, int], int] = {}

    def load(self, parameter: str, index: int) -> Value:
        buffer = self._buffer(parameter)
        value = buffer.load(index)
        key = (buffer.root, buffer.place(index))
        if self.writers.get(key, self.item) != self.item:
            raise Invalid("a race between items")
        if self.readers.setdefault(key, self.item) != self.item:
            self.readers[key] = -1  # several
        return value

    def store(self, parameter: str, index: int, value: Value) -> None:
        buffer = self._buffer(parameter)
        key = (buffer.root, buffer.place(index))
        others = (self.writers.get(key, self.item), self.readers.get(key, self.item))
        if others != (self.item, self.item):
            raise Invalid("a race between items")
        self.writers[key] = self.item
        buffer.store(index, value)

    def scalar(self, parameter: str) -> int:
        value = self.arguments[parameter]
        assert isinstance(value, int)
        return value

    def _buffer(self, parameter: str) -> Buffer:
        buffer = self.arguments[parameter]
        assert isinstance(buffer, Buffer)
        return buffer


def added(value: Value, add: int) -> Value:
    return UNKNOWN if isinstance(value, Unknown) else (value + add) & 0xFFFF


def shown(value: Value) -> str:
    return "........" if isinstance(value, Unknown) else f"{value & 0xFFFFFFFF:08x}"


def arguments_of(spec: Kernel, kernel: KernelObject) -> dict[str, object]:
    """What a launch passes, by parameter."""
    found: dict[str, object] = {}
    for index, parameter in enumerate(spec.parameters):
        value = kernel.arguments.get(index)
        if value is None:
            raise Invalid(f"argument {parameter.name} is not set")
        if isinstance(value, Buffer):
            if not value.alive:
                raise Invalid(f"argument {parameter.name} was released")
            if value.root.kind != parameter.kind:
                raise Invalid(f"argument {parameter.name} has another type")
        found[parameter.name] = value
    return found


def uses_of(spec: Kernel, arguments: dict[str, object]) -> list[tuple[Root | Host, bool]]:
    """The memory of a launch, and whether the launch writes it."""
    found: list[tuple[Root | Host, bool]] = []
    for parameter in spec.buffers:
        buffer = arguments[parameter.name]
        assert isinstance(buffer, Buffer)
        found.append((buffer.root, parameter.written))
    return found


def forget_temporaries(
    written: set[tuple[Root, int]],
    out: list[Buffer | None],
    temporary: list[Buffer | None],
) -> None:
    """At the end of a region: what its list names as temporary must not be looked at any more."""
    kept = {(b.root, b.offset + i) for b in out if b is not None for i in range(b.count)}
    for root, place in written - kept if out else ():
        root.cells[place] = None
    for buffer in temporary:
        for i in range(buffer.count if buffer is not None else 0):
            assert buffer is not None
            buffer.root.cells[buffer.place(i)] = None
