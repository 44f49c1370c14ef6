"""Where the items of a work-group wait for each other, although nothing makes them.

A compiler for a CPU turns a kernel into loops over the items of a group, and a barrier ends
one loop and begins the next. If a stage with a loop of its own has much work behind it in the
same kernel, one round of the loop over the items becomes one long chain of operations that
wait for each other, and few rounds are under way at once. In two loops, each is as quick as
it would be alone; the values that go from the first to the second stay in the nearest cache.

All items of a group come to a barrier that is in no guard, so it changes no result.
"""

from __future__ import annotations

from collections.abc import Sequence

from kfusion.graph.bind import Stage
from kfusion.graph.values import Block, GroupValues, Value
from kfusion.kernel.operations import operations
from kfusion.kernel.types import size_of

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
        if (number := _pause(stages, values, block, direct, much)) is not None
    )


def _pause(
    stages: Sequence[Stage],
    values: GroupValues,
    block: Block,
    direct: frozenset[int],
    much: int,
) -> int | None:
    looped = [number for number in block.stages[:-1] if _has_loop(stages[number])]
    if not looped or not all(_may_pause(stages[number], direct) for number in block.stages):
        return None
    behind = [number for number in block.stages if number > looped[-1]]
    count = sum(operations(stages[number].invocation.kernel) for number in behind)
    kept = carried(values, behind[0])
    few = sum(size_of(value.type) for value in kept) <= _MOST
    return behind[0] if count >= much and few and not _has_loop(stages[block.stages[-1]]) else None


def carried(values: GroupValues, number: int) -> frozenset[Value]:
    """The values that are made in front of the stage and used in it or behind it."""
    made = {place.value for (s, _), place in values.places.items() if s < number and place.value}
    used = {place.value for (s, _), place in values.places.items() if s >= number and place.value}
    return frozenset(made & used)


def _has_loop(stage: Stage) -> bool:
    statements = stage.invocation.kernel.body.statements
    return any(statement.kind in ("for", "while", "do") for statement in statements)


def _may_pause(stage: Stage, direct: frozenset[int]) -> bool:
    """Its guard stands alone, can be written twice, and has nothing in front."""
    kernel = stage.invocation.kernel
    prelude = kernel.body.prelude
    guards = [n for n, item in enumerate(prelude) if item.guard is not None]
    return (
        len(guards) <= 1
        and kernel.body.stride is None
        and (stage.invocation.index in direct or not any(item.opening for item in prelude))
        and "barrier" not in kernel.unit.macros.history
    )
