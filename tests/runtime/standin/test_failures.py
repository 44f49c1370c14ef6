"""Each call of a program failing once: the status comes back, nothing leaks, no result is wrong."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.runtime.standin.library import Run, compile_program, run_program
from tests.runtime.standin.pair import PROGRAMS, header

NO_MEMORY = -6  # the run time settles and makes the call again
OTHER = -9999  # no implementation returns it, so it is certainly the failure that was asked for

# The run time makes no such calls of its own here, so the n-th one is the program's n-th.
ONLY_THE_PROGRAM_CALLS = (
    "clCreateBuffer",
    "clCreateCommandQueue",
    "clCreateContext",
    "clCreateProgramWithSource",
    "clEnqueueBarrierWithWaitList",
    "clEnqueueCopyBuffer",
    "clEnqueueFillBuffer",
    "clEnqueueReadBuffer",
    "clEnqueueWriteBuffer",
    "clFlush",
)


def compiled(folder: Path, fused_header: str | None) -> Path:
    names = ("scenario.c", "opencl.h")
    files = {name: (PROGRAMS / name).read_text(encoding="utf-8") for name in names}
    if fused_header is None:
        return compile_program(folder, files, ["-DPLAIN"])
    return compile_program(folder, {**files, "kfusion_fused.h": fused_header})


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("plain"), None)


@pytest.fixture(scope="module", params=[False, True], ids=["open", "closed"])
def noting(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("noting"), header(closed=request.param))


def calls_of(run: Run) -> Counter[str]:
    return Counter(line.split()[0] for line in run.log if line.startswith("cl"))


def failing(program: Path, function: str, nth: int, status: int) -> Run:
    return run_program(program, environment={"STANDIN_FAIL": f"{function}:{nth}:{status}"})


def test_the_scenario_fuses(plain: Path, noting: Path) -> None:
    as_written, fused = run_program(plain), run_program(noting)
    assert (fused.status, fused.output) == (0, as_written.output)
    once = ("first", "second", "first", "other", "second", "first", "second", "first")
    assert as_written.launches == (*once, *once, *("step",) * 5)
    of_once = ("first_second", *once[2:])
    assert fused.launches == (*of_once, *of_once, "step_3", "step", "step")
    assert fused.log[-1] == "leaks: 0"


@pytest.mark.parametrize("mode", ["off", "trace", "check", "record"])
def test_no_mode_changes_the_results(mode: str, plain: Path, noting: Path, tmp_path: Path) -> None:
    record = str(tmp_path / "record")
    run = run_program(noting, environment={"KFUSION": mode, "KFUSION_RECORD": record})
    assert (run.status, run.output) == (0, run_program(plain).output)
    assert run.log[-1] == "leaks: 0", run.leaks


@pytest.mark.parametrize("function", ONLY_THE_PROGRAM_CALLS)
def test_a_failure_comes_back_from_its_call(function: str, plain: Path, noting: Path) -> None:
    count = calls_of(run_program(plain))[function]
    assert count > 0
    for nth in range(1, count + 1):
        expected = failing(plain, function, nth, OTHER)
        assert f"{function}: {OTHER}" in expected.output
        run = failing(noting, function, nth, OTHER)
        assert (run.status, run.output) == (expected.status, expected.output), nth
        assert run.log[-1] == "leaks: 0", run.leaks


def outcome_is_sound(run: Run, success: Run, status: int) -> bool:
    """Either the failure was made up for, or its status, and no other, came back."""
    told = [line for line in run.output.splitlines() if ": " in line]
    if not told:
        return (run.status, run.output) == (0, success.output)
    return all(line.endswith(f": {status}") for line in told)


def every_call(program: Path) -> list[tuple[str, int]]:
    calls = calls_of(run_program(program))
    return [(name, nth) for name, count in sorted(calls.items()) for nth in range(1, count + 1)]


@pytest.mark.parametrize("status", [OTHER, NO_MEMORY])
def test_each_call_fails_once(status: int, plain: Path, noting: Path) -> None:
    """The run time's own calls, too. A release that fails leaves its object, whoever made it."""
    success = run_program(plain)
    wrong = []
    for function, nth in every_call(noting):
        run = failing(noting, function, nth, status)
        leaks = run.log[-1] != "leaks: 0" and not function.startswith("clRelease")
        died = run.status not in (0, 1)
        if died or leaks or not outcome_is_sound(run, success, status):
            wrong.append((function, nth, run.status, run.errors, run.output, run.leaks))
    assert not wrong


def test_launches_that_all_fail_are_told(noting: Path) -> None:
    run = failing(noting, "clEnqueueNDRangeKernel", 0, OTHER)
    assert run.status == 1
    assert f": {OTHER}" in run.output
    assert run.launches == ()
    assert run.log[-1] == "leaks: 0", run.leaks


def test_a_fused_launch_that_fails_is_made_as_written(plain: Path, noting: Path) -> None:
    success, fused = run_program(plain), run_program(noting)
    launches = [line for line in fused.log if line.startswith("clEnqueueNDRangeKernel")]
    nth = next(i for i, line in enumerate(launches, 1) if "(first_second)" in line)
    run = failing(noting, "clEnqueueNDRangeKernel", nth, OTHER)
    assert (run.status, run.output) == (0, success.output)
    assert run.launches.count("first_second") == fused.launches.count("first_second") - 1


# Which call of the function is the first one behind a launch that is noted.
WHILE_NOTED = {"clCreateBuffer": 8, "clEnqueueWriteBuffer": 1, "clEnqueueFillBuffer": 1}


@pytest.mark.parametrize("function", WHILE_NOTED)
def test_a_call_that_lacks_memory_is_made_again(function: str, plain: Path, noting: Path) -> None:
    """Without the run time the launches would not hold memory: so they are made first."""
    nth = WHILE_NOTED[function]
    run = failing(noting, function, nth, NO_MEMORY)
    assert (run.status, run.output) == (0, run_program(plain).output)
    calls = [line for line in run.log if line.startswith(("clEnqueueNDRange", f"{function} "))]
    failed = next(i for i, line in enumerate(calls) if line.endswith(f"-> {NO_MEMORY}"))
    assert "(first)" in calls[failed + 1]
    assert calls[failed + 2].startswith(f"{function} ")
    assert run.log[-1] == "leaks: 0", run.leaks


def test_a_call_that_lacks_memory_twice_fails(noting: Path) -> None:
    nth = WHILE_NOTED["clCreateBuffer"]
    failures = f"clCreateBuffer:{nth}:{NO_MEMORY},clCreateBuffer:{nth + 1}:{NO_MEMORY}"
    run = run_program(noting, environment={"STANDIN_FAIL": failures})
    assert (run.status, run.output) == (1, f"clCreateBuffer: {NO_MEMORY}\n")
    assert run.log[-1] == "leaks: 0", run.leaks
