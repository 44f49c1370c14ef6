"""Where the items of a work-group wait for each other, although nothing makes them.

A compiler for a CPU turns a kernel into loops over the items of a group, and a barrier ends
one loop and begins the next. If a stage with a loop of its own has much work behind it in the
same kernel, one round of the loop over the items becomes one long chain of operations that
wait for each other, and few rounds are under way at once. In two loops, each is as quick as
it would be alone; the values that go from the first to the second stay in the nearest cache.

All items of a group come to a barrier that is in no guard, so it changes no result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kfusion.graph.bind import Stage
from kfusion.graph.values import Block, GroupValues, Value
from kfusion.kernel.operations import operations
from kfusion.kernel.types import size_of
from kfusion.parse.statements import Statement

_MOST = 64  # bytes of values that each item keeps over the pause


def pauses(
    stages: Sequence[Stage], values: GroupValues, direct: frozenset[int], much: int
) -> frozenset[int]:
    """Indices of the invocations before whose work the items wait.

    `direct`: those that copy nothing first; `much`: operations behind a loop, at the least.
    """
    return frozenset(
        stages[number].invocation.index
        for block in values.blocks
        for number in _pauses(stages, values, block, direct, much)
    )


def _pauses(
    stages: Sequence[Stage],
    values: GroupValues,
    block: Block,
    direct: frozenset[int],
    much: int,
) -> list[int]:
    live = [n for n in block.stages if any(_live(n, stages[n], values))]
    looped = [n for n in live[:-1] if _has_loop(n, stages[n], values)]
    if not looped or not all(_may_pause(stages[number], direct) for number in block.stages):
        return []
    behind = [number for number in live if number > looped[-1]]
    count = sum(operations(stages[number].invocation.kernel) for number in behind)
    if count < much or _has_loop(live[-1], stages[live[-1]], values):
        return []
    # The work behind the loops is a chain, too: it is cut once more, where little is carried.
    sizes = {number: _size(carried(values, number)) for number in behind}
    again = min(behind[1:], key=lambda number: (sizes[number], -number), default=behind[0])
    return [number for number in (behind[0], again) if sizes[number] <= _MOST]


def _size(values: frozenset[Value]) -> int:
    return sum(size_of(value.type) for value in values)


def carried(values: GroupValues, number: int) -> frozenset[Value]:
    """The values that are made in front of the stage and used in it or behind it."""
    made = {place.value for (s, _), place in values.places.items() if s < number and place.value}
    used = {place.value for (s, _), place in values.places.items() if s >= number and place.value}
    return frozenset(made & used)


def _live(number: int, stage: Stage, values: GroupValues) -> Iterator[Statement]:
    """The statements of a stage that are left."""
    for index, statement in enumerate(stage.invocation.kernel.body.statements):
        if (number, index) not in values.dead:
            yield statement


def _has_loop(number: int, stage: Stage, values: GroupValues) -> bool:
    return any(each.kind in ("for", "while", "do") for each in _live(number, stage, values))


def _may_pause(stage: Stage, direct: frozenset[int]) -> bool:
    """Its guard stands alone, can be written twice, and has nothing in front."""
    kernel = stage.invocation.kernel
    prelude = kernel.body.prelude
    guards = [n for n, item in enumerate(prelude) if item.guard is not None]
    return (
        len(guards) <= 1
        and stage.frame is None
        and kernel.body.stride is None
        and (stage.invocation.index in direct or not any(item.opening for item in prelude))
        and "barrier" not in kernel.unit.macros.history
    )
