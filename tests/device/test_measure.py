import shutil
from pathlib import Path

import pytest

from casestudies.measure import (
    KernelBytes,
    build,
    compile_shim,
    oclgrind_bytes,
    parse_instruction_counts,
    run_counted,
)
from kfusion.device.bench import Side, Timed
from kfusion.device.oclgrind import MeasureError, oclgrind_races
from kfusion.device.verify import Outcome

ELEMENTS = 100
VECTOR = 4 * ELEMENTS

needs_oclgrind = pytest.mark.skipif(not shutil.which("oclgrind"), reason="no oclgrind here")


def test_build_passes_include_folders_and_defines(tmp_path: Path) -> None:
    (tmp_path / "answer.h").write_text("#define QUESTION ANSWER\n")
    source = tmp_path / "main.c"
    source.write_text("#include <answer.h>\nint main(void) { return QUESTION; }\n")
    program = build([source], tmp_path / "new" / "program", [tmp_path], ["ANSWER=42"])
    assert run_counted([program]).returncode == 42


def test_build_failure_shows_the_compilers_words(tmp_path: Path) -> None:
    source = tmp_path / "wrong.c"
    source.write_text("int main(void) { return nothing; }\n")
    with pytest.raises(MeasureError, match=r"wrong\.c:1:25: error: .nothing. undeclared"):
        build([source], tmp_path / "wrong")


def test_shim_is_compiled_once() -> None:
    first = compile_shim()
    made = first.stat().st_mtime_ns
    assert compile_shim() == first
    assert first.stat().st_mtime_ns == made


def test_launches_are_counted_by_name(scale: Path, kernels: dict[str, str]) -> None:
    result = run_counted([scale, "scale", "twice", "scale", "task:reset"], kernels)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "sum 792\n"
    assert result.launches == {"scale": 2, "twice": 1, "reset": 1}
    assert result.total == 4


def test_failed_enqueue_is_no_launch(scale: Path, kernels: dict[str, str]) -> None:
    result = run_counted([scale, "fail", "scale"], kernels)
    assert result.returncode == 0, result.stderr
    assert result.launches == {"scale": 1}


def test_failing_program_is_a_result(scale: Path, tmp_path: Path) -> None:
    result = run_counted([scale], {"KERNELS": "missing.cl"}, cwd=tmp_path)
    assert result.returncode == 3
    assert result.stderr == "missing.cl: No such file or directory\n"
    assert result.launches == {}
    assert result.total == 0


def test_launches_of_child_processes_are_counted(scale: Path, kernels: dict[str, str]) -> None:
    script = f"{scale} scale && {scale} scale twice"
    assert run_counted(["sh", "-c", script], kernels).launches == {"scale": 2, "twice": 1}


@needs_oclgrind
def test_launches_are_counted_under_oclgrind(scale: Path, kernels: dict[str, str]) -> None:
    result = run_counted([scale, "scale", "task:reset"], kernels, simulated=True)
    assert result.stdout == "sum 198\n"
    assert result.launches == {"scale": 1, "reset": 1}


@needs_oclgrind
def test_bytes_are_counted_by_kernel(scale: Path, kernels: dict[str, str]) -> None:
    moved = oclgrind_bytes([scale, "scale", "twice", "scale"], kernels)
    assert moved.per_kernel == {
        "scale": KernelBytes(2, 2 * VECTOR, 2 * VECTOR),
        "twice": KernelBytes(1, VECTOR, VECTOR),
    }
    assert (moved.launches, moved.loaded, moved.stored) == (3, 3 * VECTOR, 3 * VECTOR)
    assert moved.uncounted == ()


@needs_oclgrind
def test_without_optimisation_every_store_and_reload_counts(
    scale: Path, kernels: dict[str, str]
) -> None:
    moved = oclgrind_bytes([scale, "twice"], kernels, build_options="-cl-opt-disable")
    assert (moved.loaded, moved.stored) == (2 * VECTOR, 2 * VECTOR)


@needs_oclgrind
def test_accesses_that_oclgrind_does_not_count_are_named(
    scale: Path, kernels: dict[str, str]
) -> None:
    moved = oclgrind_bytes([scale, "count"], kernels)
    assert (moved.loaded, moved.stored) == (0, 0)
    assert moved.uncounted == ("atomic_inc",)


def test_counts_are_found_between_the_programs_own_output() -> None:
    output = """\
residual 0.5 Instructions executed for kernel 'a':
       1,000 - load global (4,000 bytes)
         100 - store local (400 bytes)
          10 - store global (40 bytes)

load global
Instructions executed for kernel 'a':
           1 - call _Z6vload4mPU3AS1Kf()
           1 - call _Z10atomic_addPU3AS1Vii()
           1 - load global (4 bytes)
"""
    moved = parse_instruction_counts(output)
    assert moved.per_kernel == {"a": KernelBytes(2, 4004, 40)}
    assert moved.uncounted == ("atomic_add", "vload4")


@needs_oclgrind
def test_clean_program_draws_no_complaint(scale: Path, kernels: dict[str, str]) -> None:
    assert oclgrind_races([scale, "scale", "twice"], kernels) == []


@needs_oclgrind
def test_race_is_a_complaint(scale: Path, kernels: dict[str, str]) -> None:
    complaints = oclgrind_races([scale, "race"], kernels)
    assert complaints
    assert all("data race at global memory address" in text for text in complaints)
    assert "\tKernel: race" in complaints[0]
    assert "x[0] = (float)get_global_id(0);" in complaints[0]


@needs_oclgrind
def test_uninitialised_value_is_a_complaint(scale: Path, kernels: dict[str, str]) -> None:
    complaints = oclgrind_races([scale, "-u", "scale"], kernels)
    assert len(complaints) == ELEMENTS
    assert complaints[0].startswith("Uninitialized value")


@needs_oclgrind
def test_program_that_fails_under_oclgrind_is_an_error(scale: Path) -> None:
    with pytest.raises(MeasureError, match=r"exit status 3\n(?s:.*)nowhere\.cl: No such file"):
        oclgrind_bytes([scale, "scale"], {"KERNELS": "nowhere.cl"})


def test_fused_launches_that_move_nothing() -> None:
    """What they would store is read by nobody."""
    before, after = Side(2, 4096, 2.0, 0.1), Side(1, 0, 0.5, 0.1)
    row = Timed(Outcome("app", 1024, (2, 1)), before, after).row(copy_gb_s=10.0)
    assert (row.speed_up, row.gb_s[1], row.predicted) == (4.0, 0.0, 4096.0)
