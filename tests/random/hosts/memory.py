"""What random host programs work on, as far as their validity depends on it."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.random.hosts.kernels import UNKNOWN, Value


class Invalid(Exception):  # noqa: N818 - a finding about a program, not an error of this one
    """A statement whose behaviour OpenCL or C leaves open, or that breaks a promise."""


def pattern(kind: str, seed: int, count: int) -> list[Value]:
    """The contents that data gets from the host; floats are not followed."""
    if kind == "float":
        return [UNKNOWN] * count
    return [(i * 37 + seed * 11) % 251 for i in range(count)]


@dataclass(eq=False)
class Root:
    """Memory of its own. None: not initialised, or promised not to be looked at."""

    kind: str
    cells: list[Value | None]
    over_host: bool = False


@dataclass(eq=False)
class Buffer:
    root: Root
    offset: int
    count: int
    parent: Buffer | None = None
    references: int = 1

    def place(self, index: int) -> int:
        if not 0 <= index < self.count:
            raise Invalid(f"element {index} of {self.count}")
        return self.offset + index

    def load(self, index: int) -> Value:
        value = self.root.cells[self.place(index)]
        if value is None:
            raise Invalid(f"element {index} is not initialised")
        return value

    def store(self, index: int, value: Value) -> None:
        self.root.cells[self.place(index)] = value

    @property
    def alive(self) -> bool:
        return self.references > 0


@dataclass(eq=False)
class Vector:
    """A variable of the program: a handle and a number of elements."""

    buffer: Buffer | None = None
    count: int = 0


@dataclass(eq=False)
class Host:
    """An array of the host."""

    kind: str = "int"
    cells: list[Value | None] = field(default_factory=list)


@dataclass(frozen=True)
class Pending:
    """A command that may not have been carried out: it uses memory of a device or host."""

    number: int
    memory: Root | Host
    writes: bool


UNORDERED = 2  # the queue that is out of order


@dataclass
class Queues:
    """Which commands of three queues may still be going on."""

    pending: list[list[Pending]] = field(default_factory=lambda: [[], [], []])
    # Of a queue and another one, or itself: behind which command of that one it goes on.
    ordered: dict[tuple[int, int], int] = field(default_factory=dict)
    count: int = 0

    def command(self, queue: int, uses: list[tuple[Root | Host, bool]], blocking: bool) -> int:
        self.count += 1
        if blocking and queue == UNORDERED:
            raise Invalid("a command that waits, but not for those before it")
        for number, pending in enumerate(self.pending):
            if number != queue or queue == UNORDERED:
                self._is_apart(pending, uses, self.ordered.get((queue, number), 0))
        if blocking:
            self.finish(queue)
        else:
            self.pending[queue] += [Pending(self.count, m, w) for m, w in uses]
        return self.count

    @staticmethod
    def _is_apart(
        pending: list[Pending], uses: list[tuple[Root | Host, bool]], ordered: int
    ) -> None:
        for memory, writes in uses:
            for other in pending:
                if other.number > ordered and other.memory is memory and (writes or other.writes):
                    raise Invalid("two commands use memory at once")

    def barrier(self, queue: int) -> None:
        self.ordered[queue, queue] = self.count

    def wait(self, queue: int, other: int, number: int) -> None:
        self.ordered[queue, other] = max(self.ordered.get((queue, other), 0), number)

    def finish(self, queue: int) -> None:
        self.pending[queue].clear()

    def finish_to(self, queue: int, number: int) -> None:
        self.pending[queue] = [p for p in self.pending[queue] if p.number > number]

    def is_used(self, memory: Root | Host) -> bool:
        return any(p.memory is memory for queue in self.pending for p in queue)

    def host_uses(self, memory: Root | Host, writes: bool) -> None:
        for queue in self.pending:
            if any(p.memory is memory and (writes or p.writes) for p in queue):
                raise Invalid("the host uses memory of a command that goes on")


@dataclass(eq=False)
class KernelObject:
    name: str
    arguments: dict[int, object] = field(default_factory=dict)
    alive: bool = True
