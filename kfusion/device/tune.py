"""`kfusion tune`: which numbers of the target are fastest on the device, for each region.

A search goes from the target's own numbers to others, one kind after the other, and keeps what is
fastest. All regions are built at once, each with its own numbers. Nothing is timed before its
results are seen to be the same. The file is written after each point, so nothing is lost when the
search is interrupted; it goes on from there, for points in the file are not measured again.
"""

from __future__ import annotations

import hashlib
import statistics
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kfusion import __version__
from kfusion.device.bench import Bench, alone, in_turns
from kfusion.device.opencl import find_device
from kfusion.device.verify import Outcome, Verifier
from kfusion.graph.target import AUTO, Numbers, Target, Targets
from kfusion.results import PlannedPattern, PlannedRegion, Result
from kfusion.source.diagnostics import KFusionError, error
from kfusion.tuned import GAIN, NOT_RUN, Measured, Point, read_measured

if TYPE_CHECKING:
    from kfusion.device.command import Wanted

SIZES = (1 << 22, 2048, 128)  # without --size: the first one that can be run
ODD = 67  # and results are compared at this one, too, which no strip or group divides
BEGUN = "the run did not come to its end: the kernels crashed, or took too long"
_SHAPES: tuple[dict[str, int], ...] = (
    {"near": 0, "strip": 0, "march": 0},  # nothing is computed again
    {"strip": 0, "march": 0, "near": 16},  # all that may be
    {"strip": 256, "march": 0},
    {"strip": 0, "march": 16},
)
_NUMBERS: dict[str, tuple[int, ...]] = {
    "levels": (6, 5, 4, 3, 2, 1),  # so many launches and one more are a kernel
    "strip": (64, 128, 256, 512, 1024),
    "rows": (16, 32, 64, 128, 256),
    "march": (4, 8, 16, 32),
    "marchers": (32, 64, 128, 256),
    "marches": (396, 792, 1584, 3168),
    "near": (1, 2, 4, 8, 16),
    "elements": (1, 2, 4, 8),
    "local_copies": (0, 1),
    "whole_groups": (0, 1),
    "unrolled": (0, 32),
    "pauses": (0, 64),
}
_OF_STRIPS, _OF_MARCHES = ("strip", "rows"), ("march", "marchers", "marches")
MOST = 1 + len(_SHAPES) + sum(map(len, _NUMBERS.values()))  # points of one region
_Search = Generator[Numbers, float, None]


def search(base: Target) -> _Search:
    """The numbers to measure; what is sent is how fast each was."""
    best: dict[str, int] = {}
    fastest = yield best
    if fastest < 0:  # nor can others
        return
    for name in ("shape", *_NUMBERS):
        start = best
        for change in _changes(name, replace(base, **best)):  # type: ignore[arg-type]
            numbers = {k: n for k, n in {**start, **change}.items() if n != getattr(base, k)}
            if numbers == start:
                continue
            found = yield numbers
            if found > GAIN * fastest:
                best, fastest = numbers, found


def _changes(name: str, now: Target) -> Iterator[dict[str, int]]:
    if name == "shape":
        yield from _SHAPES
    elif not (name in _OF_STRIPS and (now.march or not now.strip)) and not (
        name in _OF_MARCHES and not now.march
    ):
        yield from ({name: number} for number in _NUMBERS[name])


class Tuner:
    """`fuse` builds all regions for targets."""

    def __init__(
        self,
        fuse: Callable[[Targets], Result],
        wanted: Wanted,
        base: Target,
        repeats: int,
        measured: Measured,
        file: Path,
    ) -> None:
        self.fuse, self.wanted, self.base, self.repeats = fuse, wanted, base, repeats
        self.measured, self.file = measured, file
        self.made: dict[str, dict[object, Point]] = {}  # by regions and kernels
        found = self.fuse(Targets((self.base,))).regions
        self.regions = sorted(each.region.identifier for each in found if each.patterns)
        self.is_over = False  # the time is, before all is measured

    @property
    def most(self) -> int:
        """Points, if all are measured."""
        return MOST * len(self.regions)

    def tune(self, until: float) -> Iterator[tuple[str, Point]]:
        """Points as they are measured, with their regions; until then, in seconds since 1970."""
        searches = {region: search(self.base) for region in self.regions}
        points: dict[str, Numbers] = {region: next(each) for region, each in searches.items()}
        while points:
            for region in self.regions:
                self._skip(region, searches[region], points)
            if points and time.time() > until:
                self.is_over = True
                return
            yield from self._measure(points)

    def _skip(self, region: str, search: _Search, points: dict[str, Numbers]) -> None:
        """What has been measured."""
        while region in points and (known := self.measured.point(region, points[region])):
            try:
                failed = known.wrong.startswith((NOT_RUN, BEGUN))
                points[region] = search.send(-1 if failed else known.speed_up)
            except StopIteration:
                del points[region]

    def _measure(self, points: dict[str, Numbers]) -> Iterator[tuple[str, Point]]:
        try:
            result = self.fuse(Targets((self.base,), {self.base.name: points}))
            verifier = Verifier(result.programs, result.builds, self.wanted)
        except KFusionError as failure:
            if len(points) > 1:  # one region's kernels may be to blame
                for region, numbers in points.items():
                    yield from self._measure({region: numbers})
                return
            ((region, numbers),) = points.items()
            if not numbers:
                raise
            found = Point(numbers, wrong=failure.diagnostics[0].message)
            self._keep(region, found)
            yield region, found
            return
        for planned in result.regions:
            region = planned.region.identifier
            if region in points:
                yield region, self._measured(planned, points[region], verifier)

    def _measured(self, region: PlannedRegion, numbers: Numbers, verifier: Verifier) -> Point:
        name = region.region.identifier
        known = self.made.setdefault(name, {})
        planned = _expected(region)
        kernels = _kernels(planned)
        if kernels in known:  # other numbers, and the same text
            found = replace(known[kernels], numbers=numbers)
        else:
            self._keep(name, Point(numbers, wrong=BEGUN))
            try:
                found = self._timed(planned, numbers, verifier)
            except BaseException:
                self._forget(name)
                raise
            self._forget(name)
            known[kernels] = found
        self._keep(name, found)
        return found

    def _keep(self, region: str, point: Point) -> None:
        self.measured.points.setdefault(region, []).append(point)
        self._write()

    def _forget(self, region: str) -> None:
        self.measured.points[region].pop()
        if not self.measured.points[region]:
            del self.measured.points[region]
        self._write()

    def _write(self) -> None:
        near = self.file.with_name(f".{self.file.name}.new")
        near.write_text(self.measured.text())
        near.replace(self.file)

    def _timed(self, planned: PlannedPattern, numbers: Numbers, verifier: Verifier) -> Point:
        skipped = ""
        for size in verifier.wanted.sizes or SIZES:
            outcomes = [verifier.verify(planned, each) for each in (size, ODD)]
            if (skipped := outcomes[0].skipped) == "":
                wrong = [text for each in outcomes if (text := difference(each))]
                if wrong:
                    return Point(numbers, wrong=wrong[0])
                return Point(numbers, self._times(planned, size, verifier))
        return Point(numbers, wrong=NOT_RUN + skipped)

    def _times(self, planned: PlannedPattern, size: int, verifier: Verifier) -> tuple[float, float]:
        """Of a loop: of the rounds that are one kernel."""
        prepared = verifier.prepare(planned, size)
        memory = verifier.memory(prepared)
        steps = [prepared.before, prepared.after]
        for pattern in planned.patterns:
            if (loop := pattern.loop) is not None:
                steps = [prepared.before[: loop.forms[0].rounds * loop.launches]]
                steps += [prepared.after[:1]]
        bench = Bench(verifier, self.repeats)
        runs = [bench.launcher(each, prepared, memory) for each in steps]
        before, after = map(statistics.median, in_turns(verifier.queue, runs, self.repeats))
        return before, after


def target_at_hand(device: str) -> str:
    """The name of the target that suits the device."""
    return "nvidia" if "nvidia" in find_device(device).platform.name.lower() else AUTO


def begun(file: Path, device: str, base: Target, made_of: Sequence[str | bytes]) -> Measured:
    """What the file has, if it is of the same things."""
    found = find_device(device)
    name = f"{found.name}, {found.platform.name} ({found.driver_version})"
    digest = hashlib.sha256(repr((__version__, name, base, *made_of)).encode()).hexdigest()[:16]
    new = Measured(name, base.name, digest)
    if not file.exists():
        return new
    old = read_measured(file)
    if replace(old, points={}, regions={}) != new:
        text = f"{file} was measured with other files, other options, or on another device"
        raise error("KF100", text, help="remove it, or name another one: -o", argument=str(file))
    return old


def difference(outcome: Outcome) -> str:
    found = outcome.difference
    if found is None:
        return ""
    return (
        f"'{found.buffer}' differs first in element {found.element}: {found.expected} before, "
        f"{found.found} fused, at size {outcome.size}"
    )


def _expected(region: PlannedRegion) -> PlannedPattern:
    """The likeliest launches; if calls of them are in a loop, the rounds that are one kernel, and
    those behind as written."""
    first = region.patterns[0]
    places = [each.span for each in first.plan.invocations]
    for planned in region.patterns if len(set(places)) < len(places) else ():
        for loop in (pattern.loop for pattern in planned.patterns if pattern.loop):
            behind = alone(planned)[loop.forms[0].rounds * loop.launches :]
            plan = replace(planned.plan, groups=(planned.plan.groups[0], *behind))
            return replace(planned, plans=replace(planned.plans, whole=plan))
    return first


def _kernels(planned: PlannedPattern) -> object:
    """What is built and launched."""
    made = planned.kernels.items()
    return tuple((members, k.text, k.tiles, k.elements) for members, k in made)
