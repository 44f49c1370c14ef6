"""Loops: from the launches of the first rounds to a pattern that may go on for ever.

A row of predicted launches comes in. Where each round is the one before it with arguments that have
changed places, the launches of any number of rounds follow. So many rounds are planned as one
kernel, with as many behind it as the places take to come back: these overwrite what need not be
stored, and are noted before the kernel is made (`payers`). All buffers then hold what they would.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from kfusion.graph.model import Argument, RegionPlan, Scalar
from kfusion.graph.target import ANY
from kfusion.host.predict_launches import PredictedLaunch
from kfusion.host.symbolic import Sym
from kfusion.kernel.model import Kernel
from kfusion.regenerate.pattern import Loop, slot_keys

MOST_LAUNCHES = ANY.levels + 1  # in one kernel
MOST_IN_PLANES = 4  # more would mostly be computed for others
_Keys = tuple[Kernel, list[str]]  # of a launch
_NUMBER = re.compile(r" \(\d+\)$")  # of the launch, behind its label


def loops_in(row: Sequence[PredictedLaunch]) -> Iterator[tuple[Sequence[PredictedLaunch], Loop]]:
    """The pieces of the row that repeat a round with memory that changes places."""
    keys = [(launch.invocation.kernel, slot_keys(launch.invocation)) for launch in row]
    first = 0
    while first < len(row):
        ends = range(len(row), first, -1)
        found = next(((end, x) for end in ends if (x := _loop_of(keys[first:end]))), None)
        if found is not None:
            yield row[first : found[0]], found[1]
        first = found[0] if found is not None else first + 1


def of_one_number(
    row: Sequence[PredictedLaunch], values: Mapping[str, Sym]
) -> tuple[PredictedLaunch, ...]:
    """Constants of one value that a kernel gets for one parameter are one scalar: a round gives
    its kernels what the round before gave."""
    first: dict[object, Argument] = {}
    found: list[PredictedLaunch] = []
    for launch in row:
        invocation = launch.invocation
        arguments = tuple(
            first.setdefault((invocation.kernel, position, values[argument.name]), argument)
            if isinstance(argument, Scalar)
            else argument
            for position, argument in enumerate(invocation.arguments)
        )
        found.append(replace(launch, invocation=replace(invocation, arguments=arguments)))
    return tuple(found)


def _loop_of(row: Sequence[_Keys]) -> Loop | None:
    """With the shortest round."""
    for launches in range(1, min(len(row), MOST_LAUNCHES) // 2 + 1):
        becomes = _becomes(row, launches)
        period = _period(becomes) if becomes is not None else 1
        if becomes is not None and period > 1:
            return Loop(launches, becomes, period - 1)
    return None


def _becomes(row: Sequence[_Keys], launches: int) -> dict[str, str] | None:
    found: dict[str, str] = {}
    for (kernel, one), (same, other) in zip(row, row[launches:], strict=False):
        if kernel is not same:
            return None
        for key, following in zip(one, other, strict=True):
            if found.setdefault(key, following) != following:
                return None
    before = {following: key for key, following in found.items()}
    if len(before) < len(found):
        return None
    lasts = [key for key in before if key not in found]
    for last in lasts:  # what comes behind it is most likely the first
        first = last
        while first in before:
            first = before[first]
        found[last] = first
    return found


def _period(becomes: dict[str, str]) -> int:
    """In how many rounds all memory is back in its place; 1 if not all in the same number."""
    lengths: set[int] = set()
    for key in (key for key in becomes if key.startswith("memory ")):
        count, at = 1, becomes[key]
        while at != key:
            count, at = count + 1, becomes[at]
        lengths.add(count)
    lengths.discard(1)
    return lengths.pop() if len(lengths) == 1 else 1


def rounds_of(
    row: Sequence[PredictedLaunch], loop: Loop, rounds: int
) -> tuple[PredictedLaunch, ...]:
    """The launches of so many rounds."""
    arguments = {
        key: argument
        for launch in row
        for key, argument in zip(
            slot_keys(launch.invocation), launch.invocation.arguments, strict=False
        )
    }
    ranged = {slot_keys(launch.invocation)[-1]: launch for launch in row}
    found: list[PredictedLaunch] = []
    keys = [slot_keys(launch.invocation) for launch in row[: loop.launches]]
    for index in range(rounds * loop.launches):
        number = index % loop.launches
        launch, like = row[number], ranged[keys[number][-1]]
        invocation = replace(
            launch.invocation,
            index=index,
            arguments=tuple(arguments[key] for key in keys[number][:-1]),
            range=like.invocation.range,
            label=f"{_NUMBER.sub('', launch.invocation.label)} ({index + 1})",
        )
        found.append(replace(launch, invocation=invocation, size=like.size, local=like.local))
        keys[number] = [loop.becomes[key] for key in keys[number]]
    return tuple(found)


def plans_of_rounds(
    row: Sequence[PredictedLaunch],
    loop: Loop,
    plan: Callable[[tuple[PredictedLaunch, ...]], RegionPlan],
) -> dict[int, RegionPlan]:
    """The numbers of rounds that one kernel may do, if others follow, and the plans: of all. The
    longest is the one that takes least for each round.

    In three dimensions only where groups march: calls are too many to pay.
    """
    found: dict[int, RegionPlan] = {}
    deep = any(launch.invocation.range.dimensions > 2 for launch in row)
    most = MOST_IN_PLANES if deep else MOST_LAUNCHES
    for rounds in range(most // loop.launches, 1, -1):
        launches = rounds * loop.launches
        if rounds % (loop.payers + 1) == 0:  # it would read what it stores
            continue
        whole = plan(rounds_of(row, loop, rounds + loop.payers))
        first = whole.groups[0]
        kept = first.tiles if deep else first.again
        if first.members == tuple(range(launches)) and kept:
            found[rounds] = whole
    best = min(found, key=lambda rounds: found[rounds].groups[0].bytes / rounds, default=0)
    return {rounds: whole for rounds, whole in found.items() if rounds <= best}
