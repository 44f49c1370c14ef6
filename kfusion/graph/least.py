"""What a group moves at the least, quickly: no grouping of its calls gets below this."""

from __future__ import annotations

from collections.abc import Sequence

from kfusion.graph.bind import Stage
from kfusion.graph.partition import Members
from kfusion.kernel.forms import Form
from kfusion.kernel.types import size_of
from kfusion.source.dataclasses import dataclass


@dataclass(frozen=True)
class _Needs:
    """Of one call: bytes by the names of its memory."""

    loads: dict[str, int]  # of what it reads before it writes it, if nothing of it can be dead
    stores: dict[str, int]


class LeastBytes:
    """A load counts if what is made of it is surely needed, a store if surely read later."""

    def __init__(
        self, stages: Sequence[Stage], observed: frozenset[str] | None, *, shared: bool = False
    ) -> None:
        """`shared`: items that are neighbours load the same elements, so each counts once."""
        self.stages, self.observed, self.shared = stages, observed, shared
        self.touching: dict[str, list[int]] = {}
        for number, stage in enumerate(stages):
            for name in stage.read | stage.written:
                self.touching.setdefault(name, []).append(number)
        self.needed = [False] * len(stages)  # all that the call writes is
        for number in reversed(range(len(stages))):
            self.needed[number] = all(
                self._is_needed(number, name) for name in stages[number].written
            )
        self.needs = [self._needs(number) for number in range(len(stages))]

    def of(self, members: Members) -> int:
        loads: dict[str, int] = {}
        last: dict[str, int] = {}  # who wrote the memory
        for number in members:
            needs = self.needs[number]
            for name, size in needs.loads.items():
                if name not in last:
                    loads[name] = max(loads.get(name, 0), size)
            last.update(dict.fromkeys(self.stages[number].written, number))
        stores = (
            self.needs[writer].stores.get(name, 0)
            for name, writer in last.items()
            if self._is_stored(writer, name, members)
        )
        return sum(loads.values()) + sum(stores)

    def _later(self, number: int, name: str) -> list[int]:
        return [q for q in self.touching[name] if q > number]

    def _is_needed(self, number: int, name: str) -> bool:
        later = self._later(number, name)
        if any(name in self.stages[q].written for q in later):
            return False
        seen = self.observed is None or name in self.observed
        return seen or any(self.needed[q] for q in later)

    def _is_stored(self, writer: int, name: str, members: Members) -> bool:
        """By the group: the next call that touches it is another group's, and reads it."""
        outside = [q for q in self._later(writer, name) if q not in members]
        if outside:
            return self.needed[outside[0]] and name in self.needs[outside[0]].loads
        return self.observed is None or name in self.observed

    def _needs(self, number: int) -> _Needs:
        stage = self.stages[number]
        loads: dict[str, int] = {}
        stores: dict[str, int] = {}
        loaded: set[tuple[str, Form]] = set()
        for access in stage.accesses:
            name, form, size = access.memory.name, access.form, size_of(access.type)
            if access.access.mode.reads and self.needed[number] and name not in stores:
                again = form is not None and (name, form) in loaded
                if form is not None and not form.in_loop:
                    loaded.add((name, form))
                if name not in stage.written and not again and not self.shared:
                    loads[name] = loads.get(name, 0) + size
                else:
                    loads.setdefault(name, size)
            if access.access.mode.writes:
                stores.setdefault(name, size)
        return _Needs(loads, stores)
