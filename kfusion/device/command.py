"""`kfusion verify`: what users see of it."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np

from kfusion.device.apart import INCOMPLETE, NOTHING_RUN, OCLGRIND
from kfusion.device.evaluate import Number
from kfusion.device.verify import Array, Difference, Outcome
from kfusion.results import PlannedPattern, Result
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import error
from kfusion.tuned import NOT_RUN, Point, budgets_text

if TYPE_CHECKING:
    from kfusion.device.tune import Tuner
    from kfusion.device.verify import Verifier

SIZES = (1, 13, 64, 1000)
BENCH_ITEMS = 1 << 22
SMALL_SIZES = (1, 13, 64)  # on Oclgrind, which simulates


def numbers_of(lets: Sequence[str]) -> dict[str, Number]:
    found: dict[str, Number] = {}
    for let in lets:
        name, _, text = let.partition("=")
        try:
            found[name] = int(text, 0) if not any(c in text for c in ".eE") else float(text)
        except ValueError:
            raise error(
                "KF100", "--let wants NAME=NUMBER", help="see kfusion verify --help", argument=let
            ) from None
    return found


def arrays_of(data: Sequence[str]) -> dict[str, Array]:
    found: dict[str, Array] = {}
    for each in data:
        name, _, path = each.partition("=")
        try:
            found[name] = np.load(path, allow_pickle=False)
        except (OSError, ValueError) as failure:
            raise error(
                "KF100", f"--data wants BUFFER=FILE.npy: {failure}", argument=each
            ) from None
    return found


def require_device(name: str) -> None:
    from kfusion.device.opencl import NoDeviceError, find_device

    try:
        find_device(name)
    except NoDeviceError as failure:
        raise error(
            "KF304",
            str(failure),
            help="install an OpenCL driver, for example: pip install 'kfusion[pocl]'",
            argument=name or "verify",
            exit_code=1,
        ) from None


@dataclass(frozen=True)
class Wanted:
    """What the command line says of a run."""

    sizes: tuple[int, ...]  # none: several
    options: tuple[str, ...]  # for building the kernels
    numbers: Mapping[str, Number]
    data: Mapping[str, Array]
    seed: int
    device: str
    contract: bool  # as the compiler likes; else a product and a sum are never one operation


def verify_here(result: Result, wanted: Wanted, words: Sequence[str]) -> int:
    """Run all regions in this process and print what was seen; the exit status."""
    from kfusion.device.verify import Verifier

    verifier = Verifier(result.programs, result.builds, wanted)
    sizes = wanted.sizes or (SMALL_SIZES if wanted.device == OCLGRIND else SIZES)
    runs = [(planned, size) for planned in result.to_run for size in sizes]
    same = True
    hidden = not sys.stderr.isatty() or wanted.device == OCLGRIND
    with click.progressbar(runs, label="verify", file=sys.stderr, hidden=hidden) as shown:
        outcomes = [verifier.verify(planned, size) for planned, size in shown]
    for outcome in outcomes:
        same = _tell(outcome, words) and same
    if all(outcome.skipped for outcome in outcomes):
        click.echo(
            "nothing was run, and nothing compared; "
            "--run './app' lets the fused program itself compare",
            err=True,
        )
        return NOTHING_RUN
    unknown = _tell_unknown(result, wanted, verifier)
    if wanted.sizes:
        _tell_fixed(outcomes)
    if unknown or not same:
        return 1
    left_out = _left_out(result, outcomes, wanted)
    if left_out:
        click.echo(f"not compared: {', '.join(left_out)}", err=True)
    return INCOMPLETE if left_out else 0


def _tell_unknown(result: Result, wanted: Wanted, verifier: Verifier) -> bool:
    """Is something given that is not there?"""
    memory = {str(m) for p in result.to_run for i in p.plan.invocations for m in i.memory}
    names = [f"--let {name}" for name in sorted(wanted.numbers.keys() - verifier.used)]
    names += [f"--data {name}" for name in sorted(wanted.data.keys() - memory)]
    for name in names:
        click.echo(f"{name}: nothing that was run has this name", err=True)
    return bool(names)


def _tell_fixed(outcomes: Sequence[Outcome]) -> None:
    for region in sorted({outcome.region for outcome in outcomes if not outcome.sized}):
        click.echo(f"--size has no effect on {region}: all its sizes are known", err=True)


def _left_out(result: Result, outcomes: Sequence[Outcome], wanted: Wanted) -> list[str]:
    """Fused regions that were not run, and at sizes that were asked for.

    kfusion's own sizes need not all fit: one that does is enough.
    """
    fused = {planned.name for planned in result.to_run if planned.plan.fuses}
    run = {outcome.region for outcome in outcomes if not outcome.skipped}
    found = (
        f"{outcome.region} at size {outcome.size}" if outcome.region in run else outcome.region
        for outcome in outcomes
        if outcome.skipped and outcome.region in fused
        if wanted.sizes or outcome.region not in run
    )
    return list(dict.fromkeys(found))


def bench_here(
    result: Result,
    wanted: Wanted,
    repeats: int,
    json: Path | None,
    plot: Path | None,
    words: Sequence[str],
) -> int:
    """Time all regions whose results are the same; print a table, and write it to files. The exit
    status."""
    from kfusion.device.bench import Bench
    from kfusion.device.verify import Verifier
    from kfusion.report import times

    verifier = Verifier(result.programs, result.builds, wanted)
    bench = Bench(verifier, repeats)
    copy = bench.copy_gb_s()
    runs = [(p, size) for p in result.to_run for size in wanted.sizes or _usual(p)]
    with click.progressbar(
        runs, label="bench", file=sys.stderr, hidden=not sys.stderr.isatty()
    ) as shown:
        timed = [bench.time(planned, size) for planned, size in shown]
    same = [_tell(each.outcome, words) for each in timed if each.before is None]
    rows = [each.row(copy) for each in timed if each.before is not None]
    device = f"{verifier.device.name}, {verifier.device.platform.name}"
    device = f"{device} ({verifier.device.driver_version})"
    if rows:
        click.echo(f"{device}: copies {copy:.0f} GB/s; medians of {repeats}")
        click.echo(times.table(rows))
    for doubt in times.doubts(rows, repeats):
        click.echo(doubt, err=True)
    unknown = bool(rows) and _tell_unknown(result, wanted, verifier)
    _tell_fixed([each.outcome for each in timed])
    if json is not None:
        json.write_text(times.as_json(device, copy, repeats, rows))
    if plot is not None and rows:
        times.plot(plot, device, rows)
    return 0 if rows and all(same) and not unknown else 1


def _usual(planned: PlannedPattern) -> tuple[int, ...]:
    """Of each side: all of a plane, or of a volume, are as many elements as of a row."""
    sides = max(len(launch.size) for launch in planned.launches)
    return (round(BENCH_ITEMS ** (1 / sides)),)


def tune_here(tuner: Tuner, limit: float | None) -> int:
    """Search until the time is over, and print what is fastest; the exit status."""
    measured = tuner.measured
    there = sum(map(len, measured.points.values()))
    until = time.time() + (limit if limit is not None else float("inf"))
    try:
        with click.progressbar(
            tuner.tune(until),
            length=tuner.most,
            label="tune",
            item_show_func=lambda found: _of_region(*found) if found else "",
            file=sys.stderr,
            hidden=not sys.stderr.isatty(),
        ) as shown:
            for _ in shown:
                pass
    except KeyboardInterrupt:
        click.echo(
            f"interrupted; {tuner.file} has what was measured, and the next run goes on", err=True
        )
        return 130
    points = [(region, each) for region, found in measured.points.items() for each in found]
    for region, point in points:
        if point.wrong:
            click.echo(f"NOT USED: {_of_region(region, point)}: {point.wrong}", err=True)
    click.echo(f"{measured.device}: {len(points)} points, {there} of them measured before")
    for region in measured.points:
        usual, best = measured.point(region, {}), measured.best(region)
        told = f"{region}: {usual.speed_up:.2f} times as fast as written" if usual else region
        if best is not usual:
            told += f"; {best.speed_up:.2f} with {budgets_text(best.numbers)}"
        click.echo(told)
    if tuner.is_over:
        click.echo("the time is over: the next run goes on", err=True)
    failed = any(point.wrong and not point.wrong.startswith(NOT_RUN) for _, point in points)
    return 1 if failed or all(point.wrong for _, point in points) else 0


def _of_region(region: str, point: Point) -> str:
    text = budgets_text(point.numbers) or "the target's numbers"
    return f"{region} with {text}" + (f": {point.speed_up:.2f}" if point.ms else "")


def _tell(outcome: Outcome, words: Sequence[str]) -> bool:
    """True if nothing differs; `words` are the command's options and files."""
    before, after = outcome.kernels
    what = f"{outcome.region}: size {outcome.size}: kernels {before} -> {after}: "
    if outcome.skipped:
        click.echo(f"{what}not run: {outcome.skipped}")
        return True
    click.echo(f"{what}{outcome.elements} elements compared: ", nl=False)
    found = outcome.difference
    if found is None:
        click.echo("the same")
        return True
    click.echo(
        f"'{found.buffer}' differs first in element {found.element}: {found.expected} "
        f"before, {found.found} fused{_apart(found)}\n  repeat with: {_again(words, outcome.size)}"
    )
    return False


def _apart(found: Difference) -> str:
    if found.ulps is None:
        return ""
    return (
        f"; {found.count} elements differ, by {found.ulps} units in the last place at most"
        f"{'' if found.ulps > 2 else ': see --no-contract'}"
    )


_OTHER = ("--size", "--repeats", "--json", "--plot")  # with a value


def _again(words: Sequence[str], size: int) -> str:
    kept: list[str] = []
    skip = False
    for word in words:
        if not skip and word != "--here" and word.split("=")[0] not in _OTHER:
            kept.append(word)
        skip = word in _OTHER
    return shlex.join(["kfusion", "verify", *kept, "--size", str(size)])
