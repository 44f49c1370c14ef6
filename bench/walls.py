"""Wall times of whole programs, enqueueing included: what a user of the application waits for."""

from __future__ import annotations

import statistics
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from bench.programs import Built, difference, run_alone, wall_ms
from bench.studies import PROGRAMS, Program

if TYPE_CHECKING:
    from bench.report import Report

ROUNDS = {"quick": 2, "cpu": 3, "gpu": 3}


def measure(report: Report) -> None:
    for program in PROGRAMS:
        report.attempt(program.title, partial(_measure, report, program))


def _measure(report: Report, program: Program) -> None:
    arguments = program.arguments[report.scale]
    device = report.device_name
    for contract in (True, False):
        built = report.builder.build(program.study, program.name, contract=contract)
        same = _same(report, program, built)
        if all(same.values()):
            break
    if not same["fused"]:
        raise ValueError("fused results differ")
    timed = [*arguments, "-r", program.repeats]
    times: dict[str, list[float]] = {kind: [] for kind in built}
    for _ in range(ROUNDS[report.scale]):
        for kind, each in built.items():
            left = max(10, report.seconds_left)
            times[kind].append(wall_ms(each, timed, device, left))
    report.results["programs"].append(
        {
            "program": program.title,
            "arguments": " ".join(map(str, timed)),
            "ms": {kind: statistics.median(each) for kind, each in times.items()},
            "all_ms": times,
            "steps": program.steps[report.scale],
            "rounds": ROUNDS[report.scale],
            "same": same,
            "contraction": contract,
        }
    )


def _same(report: Report, program: Program, built: dict[str, Built]) -> dict[str, bool]:
    """Whether each program computes what the unfused one does, to the bit."""
    dumps = {}
    report.build.mkdir(parents=True, exist_ok=True)
    for kind, each in built.items():
        dumps[kind] = report.build / f"{kind}.walls"
        run_alone(each, [*program.dumped, dumps[kind]], report.device_name)
    return {
        kind: difference(dumps["unfused"], dump, np.float32).same
        for kind, dump in dumps.items()
        if kind != "unfused"
    }
