"""Kernel times of the applications, unfused, fused and by hand, by the size of their data."""

from __future__ import annotations

import os
import shutil
import statistics
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.programs import TURN, Built, Difference, Run, difference, run_in_turns
from bench.studies import PROBED, Application
from bench.traffic import moved, planned_region

if TYPE_CHECKING:
    from bench.report import Report

# Turns that are not counted.
WARM_UP = {"quick": 1, "cpu": 2, "gpu": 20}
RISING = 0.15e9  # nanoseconds: while a GPU works its clocks rise

IN_STRIPS = ("convolution", "stencil", "plane")  # kinds

LARGEST = 2  # of the sizes are measured first: if time is short, they are what matters


def measure(report: Report) -> None:
    _prepare(report)
    _sizes(report, range(1, LARGEST + 1))


def measure_smaller(report: Report) -> None:
    _sizes(report, range(LARGEST + 1, 20))


def _prepare(report: Report) -> None:
    """Build everything, on all processors, and see which programs compute the same."""
    report.attempt("build the applications", partial(_build_all, report))
    for application in report.applications:
        compare = partial(_compare, report, application)
        report.attempt(f"{application.label}: compare results", compare)


def _sizes(report: Report, places: range) -> None:
    """Sizes by their places from the end."""
    for back in places:
        for application in report.applications:
            sizes = application.sizes.at(report.scale)
            programs = report.comparable.get(application.label)
            if back <= len(sizes) and programs is not None:
                step = partial(_measure, report, application, sizes[-back], programs)
                report.attempt(f"{application.label}: {sizes[-back]}", step)


def _build_all(report: Report) -> None:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for application in report.applications:
            # GPUs' compilers contract across what were kernels: both will be needed.
            for contract in (True, False) if report.scale == "gpu" else (True,):
                pool.submit(_build, report, application, contract)


def _build(report: Report, application: Application, contract: bool) -> dict[str, Built]:
    return report.builder.build(
        application.study,
        application.name,
        application.precision,
        contract=contract,
        by_hand=application.by_hand,
        same_shape=report.target == "cpu" and application.kind in IN_STRIPS,
    )


def _compare(report: Report, application: Application) -> None:
    """Find programs with the same results to the bit; if need be, without contraction."""
    found: dict[str, Difference] = {}
    for contract in (True, False):
        programs = _build(report, application, contract)
        folder = report.build / "probe"
        arguments = ["-n", PROBED[application.kind]]
        runs = run_in_turns(programs, arguments, 1, report.device_name, folder, warm_up=0)
        found = {
            kind: difference(runs["unfused"].dump, run.dump, application.precision.dtype)
            for kind, run in runs.items()
        }
        if all(each.same for each in found.values()):
            break
        told = {kind: vars(each) for kind, each in found.items() if not each.same}
        with_or_without = "as written" if contract else "without contraction"
        report.results.setdefault("differences", []).append(
            {"application": application.label, "how": with_or_without, "found": told}
        )
    if not found["fused"].same:
        raise ValueError(f"fused results differ: {found['fused']}")
    report.comparable[application.label] = programs


def _measure(
    report: Report, application: Application, size: int, programs: dict[str, Built]
) -> None:
    for_peers = application.peers and size == application.peers_at(report.scale)
    folder = report.build / "run"
    shutil.rmtree(folder, ignore_errors=True)  # of a run that failed
    bytes_moved = _bytes(application, report.target, size)
    runs = run_in_turns(
        programs,
        ["-n", size],
        report.repeats,
        report.device_name,
        folder,
        warm_up=_warm_up(report.scale, bytes_moved),
        sent=folder / "sent" if for_peers else None,
        timeout=max(10, report.seconds_left),
    )
    dtype = application.precision.dtype
    found = {
        kind: difference(runs["unfused"].dump, run.dump, dtype)
        for kind, run in runs.items()
        if kind != "unfused"
    }
    for kind, run in runs.items():
        if kind != "unfused" or not for_peers:
            run.dump.unlink()
    if not found["fused"].same:
        raise ValueError(f"fused results differ: {found['fused']}")
    row: dict[str, Any] = {
        "application": application.label,
        "kind": application.kind,
        "size": size,
        "ms": {kind: statistics.median(run.ms) for kind, run in runs.items()},
        "quartiles_ms": {kind: statistics.quantiles(run.ms) for kind, run in runs.items()},
        "repeats": len(runs["fused"].ms),
        "kernels": {kind: sum(run.launches.values()) for kind, run in runs.items()},
        "ulps": {kind: each.ulps for kind, each in found.items()},
        "contraction": programs["unfused"].contract,
        "bytes": bytes_moved if _is_whole(application, report.target, runs["unfused"]) else None,
        "flops": application.flops * size,
        "thesis": application.thesis,
    }
    report.results["applications"].append(row)
    if for_peers:
        kept = data_of(report.build, application, report.scale)
        shutil.rmtree(kept, ignore_errors=True)
        kept.parent.mkdir(exist_ok=True)
        folder.rename(kept)
    else:
        shutil.rmtree(folder)


def _warm_up(scale: str, bytes_moved: tuple[int, int] | None) -> int:
    """Small kernels need more turns to keep a GPU at work for as long."""
    if scale != "gpu" or bytes_moved is None:
        return WARM_UP[scale]
    turn = TURN * (bytes_moved[0] + 2 * bytes_moved[1]) / 3000  # at 3000 bytes a nanosecond
    return max(WARM_UP[scale], min(300, int(RISING / max(turn, 1))))


@cache
def _planned(application: Application, target: str) -> Any:
    return planned_region(application, target)


def _is_whole(application: Application, target: str, run: Run) -> bool:
    """Are all launches in the plan? Of a loop it may have only a few rounds."""
    planned = _planned(application, target)
    return planned is not None and len(planned.prediction.launches) == sum(run.launches.values())


def _bytes(application: Application, target: str, size: int) -> tuple[int, int] | None:
    planned = _planned(application, target)
    return moved(planned, size) if planned is not None else None


def data_of(build: Path, application: Application, scale: str) -> Path:
    """Where what peers need is left, if all went well: ``sent0``, ... and ``unfused.dump``."""
    return build / "data" / f"{application.label}-{application.peers_at(scale)}"
