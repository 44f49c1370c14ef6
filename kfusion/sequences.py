"""The sequences of launches that a region is expected to make: each planned, for each target, and
its loops however often they go round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kfusion.expected import ExpectedRow
from kfusion.given import Given
from kfusion.graph.drops import Drop
from kfusion.graph.model import RegionPlan
from kfusion.graph.plan import Known, by_themselves, plan_region
from kfusion.host.predict import Prediction, numbered
from kfusion.host.predict_launches import PredictedLaunch, shape
from kfusion.host.region import (
    CppRegion,
    Region,
)
from kfusion.loops import loops_in, of_one_number, plans_of_rounds, rounds_of
from kfusion.planning import Plans, blocks_of, pattern_of, plans_of
from kfusion.regenerate.pattern import Loop, Pattern
from kfusion.results import PlannedPattern
from kfusion.synthesis.model import NotWrittenError

MOST_FLAT = 16  # launches of a loop in a row that is planned as it is, too


def planned_for_each(
    region: Region | CppRegion,
    expected: ExpectedRow,
    number: int,
    seen: dict[object, str],
    given: Given,
) -> list[PlannedPattern]:
    """Of all targets."""
    found: list[PlannedPattern] = []
    before = dict(seen)
    for target in given.each:
        loops = seen if not found else dict(before)
        found += _planned_all(region, expected, number, loops, replace(given, target=target))
    return found


def _planned_all(
    region: Region | CppRegion,
    expected: ExpectedRow,
    number: int,
    seen: dict[object, str],
    given: Given,
) -> list[PlannedPattern]:
    """Of the loops in it what they make if they go round so often, and however often."""
    loops: list[PlannedPattern] = []
    longest, covered = 0, False
    prediction = expected.prediction
    for piece, loop in loops_in(of_one_number(prediction.launches, prediction.values)):
        kinds = shape([rounds_of(piece, loop, 2)])
        if kinds in seen:
            continue
        seen[kinds] = f"{region.identifier}_loop" + (f"_{len(seen) + 1}" if seen else "")
        planned = _looped(region, expected, piece, loop, seen[kinds] + given.suffix, given)
        if planned is not None:
            loops.append(planned)
            longest = max(longest, len(piece))
            covered = covered or len(piece) == len(prediction.launches)
    found = loops
    if longest <= MOST_FLAT:
        flat = _planned(region, expected, number, given, covered=covered)
        found = [flat, *loops] if flat.patterns or not loops else loops
    return [replace(each, number=number + n) for n, each in enumerate(found)]


def _looped(
    region: Region | CppRegion,
    expected: ExpectedRow,
    row: Sequence[PredictedLaunch],
    loop: Loop,
    name: str,
    given: Given,
) -> PlannedPattern | None:
    """None: none of several rounds is one kernel."""
    prediction, known = expected.prediction, Known()

    def plan(launches: tuple[PredictedLaunch, ...]) -> RegionPlan:
        return plan_region(
            [launch.invocation for launch in launches],
            None,
            expected.oracle(replace(prediction, segments=(launches,))),
            given.target,
            exact=given.exact,
            known=known,
            alone=given.fused.alone,
        )

    plans = plans_of_rounds(row, loop, plan)
    if not plans:
        return None
    try:
        forms = tuple(
            replace(given.fused.form(first, given.suffix), rounds=rounds)
            for rounds, each in plans.items()
            for first in [replace(each, groups=each.groups[:1])]
        )
    except NotWrittenError as failed:
        given.fused.alone[failed.kernel] = failed.reason
        return None
    rounds, longest = next(iter(plans.items()))
    first = longest.groups[0]  # what is behind is there for the sake of this one
    behind = by_themselves(longest.invocations[len(first.members) :])
    longest = replace(longest, groups=(first, *behind), cuts=())
    launches = rounds_of(row, loop, rounds + loop.payers)
    pattern = Pattern(
        name,
        longest.invocations,
        None,
        loop=replace(loop, forms=forms, price=first.apart // rounds),
        target=given.target if given.on else None,
    )
    return PlannedPattern(
        region,
        replace(prediction, segments=(launches,)),
        Plans(longest, None, ()),
        (pattern,),
        0,
        expected.origin,
        given.on,
    )


def _planned(
    region: Region | CppRegion,
    expected: ExpectedRow,
    number: int,
    given: Given,
    *,
    covered: bool,
) -> PlannedPattern:
    """`covered`: a loop makes the same, as often as it wants."""
    prediction = expected.prediction
    launches = prediction.launches

    def planned(row: Prediction, others: Sequence[PredictedLaunch]) -> Plans:
        used = {memory.name for launch in others for memory in launch.invocation.memory}
        return plans_of(
            tuple(launch.invocation for launch in row.launches),
            [d for d in expected.drops(row) if d.memory not in used or d in of_all],
            expected.oracle(row),
            given.target,
            exact=given.exact,
            alone=given.fused.alone,
        )

    of_all: tuple[Drop, ...] = ()
    plans = planned(prediction, ())
    of_all = plans.drops
    parts: list[Plans] = []
    for overwritten in (False, True):
        blocks = blocks_of(plans, overwritten=overwritten)
        if parts or not plans.best.fuses or len(blocks) == 1:
            break
        rows = [numbered(launches[first:end]) for first, end in blocks]
        others = [(*launches[:first], *launches[end:]) for first, end in blocks]
        pieces = [replace(prediction, segments=(row,)) for row in rows]
        parts = list(map(planned, pieces, others))
        found = [g for part, at in zip(parts, blocks, strict=True) for g in part.groups_from(at[0])]
        if found != plans.groups_from(0):  # by themselves they would be other kernels
            parts = []
    parts = parts or [plans]
    name = region.identifier + (f"_or_{number + 1}" if number else "")
    patterns: list[Pattern] = []
    whole = covered and len(parts) == 1 < len(plans.best.groups)
    for part in parts if plans.best.fuses and not whole else ():
        part_name = name + (f"_part_{len(patterns) + 1}" if patterns else "") + given.suffix
        held = expected.held and part is plans
        try:
            made = pattern_of(part_name, part, given.fused, given.suffix, held=held)
            patterns.append(replace(made, target=given.target if given.on else None))
        except NotWrittenError as failed:
            given.fused.alone[failed.kernel] = failed.reason
            return _planned(region, expected, number, given, covered=covered)
    return PlannedPattern(
        region, prediction, plans, tuple(patterns), number, expected.origin, given.on
    )
