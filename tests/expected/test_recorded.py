"""What a run has recorded is what the next one is expected to do."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kfusion.parse.recorded import recorded_rows
from kfusion.source.diagnostics import KFusionError
from tests.expected.running import EXCHANGE, PAIR, Host, host
from tests.expected.test_runs import ALL, AS_WRITTEN, LEAST

PRAGMA = "#pragma kfuse(a, b, t, out(c))"
MADE = """\
        cl_mem s = scratch();
        launch("square", s, a, (cl_mem)0);
        launch("add", c, s, b, (cl_mem)0);
        clReleaseMemObject(s);
"""


def recorded(program: Host, *arguments: str) -> str:
    """Runs the program so that it writes a record, and fuses it with that."""
    program.fused("--for-recording")
    run = program.run("out", *arguments, KFUSION="record")
    assert run.stdout == program.run(".", *arguments).stdout
    return program.fused("--recorded", "kfusion.record")


@pytest.mark.parametrize("name", ["app.c", "app.cpp"])
def test_a_recorded_run_is_fused(name: str, tmp_path: Path) -> None:
    program = host(tmp_path, PRAGMA, name=name)
    assert recorded(program) == ""
    assert program.both() == LEAST
    told = program.kfusion("--explain-plan", "--recorded", "kfusion.record").stdout
    assert "\n  expected: from the recorded run kfusion.record\n" in told


@pytest.mark.parametrize("name", ["app.c", "app.cpp"])
def test_kernels_that_are_composed_come_from_the_record(name: str, tmp_path: Path) -> None:
    program = host(tmp_path, PRAGMA, name=name, composed=True)
    assert recorded(program) == ""
    assert program.both() == LEAST
    (source,) = tmp_path.glob("kfusion.record.*.ocl")
    assert source.read_text().startswith("__kernel void square(")
    assert source.with_suffix(".options").read_text() == "\n"


def test_what_is_marked_for_a_record_launches_as_written(tmp_path: Path) -> None:
    program = host(tmp_path, PRAGMA)
    program.fused("--for-recording")
    assert "{ KFUSION_REGION_OUT(app, c);\n" in program.text("app.c")
    assert program.both() == AS_WRITTEN


def test_scratch_memory_and_out_are_recorded(tmp_path: Path) -> None:
    program = host(tmp_path, "#pragma kfuse(a, b, out(c))", MADE)
    recorded(program)
    (row,) = recorded_rows(tmp_path / "kfusion.record")
    assert [launch.kernel for launch in row.launches] == ["square", "add"]
    assert (row.region, row.file) == ("app", "app.c")
    assert row.scratch == frozenset({"m0"})
    assert row.outs == frozenset({"m2"})
    assert program.both() == LEAST


def test_scratch_memory_without_out(tmp_path: Path) -> None:
    program = host(tmp_path, "#pragma kfuse(a, b, c)", MADE)
    recorded(program)
    assert "{ KFUSION_REGION(app);\n" in program.text("app.c")
    assert program.both() == LEAST


def test_another_path_than_the_recorded_one(tmp_path: Path) -> None:
    program = host(tmp_path, PRAGMA, PAIR + EXCHANGE)
    recorded(program)
    assert program.both("exchanged") == ALL


def test_a_record_of_lines_that_have_moved(tmp_path: Path) -> None:
    program = host(tmp_path, PRAGMA)
    recorded(program)
    text = (tmp_path / "app.c").read_text()
    (tmp_path / "app.c").write_text("\n\n\n" + text)
    assert program.fused("--recorded", "kfusion.record") == ""
    assert program.both() == LEAST


def test_a_record_of_another_program_changes_nothing(tmp_path: Path) -> None:
    program = host(tmp_path, PRAGMA)
    recorded(program)
    text = (tmp_path / "app.c").read_text()
    (tmp_path / "app.c").write_text(text.replace('"square"', '"root"'))
    program.fused("--recorded", "kfusion.record")
    assert program.both() == {"root": 1, "add": 1}


def test_a_command_that_settles_parts_a_row(tmp_path: Path) -> None:
    """The square and the sum before the read are one pattern, those behind it another one."""
    body = PAIR + "        fetch(t);\n" + PAIR.replace("t, a", "c, c")
    program = host(tmp_path, "#pragma kfuse(a, b, c, t)", body)
    recorded(program)
    (row,) = recorded_rows(tmp_path / "kfusion.record")
    assert [launch.settled for launch in row.launches] == [False, False, True, False]
    assert sum(program.both().values()) == 2


def test_trace_tells_of_rounds_that_are_missing(tmp_path: Path) -> None:
    rounds = f"for (int i = 0; i < 6 - argc; i++) {{\n{PAIR.replace('t, a', 'c, c')}}}\n"
    program = host(tmp_path, "#pragma kfuse(a, b, c, t)", f"{PAIR}fetch(t);\n{rounds}")
    recorded(program)
    assert sum(program.both("fewer").values()) == 1 + 8
    told = program.run("out", "fewer", KFUSION="trace").stderr.splitlines()
    why = "the region ends, behind 8 of the 10 launches of app_or_2"
    lead = "kfusion: app.c:13 (app): "
    assert told[:-1] == [f"{lead}app made", *[f"{lead}as written: {why}"] * 8]
    assert told[-1] == f"{lead}made 1 time: app 1, app_or_2 0, as written 8 (8 times: {why})"


def test_trace_counts_no_launch_that_has_nothing_to_make(tmp_path: Path) -> None:
    body = PAIR + '        launch("root", t, c, (cl_mem)0);\n'
    program = host(tmp_path, "#pragma kfuse(a, b, c, t)", body)
    kernels = tmp_path / "kernels.cl"
    kernels.write_text(kernels.read_text().replace("sqrt(x[i])", "x[(unsigned)x[i] % n]"))
    recorded(program)
    assert "app_part_2" in program.text("kfusion_fused.h")
    told = program.run("out", KFUSION="trace").stderr.splitlines()
    assert told[-1].split(": ", 1)[1] == "app.c:13 (app): made 1 time: app 1"


def test_a_loop_is_one_round_again_and_again(tmp_path: Path) -> None:
    body = "        for (int i = 0; i < 40; i++) {\n" + PAIR + "        }\n"
    program = host(tmp_path, PRAGMA, body)
    recorded(program)
    assert sum(program.both().values()) <= 8


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "region 3 times\nend\n",
            "this line of a record cannot be read: expected 'region NAME FILE:LINE'",
        ),
        (
            "region app app.c:3\nsquare(m0, x)  range 3\nend\n",
            "this line of a record cannot be read: expected 'kernel(m0, 4:00040000)  range 1024'",
        ),
    ],
)
def test_a_record_that_cannot_be_read(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "kfusion.record"
    path.write_text(text)
    with pytest.raises(KFusionError) as failure:
        recorded_rows(path)
    (diagnostic,) = failure.value.diagnostics
    assert diagnostic.message == message
    assert diagnostic.code == "KF102"


def test_launches_of_files_that_are_not_given(tmp_path: Path) -> None:
    path = tmp_path / "kfusion.record"
    path.write_text("region outside \nsquare(m0, m1)  range 3\nend\n")
    assert recorded_rows(path) == ()


def test_a_record_that_ends_in_the_middle(tmp_path: Path) -> None:
    path = tmp_path / "kfusion.record"
    path.write_text("region app app.c:3\nsquare(m0, m1)  range 3 local 1 offset 0\n")
    assert recorded_rows(path) == ()


def test_there_is_no_record(tmp_path: Path) -> None:
    done = host(tmp_path, PRAGMA).kfusion("--recorded", "none", "-o", "out")
    assert done.returncode == 2
    assert "error[KF101]: cannot read none: No such file or directory" in done.stderr


def test_what_pointers_lead_to_is_recorded(tmp_path: Path) -> None:
    """One of them leads nowhere."""
    program = host(
        tmp_path,
        "#pragma kfuse(a, b, t, out(held, none))",
        PAIR + "        held->mem = c; if (none != NULL) none->mem = t;\n",
        before="struct holder { cl_mem mem; };\n",
        declared="struct holder all = {NULL}, *held = &all, *none = NULL;",
    )
    recorded(program)
    line = "{ KFUSION_REGION_OUT(app, KFUSION_OF(held, mem), KFUSION_OF(none, mem));\n"
    assert line in program.text("app.c")
    (row,) = recorded_rows(tmp_path / "kfusion.record")
    assert row.outs == frozenset({"m2"})
    assert program.both() == LEAST


def test_trace_tells_of_programs_that_are_built_with_other_options(tmp_path: Path) -> None:
    program = host(tmp_path, PRAGMA)
    kernels, lib = tmp_path / "kernels.cl", tmp_path / "lib.c"
    kernels.write_text(
        "#ifndef TIMES\n#define TIMES 2.0f\n#endif\n"
        + kernels.read_text().replace("x[i] * x[i]", "TIMES * x[i] * x[i]")
    )
    recorded(program)
    assert program.both() == LEAST
    lib.write_text(lib.read_text().replace('rig_program("")', 'rig_program("-DTIMES=2.0f")'))
    recorded(program)
    assert program.both() == AS_WRITTEN
    told = program.run("out", KFUSION="trace").stderr.splitlines()
    assert "built from another text, or with options (-D) that kfusion was not given" in told[-1]


def test_numbers_that_several_forms_ask_for_in_another_order(tmp_path: Path) -> None:
    """With all stored, the last call stays apart, and the first `n` is another launch's."""
    body = """\
        launch("halve", b, a, (cl_mem)0);
        launch("differences", s, b, (cl_mem)0);
        launch("smooth", t, s, (cl_mem)0);
        launch("decimate", c, t, (cl_mem)0);
"""
    declared = "cl_mem s = scratch();"
    program = host(tmp_path, "#pragma kfuse(b, t, out(c))", body, declared=declared)
    shutil.copytree(Path(__file__).parent / "decimated", tmp_path, dirs_exist_ok=True)
    recorded(program)
    assert program.both() == {"halve_differences_smooth_decimate": 1}
