"""What is known while a random host program is made up."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from tests.random.hosts import model as m
from tests.random.hosts.library import Entry, Role


@dataclass
class Draft:
    program: int  # its number
    random: Random
    size: int
    vectors: dict[str, tuple[str, int]]  # kind and number of elements
    functions: dict[str, m.Function] = field(default_factory=dict)
    helpers: list[m.Function] = field(default_factory=list)
    over_host: list[str] = field(default_factory=list)
    recent: list[str] = field(default_factory=list)  # written lately
    loops: int = 0
    depth: int = 0
    counter: int = 0
    in_region: bool = False
    style: m.Errors | None = None  # most libraries have one

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def fresh(self, prefix: str) -> str:
        self.counter += 1
        return f"{prefix}{self.counter}"

    def names(self, kind: str, count: int | None = None) -> list[str]:
        count = self.size if count is None else count
        return [name for name, what in self.vectors.items() if what == (kind, count)]

    def pick(self, role: Role, count: int | None = None) -> str:
        """A vector for a parameter: one that was written lately, if it is read."""
        names = self.names(role.kind, count)
        recent = [name for name in self.recent[-3:] if name in names]
        if role.written:
            others = [n for n in names if n not in self.recent[-2:]]
            return self.random.choice(others if others and self.chance(0.8) else names)
        return self.random.choice(recent if recent and self.chance(0.7) else names)

    def any_vector(self) -> str:
        return self.random.choice(list(self.vectors))

    def number(self) -> m.Int:
        numbers: list[m.Int] = [1, 2, 3, 3, "v1", "v2"]
        return self.random.choice(numbers)

    def add(self, entry: Entry) -> None:
        self.functions[entry.function.name] = entry.function
