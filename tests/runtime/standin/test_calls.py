"""Which calls pass while a launch is noted, and which settle: each function of `CL/cl.h`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from kfusion.runtime import functions
from tests.runtime.standin.alone_table import ALONE, NOTED
from tests.runtime.standin.calls_table import CASES, Case, Does
from tests.runtime.standin.library import Run, compile_program, functions_of_header, run_program
from tests.runtime.standin.pair import PROGRAMS, calls_header, header


def cases_text() -> str:
    """The cases as C functions, and the table that the program looks into."""
    cases = [(case.name, case.before, case.code) for case in CASES]
    cases += [(f"alone_{name}", "", f"clFinish(behind); {code}") for name, code in ALONE.items()]
    functions = [
        f"static void before_{name}(void) {{ {before} }}\n"
        f"static void run_{name}(void) {{ {code} }}\n"
        for name, before, code in cases
    ]
    rows = [f'    {{"{name}", before_{name}, run_{name}}},\n' for name, _, _ in cases]
    table = "".join(["static const test_case test_cases[] = {\n", *rows, "};\n"])
    return "\n".join([*functions, table])


def compiled(folder: Path, fused_header: str | None, *, apart: bool = False) -> Path:
    files = {
        "calls.c": (PROGRAMS / "calls.c").read_text(encoding="utf-8"),
        "opencl.h": (PROGRAMS / "opencl.h").read_text(encoding="utf-8"),
        "cases.h": cases_text(),
    }
    region = (PROGRAMS / "region.c").read_text(encoding="utf-8")
    if apart:
        files["region.c"] = region
        files["kfusion_calls.h"] = calls_header()
    else:
        files["calls.c"] = files["calls.c"].replace('#include "region.c"', region)
    if fused_header is None:
        return compile_program(folder, files, ["-DPLAIN"])
    files["kfusion_fused.h"] = fused_header
    return compile_program(folder, files, ["-DAPART"] if apart else [])


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program as written."""
    return compiled(tmp_path_factory.mktemp("plain"), None)


@pytest.fixture(scope="module")
def noting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program with the run time, as if other files could set arguments."""
    return compiled(tmp_path_factory.mktemp("noting"), header())


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program with the run time, all of it given."""
    return compiled(tmp_path_factory.mktemp("closed"), header(closed=True))


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All calls are in a file without a region, and expected by the file that has it."""
    called = [each.name for each in functions()]
    return compiled(tmp_path_factory.mktemp("apart"), header(called=called), apart=True)


@pytest.fixture(scope="module")
def unexpected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Likewise, but only what sets arguments and launches is expected."""
    called = ["clSetKernelArg", "clEnqueueNDRangeKernel"]
    return compiled(tmp_path_factory.mktemp("unexpected"), header(called=called), apart=True)


def test_every_function_of_the_header_is_redirected() -> None:
    assert {each.name for each in functions()} >= functions_of_header()


def test_the_table_has_every_function_of_the_header() -> None:
    assert {case.function for case in CASES} == functions_of_header()
    twice = [name for name, count in Counter(case.name for case in CASES).items() if count > 1]
    assert not twice


LAUNCH = "clEnqueueNDRangeKernel"


def index_of(lines: tuple[str, ...], start: str, inside: str = "") -> int | None:
    found = (i for i, line in enumerate(lines) if line.startswith(start) and inside in line)
    return next(found, None)


def index_of_call(lines: tuple[str, ...], case: Case) -> int | None:
    """Of the program's own call; the noted launch has the same name as some."""
    for i, line in enumerate(lines):
        if line.startswith(f"{case.function} ") and not (
            line.startswith(LAUNCH) and "(first)" in line
        ):
            return i
    return None


def what_it_did(run: Run, case: Case) -> Does | str:
    """From the log: where the noted launch was made, seen from the call."""
    during, after = run.between("call", "called"), run.between("called", "end")
    if index_of((*during, *after), LAUNCH, "(first_second)") is not None:
        return Does.JOIN
    call, launch = index_of_call(during, case), index_of(during, LAUNCH, "(first)")
    if call is None:
        return "the call was not made"
    if launch is not None:
        return Does.SETTLE if launch < call else Does.SETTLE_BEHIND
    if index_of(after, LAUNCH, "(first)") is not None:
        return Does.PASS
    return "the launch was not made"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_call_is_made_as_written_without_the_run_time(case: Case, plain: Path) -> None:
    run = run_program(plain, [case.name])
    assert run.status == 0, run.errors
    assert f"first 0\ncall {case.status}\n" in run.output
    assert run.log[-1] == "leaks: 0", run.leaks


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_call_passes_or_settles(case: Case, plain: Path, noting: Path) -> None:
    run = run_program(noting, [case.name])
    assert run.status == 0, run.errors
    assert what_it_did(run, case) is case.does, "\n".join(run.between("region", "end"))
    assert run.output == run_program(plain, [case.name]).output
    assert run.log[-1] == "leaks: 0", run.leaks


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_call_does_the_same_in_a_closed_program(case: Case, plain: Path, closed: Path) -> None:
    """But for arguments that were set before the region: they count."""
    run = run_program(closed, [case.name])
    assert run.status == 0, run.errors
    expected = Does.JOIN if case.variant == "arguments_set_before" else case.does
    assert what_it_did(run, case) is expected, "\n".join(run.between("region", "end"))
    assert run.output == run_program(plain, [case.name]).output
    assert run.log[-1] == "leaks: 0", run.leaks


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_call_of_a_file_without_a_region_does_the_same(
    case: Case, plain: Path, apart: Path
) -> None:
    run = run_program(apart, [case.name])
    assert run.status == 0, run.errors
    assert what_it_did(run, case) is case.does, "\n".join(run.between("region", "end"))
    assert run.output == run_program(plain, [case.name]).output
    assert run.log[-1] == "leaks: 0", run.leaks


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_call_that_no_file_with_a_region_expects_settles(
    case: Case, plain: Path, unexpected: Path
) -> None:
    """But for the two, and one that the run time calls itself while it settles."""
    run = run_program(unexpected, [case.name])
    assert run.status == 0, run.errors
    if case.function not in ("clSetKernelArg", "clEnqueueNDRangeKernel", "clRetainCommandQueue"):
        assert what_it_did(run, case) is Does.SETTLE, "\n".join(run.between("region", "end"))
    assert run.output == run_program(plain, [case.name]).output
    assert run.log[-1] == "leaks: 0", run.leaks


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_nothing_is_noted_when_the_run_time_is_off(case: Case, plain: Path, noting: Path) -> None:
    run = run_program(noting, [case.name], {"KFUSION": "off"})
    assert run.log == run_program(plain, [case.name]).log


@pytest.mark.parametrize("name", ["clEnqueueWriteBuffer_blocking", "clFinish"])
def test_waiting_that_passed_is_made_up_for(name: str, noting: Path) -> None:
    after = run_program(noting, [name]).between("called", "end")
    launch, finish = index_of(after, LAUNCH), index_of(after, "clFinish q1")
    assert launch is not None
    assert finish is not None
    assert launch < finish


def test_no_finish_is_added_when_none_passed(noting: Path) -> None:
    after = run_program(noting, ["clFlush"]).between("called", "end")
    assert index_of(after, "clFinish") is None


@pytest.mark.parametrize("name", ALONE)
def test_a_launch_that_must_not_be_noted_is_made_at_once(
    name: str, plain: Path, noting: Path
) -> None:
    """But for the one as it is, which shows that the others fail for what they are named after."""
    run, expected = (run_program(program, [f"alone_{name}"]) for program in (noting, plain))
    assert (run.status, run.output) == (expected.status, expected.output)
    made, launched = (
        [line for line in each.between("call", "called") if line.startswith(LAUNCH)]
        for each in (run, expected)
    )
    assert len(made) == (1 if name == NOTED else 1 + len(launched))
    assert run.log[-1] == "leaks: 0", run.leaks
