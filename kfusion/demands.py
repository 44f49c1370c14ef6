"""What users demand of regions: `--strict`, `--require app.c:24=1`, `require(1)` in annotations.

`kernels_of` counts the kernels that a region comes to on its likeliest path. Launches that are not
fused count as they are. The rounds of a loop that has a pattern count as one kernel, however often
the loop goes round. With several targets, or several recorded runs of the region, the largest
number counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from kfusion.host.predict_launches import PredictedLaunch, shape
from kfusion.loops import loops_in, rounds_of
from kfusion.source.diagnostics import Diagnostic, KFusionError, Severity, error

if TYPE_CHECKING:
    from kfusion.results import PlannedPattern, PlannedRegion, Result

_MOST_REASONS = 3  # that a message shows
_Row = tuple[PredictedLaunch, ...]


def kernels_of(
    runs: Sequence[tuple[int, Sequence[_Row]]],
    planned: Mapping[object, Sequence[PlannedPattern]],
    loops: Mapping[object, str],
) -> int:
    """`runs`: each time that the region may run, how many launches it makes, and its rows of known
    ones. `planned`: rows by their shapes. `loops`: names of patterns by shapes of two rounds."""
    kernels = 0
    for on in {each.on for found in planned.values() for each in found} or {""}:
        own = {rows: [p for p in found if p.on == on] for rows, found in planned.items()}
        kernels = max(kernels, *(_of_run(count, rows, own, loops) for count, rows in runs))
    return kernels


def _of_run(
    launches: int,
    rows: Sequence[_Row],
    planned: Mapping[object, Sequence[PlannedPattern]],
    loops: Mapping[object, str],
) -> int:
    fused = {
        pattern.name.removesuffix(f"_on_{each.on}")
        for found in planned.values()
        for each in found
        for pattern in each.patterns
    }
    kernels, looped = launches, set[str]()
    for row in _of_one_queue(rows):
        inside: set[int] = set()
        for piece, loop in loops_in(row):
            name = loops.get(shape([rounds_of(piece, loop, 2)]))
            if name in fused:
                looped.add(name)
                inside |= {launch.invocation.index for launch in piece}
        groups: list[tuple[int, ...]] = [(index,) for index in range(len(row))]
        for each in planned.get(shape([row]), ()):
            if not any(pattern.loop for pattern in each.patterns):
                groups = [group.members for group in each.plan.groups]
        kernels += sum(not inside.issuperset(members) for members in groups) - len(row)
    return kernels + len(looped)


def _of_one_queue(rows: Iterable[_Row]) -> Iterator[_Row]:
    """Behind a row whose queues may be one or several stand its parts, of one queue each."""
    parts = 0
    for row in rows:
        if parts > 0:
            parts -= len(row)
            continue
        if any(one.queue != other.queue for one, other in pairwise(row)):
            parts = len(row)
        yield row


def check_demands(result: Result, *, strict: bool, required: Sequence[str]) -> None:
    """Raise an error if a demand is not met."""
    if strict:
        check_strict(result)
    check_required(result, required)


def check_strict(result: Result) -> None:
    """Raise an error if something in a region is not fused: it names each of these regions."""
    if not result.not_fused:
        return
    related = [
        (f"{_comes_to(region)}: {_told(why[0])}", region.region.mark.annotation)
        for region in result.regions
        if (why := _reasons(region.said))
    ]
    of_regions = {each for region in result.regions for each in region.said}
    related += [
        (_told(each), each.span)
        for each in result.not_fused
        if each not in of_regions and each.span is not None
    ]
    raise error(
        "KF302",
        "--strict: not everything in the regions is fused",
        help="`kfusion explain CODE` says more of each cut",
        related=tuple(dict.fromkeys(related)),
        argument="--strict",
        exit_code=1,
    )


def check_required(result: Result, options: Sequence[str]) -> None:
    """Raise an error if a region comes to more kernels than an option or its annotation says."""
    unmet = [
        _unmet(region, region.region.mark.require)
        for region in result.regions
        if region.region.mark.require is not None
    ]
    unmet += [
        _unmet(region, most)
        for option in options
        for regions, most in [_read(option, result)]
        for region in regions
    ]
    if found := [each for each in dict.fromkeys(unmet) if each is not None]:
        raise KFusionError(*found, exit_code=1)


def _read(option: str, result: Result) -> tuple[list[PlannedRegion], int]:
    """`src/app.c:24=1`: the regions that begin there, and how many kernels they may come to."""
    known = ", ".join(region.region.name for region in result.regions)
    help = f"the regions are: {known}" if known else "none of the files holds a region"
    found = re.fullmatch(r"(.+):([0-9]+)=([1-9][0-9]*)", option)
    if found is None:
        text = "--require wants FILE:LINE=NUMBER, for example app.c:24=1"
        raise error("KF100", text, help=help, argument=option)
    parts, line = Path(found.group(1)).parts, int(found.group(2))
    regions = [
        region
        for region in result.regions
        for mark in [region.region.mark.annotation]
        if mark.location.line == line and mark.file.path.absolute().parts[-len(parts) :] == parts
    ]
    if not regions:
        text = f"--require: no region begins at {found.group(1)}:{line}"
        raise error("KF100", text, help=help, argument=option)
    return regions, int(found.group(3))


def _unmet(region: PlannedRegion, most: int | None) -> Diagnostic | None:
    if most is None or (region.kernels is not None and region.kernels <= most):
        return None
    span = region.region.mark.annotation
    return Diagnostic(
        "KF306",
        Severity.ERROR,
        f"this region {_comes_to(region)}, and {most} at most {'is' if most == 1 else 'are'} "
        "required",
        span,
        help="`kfusion explain CODE` says more of each reason; --explain-plan shows the plan",
        related=tuple(
            (_told(each), each.span or span) for each in _reasons(region.said)[:_MOST_REASONS]
        ),
    )


def _comes_to(region: PlannedRegion) -> str:
    if region.kernels is None:
        return "stays as it is written"
    return f"comes to {region.kernels} kernel{'' if region.kernels == 1 else 's'}"


def _reasons(said: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Why a region is not fused; where nothing is in the way, that there is nothing to fuse."""
    said = [each for each in said if each.code != "KF401"]
    return [each for each in said if each.severity is not Severity.NOTE] or [
        each for each in said if each.code == "KF402"
    ]


def _told(diagnostic: Diagnostic) -> str:
    help = f" ({diagnostic.help})" if diagnostic.code == "KF402" and diagnostic.help else ""
    return f"[{diagnostic.code}] {diagnostic.message}{help}"
