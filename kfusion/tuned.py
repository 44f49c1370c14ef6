"""What `kfusion tune` has measured on a device: a file that later builds read (`--tuned FILE`).

device = "pthread, Portable Computing Language (6.0)"
target = "cpu"
measured = "5a0c2d19be"

[regions]
steps = {strip = 512, levels = 5}

[times]
steps = [
    {ms = [12.141, 4.212]},
    {ms = [12.082, 3.907], strip = 512},
    {wrong = "'now' differs first in element 7: 1.0 before, 2.0 fused", rows = 16},
]
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from kfusion.graph.target import BUDGETS, TARGETS, Numbers, Tuned
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import error

GAIN = 1.02  # less may be chance
NOT_RUN = "not run: "  # before the reason
AS_WRITTEN = {"registers": 0}  # no fused kernel has so few
_HEAD = """\
# Written by `kfusion tune`, for builds with `kfusion --tuned FILE`. `regions` has the numbers that
# were fastest (see --budget); a region that is not there is built as without this file.
"""


@dataclass(frozen=True)
class Point:
    """Numbers that a region was built with, and what came of it."""

    numbers: Numbers  # those that differ from the target's
    ms: tuple[float, float] | None = None  # as written, and fused: medians
    wrong: str = ""  # why it was not timed

    @property
    def speed_up(self) -> float:
        return self.ms[0] / self.ms[1] if self.ms is not None else 0.0


@dataclass
class Measured:
    """All of a file."""

    device: str
    target: str
    measured: str  # a hash of the files and options
    points: dict[str, list[Point]] = field(default_factory=dict)  # by regions
    regions: dict[str, Numbers] = field(default_factory=dict)  # as they were read

    def point(self, region: str, numbers: Numbers) -> Point | None:
        found = (each for each in self.points.get(region, ()) if each.numbers == numbers)
        return next(found, None)

    def best(self, region: str) -> Point:
        """The target's own numbers, if no others are faster by more than chance."""
        usual = self.point(region, {})
        if usual is None or usual.wrong.startswith(NOT_RUN):
            return Point({})
        best = max(self.points[region], key=lambda each: each.speed_up)
        best = best if best.speed_up > GAIN * usual.speed_up else usual
        return best if best.speed_up >= 1 else Point(AS_WRITTEN, (1.0, 1.0))

    def text(self) -> str:
        lines = [f"{key} = {_text(getattr(self, key))}" for key in ("device", "target", "measured")]
        lines += ["", "[regions]"]
        lines += [f"{region} = {_table(self.best(region).numbers)}" for region in self.points]
        lines += ["", "[times]  # in ms, of all kernels: as written, and fused"]
        for region, points in self.points.items():
            lines += [f"{region} = [", *(f"    {_entry(each)}," for each in points), "]"]
        return "\n".join([_HEAD, *lines, ""])


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _entry(point: Point) -> str:
    result = f"wrong = {_text(point.wrong)}"
    if point.ms is not None:
        result = f"ms = [{point.ms[0]:.4f}, {point.ms[1]:.4f}]"
    return _table(point.numbers, result)


def _table(numbers: Numbers, *before: str) -> str:
    return f"{{{', '.join(filter(None, [*before, budgets_text(numbers)]))}}}"


def budgets_text(numbers: Numbers) -> str:
    return ", ".join(f"{name.replace('_', '-')} = {number}" for name, number in numbers.items())


def read_measured(path: Path) -> Measured:
    try:
        given = tomllib.loads(path.read_text())
        points = {
            region: [_point(entry) for entry in entries]
            for region, entries in given["times"].items()
        }
        regions = {region: _numbers(numbers) for region, numbers in given["regions"].items()}
        found = Measured(given["device"], given["target"], given["measured"], points, regions)
        if found.target not in TARGETS:
            raise ValueError(f"no target is called {found.target!r}")
    except OSError as failure:
        text = f"cannot read {path}: {failure.strerror}"
        raise error("KF101", text, argument=str(path)) from None
    except (ValueError, TypeError, KeyError, AttributeError) as failure:
        text = f"{path} is no file of kfusion tune: {failure}"
        raise error("KF100", text, argument=str(path)) from None
    return found


def read_tuned(paths: Sequence[Path]) -> Mapping[str, Tuned]:
    """The numbers of regions, by targets."""
    found: dict[str, dict[str, Numbers]] = {}
    for path in paths:
        measured = read_measured(path)
        found.setdefault(measured.target, {}).update(measured.regions)
    return found


def _point(entry: dict[str, Any]) -> Point:
    result = {key: entry[key] for key in ("ms", "wrong") if key in entry}
    numbers = _numbers({key: value for key, value in entry.items() if key not in result})
    ms = result.get("ms")
    return Point(numbers, None if ms is None else (ms[0], ms[1]), result.get("wrong", ""))


def _numbers(given: Mapping[str, Any]) -> Numbers:
    for name, number in given.items():
        if name not in BUDGETS or type(number) is not int or number < 0:
            raise ValueError(f"{name} = {number!r} is no budget")
    return {name.replace("-", "_"): number for name, number in given.items()}
