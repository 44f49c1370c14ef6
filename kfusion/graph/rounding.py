"""Where operations of two stages could be contracted to one: `t = a*b`, then `t + c`.

A compiler that does so (NVIDIA's, across statements too) leaves out the rounding that a
store and a load of `t` made. If results shall be exactly those of the kernels one by one,
`t` is assigned in between, under a condition that never holds, which compilers do not
know: a product that may be another value is no part of a sum. (NVIDIA's looks through
volatile variables and conversions of bits. The assignment costs nothing measurable.)
"""

from __future__ import annotations

from dataclasses import field

from kfusion.graph.bind import BoundAccess, Stage
from kfusion.graph.values import GroupValues, Value
from kfusion.kernel.types import is_integer
from kfusion.source.dataclasses import dataclass


@dataclass(frozen=True)
class Rounded:
    """By stage the values that earlier ones have computed since they were last rounded."""

    before: dict[int, tuple[Value, ...]] = field(default_factory=dict)
    memory: frozenset[str] = frozenset()  # that a stage reads back

    @property
    def values(self) -> frozenset[Value]:
        return frozenset(value for each in self.before.values() for value in each)


def rounded(
    stages: list[Stage], values: GroupValues, returned: tuple[int, int] | None = None
) -> Rounded:
    """`returned`: the store, of which stage and which, of a value that is used elsewhere."""
    made: dict[Value, int] = {}
    stored: dict[str, int] = {}
    before: dict[int, dict[Value, None]] = {}
    memory: set[str] = set()
    for number, stage in enumerate(stages):
        for access in stage.accesses:
            place, name = values.places.get((number, access.number)), access.memory.name
            reads, writes = access.access.mode.reads, access.access.mode.writes
            if place is None or is_integer(access.type.rstrip("0123456789")):
                continue
            value = place.value
            if value is None:
                if reads and stored.get(name, number) != number:
                    memory.add(name)
            elif reads and made.get(value, number) != number:
                before.setdefault(number, {})[value] = None
                del made[value]
            if writes:
                stored[name] = number
                if value is not None:
                    made[value] = number
    last = values.places[returned].value if returned is not None else None
    if last is not None and not is_integer(last.type.rstrip("0123456789")):
        before.setdefault(len(stages), {})[last] = None
    return Rounded({number: tuple(found) for number, found in before.items()}, frozenset(memory))


def unreachable(stages: list[Stage], found: Rounded) -> BoundAccess | None:
    """An access to such memory that is not written through the parameter itself.

    The parameter becomes volatile; a pointer that the kernel has made of it does not.
    """
    for stage in stages:
        kernel = stage.invocation.kernel
        for access in stage.accesses:
            if access.memory.name not in found.memory:
                continue
            tokens = range(access.access.first, access.access.last + 1)
            named = {kernel.symbols[t].name for t in tokens if t in kernel.symbols}
            first = kernel.unit.tokens[access.access.first].text
            if access.access.parameter not in named or first not in ("*", "(", *named):
                return access
    return None
