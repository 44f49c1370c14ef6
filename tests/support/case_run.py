"""Fuse the program of a case, run it as it was written and fused, and compare."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from casestudies.measure import RunResult
from tests.support.case_calls import run_calls
from tests.support.case_format import Calls, Case, Expected, Run
from tests.support.case_program import FUSED, UNFUSED, Program, without_source


@dataclass(frozen=True)
class Outcome:
    """What running a case gave: `found` may be accepted, what is `wrong` may not."""

    found: Expected
    wrong: tuple[str, ...]


def run_case(case: Case) -> Outcome:
    if case.calls is not None:
        return _run_kernels(case, case.calls)
    with tempfile.TemporaryDirectory(prefix="case-") as scratch:
        return _run_program(Program(case, Path(scratch)))


def _run_kernels(case: Case, calls: Calls) -> Outcome:
    launches, messages, differing = run_calls(case, calls)
    found = replace(case.expected, launches=(launches,), messages=without_source(messages))
    return Outcome(found, tuple(f"{name} differs" for name in differing))


def _run_program(program: Program) -> Outcome:
    expected = program.case.expected
    status, messages = program.fused
    found = replace(expected, status=status, messages=messages)
    if status != 0:
        left = (program.scratch / FUSED).exists()
        wrong = ["files are written, and the exit status is not 0"] if left else []
        return Outcome(replace(found, launches=()), tuple(wrong))
    try:
        warnings = program.build(FUSED) - program.build(UNFUSED)
    except subprocess.CalledProcessError as failed:
        return Outcome(found, (failed.stderr,))
    wrong = [f"the C compiler warns of what it did not before: {w}" for w in sorted(warnings)]
    runs: list[Run] = []
    for run in expected.launches or (Run(0, 0),):
        unfused, fused = program.run(UNFUSED, run), program.run(FUSED, run)
        wrong += _differences(run, unfused, fused)
        runs.append(replace(run, before=unfused.total, after=fused.total))
    kernels = None if expected.kernels is None else program.added_kernels()
    return Outcome(replace(found, launches=tuple(runs), kernels=kernels), tuple(wrong))


def _differences(run: Run, unfused: RunResult, fused: RunResult) -> list[str]:
    """What is wrong with a run: nothing of this can be accepted."""
    what = f"run with '{run.arguments}'" if run.arguments else "run"
    for kind, result in ((UNFUSED, unfused), (FUSED, fused)):
        if result.returncode != 0:
            return [f"{what}: the {kind} program ends with {result.returncode}: {result.stderr}"]
    if not unfused.stdout.strip():
        return [f"{what}: the program prints nothing"]
    if fused.stdout != unfused.stdout:
        return [f"{what}: results differ:\n{unfused.stdout}\nand fused:\n{fused.stdout}"]
    return []
