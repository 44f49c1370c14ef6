"""`runs(...)`: launches that the annotation lists, for hosts that cannot be predicted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.expected.running import EXCHANGE, PAIR, host

RUNS = "runs(square(t, a, n), add(c, t, b, n))"
LEAST, ALL = {"square_add": 1}, {"square_add_all": 1}
AS_WRITTEN = {"square": 1, "add": 1}


def test_a_variadic_helper_is_fused_and_the_temporary_is_not_stored(tmp_path: Path) -> None:
    program = host(tmp_path, f"#pragma kfuse(a, b, t, out(c)) {RUNS}")
    assert program.fused() == ""
    assert "{ KFUSION_REGION_OUT(app, c);\n" in program.text("app.c")
    assert program.both() == LEAST


def test_without_runs_it_is_not_known_what_is_launched(tmp_path: Path) -> None:
    program = host(tmp_path, "#pragma kfuse(a, b, t, out(c))")
    program.fused()
    assert program.both() == AS_WRITTEN


def test_without_out_all_results_are_stored(tmp_path: Path) -> None:
    program = host(tmp_path, f"#pragma kfuse(a, b, c, t) {RUNS}", after='show("t", t);')
    program.fused()
    assert "{ KFUSION_REGION(app);\n" in program.text("app.c")
    assert program.both() == {"square_add": 1}
    assert "t[i] = t_i;" in program.text("kernels.cl")


@pytest.mark.parametrize(
    "listed", ["add(c, t, b, n), square(t, a, n)", "square(t, b, n), root(c, t, n)"]
)
def test_a_wrong_list_changes_nothing(listed: str, tmp_path: Path) -> None:
    program = host(tmp_path, f"#pragma kfuse(a, b, t, out(c)) runs({listed})")
    program.fused()
    assert program.both() == AS_WRITTEN


def test_names_of_one_list_that_are_one_object_in_the_program(tmp_path: Path) -> None:
    """By agreement different names are different memory: here t and a are not."""
    body = PAIR.replace("t, a,", "a, a,").replace("c, t,", "c, a,")
    program = host(tmp_path, f"#pragma kfuse(a, b, out(c)) {RUNS}", body, after='show("a", a);')
    program.fused()
    assert program.both() == AS_WRITTEN


# What variables hold in the end


def test_handles_that_are_exchanged_under_a_condition(tmp_path: Path) -> None:
    pragma = f"#pragma kfuse(a, b, t, out(c)) {RUNS}"
    program = host(tmp_path, pragma, PAIR + EXCHANGE)
    program.fused()
    assert program.both() == LEAST
    assert program.both("exchanged") == ALL


def test_without_a_look_at_the_variables_results_would_be_wrong(tmp_path: Path) -> None:
    program = host(tmp_path, f"#pragma kfuse(a, b, t, out(c)) {RUNS}", PAIR + EXCHANGE)
    program.fused()
    header, guard = tmp_path / "out" / "kfusion_fused.h", "!kfusion_is_named_temporary(s, m)"
    text = header.read_text()
    assert text.count(guard) == 1
    header.write_text(text.replace(guard, "0"))
    before, after = program.run(".", "exchanged"), program.run("out", "exchanged")
    assert after.launches == LEAST
    assert after.stdout != before.stdout


def test_a_variable_that_holds_no_object_in_the_end(tmp_path: Path) -> None:
    """Whatever it holds is not looked at: it may be the handle of nothing."""
    program = host(
        tmp_path,
        f"#pragma kfuse(a, b, t, out(d)) {RUNS}",
        PAIR + "        d = (cl_mem)(size_t)(argc + 40);\n",
        declared="cl_mem d = c;",
        after="(void)d;",
    )
    program.fused()
    assert "{ KFUSION_REGION_OUT(app, d);\n" in program.text("app.c")
    assert program.both() == ALL


def test_a_temporary_by_what_its_variable_holds(tmp_path: Path) -> None:
    pragma = f"#pragma kfuse(a, b, c, temp(t)) {RUNS}"
    program = host(tmp_path, pragma, PAIR + EXCHANGE)
    program.fused()
    assert "{ KFUSION_REGION_TEMP(app, 1, t, a, b, c);\n" in program.text("app.c")
    assert program.both() == LEAST
    assert program.both("exchanged") == ALL


def test_a_temporary_that_has_got_another_name(tmp_path: Path) -> None:
    body = PAIR + "        d = t;\n"
    program = host(
        tmp_path,
        f"#pragma kfuse(a, b, c, temp(t)) {RUNS}",
        body,
        declared="cl_mem d;",
        after='show("d", d);',
    )
    program.fused()
    assert "{ KFUSION_REGION(app);\n" in program.text("app.c")
    assert program.both() == {"square_add": 1}


@pytest.mark.parametrize(
    "declared",
    [
        "volatile cl_mem d = c;",
        "cl_mem *d = &c;",
        "register cl_mem d = c;",
        "struct { cl_mem mem; void *more; } d = {c, NULL};",
    ],
)
def test_out_names_that_are_no_plain_variables(declared: str, tmp_path: Path) -> None:
    program = host(
        tmp_path,
        f"#pragma kfuse(a, b, t, out(d)) {RUNS}",
        PAIR + "        (void)d;\n",
        declared=declared,
    )
    program.fused()
    assert "{ KFUSION_REGION(app);\n" in program.text("app.c")
    assert program.both() == {"square_add": 1}


def test_typedefs_of_handles_and_variables_of_the_file(tmp_path: Path) -> None:
    program = host(
        tmp_path,
        f"#pragma kfuse(a, b, t, out(c, d, e)) {RUNS}",
        PAIR + "        d = e = c;\n",
        before="typedef cl_mem handle;\nstatic handle d;",
        declared="const handle *p; handle e = c; (void)p;",
    )
    program.fused()
    assert "{ KFUSION_REGION_OUT(app, c, d, e);\n" in program.text("app.c")
    assert program.both() == LEAST


def test_structures_that_lead_to_no_other_handles(tmp_path: Path) -> None:
    program = host(
        tmp_path,
        f"#pragma kfuse(a, b, t, out(d)) {RUNS}",
        PAIR + "        d.mem = c;\n        (void)d;\n",
        declared="struct { int count; float *host; cl_mem mem; } d = {0};",
    )
    program.fused()
    assert "{ KFUSION_REGION_OUT(app, d.mem);\n" in program.text("app.c")
    assert program.both() == ALL  # c, which the launches name, is d.mem in the end


# Messages


@pytest.mark.parametrize(
    ("listed", "message"),
    [
        ("square(t, a, n), sum(c, t)", "app.c:13:54: warning[KF123]: no kernel is called 'sum'"),
        (
            "square(t, a)",
            "app.c:13:37: warning[KF125]: square() has 3 parameters, and 2 arguments are given",
        ),
        (
            "square(t, a, n), add",
            (
                "app.c:13:54: warning[KF129]: this call cannot be read:"
                " expected 'kernel(argument, ...)'"
            ),
        ),
    ],
)
def test_what_cannot_be_read(listed: str, message: str, tmp_path: Path) -> None:
    """The region is left as it is written."""
    program = host(tmp_path, f"#pragma kfuse(a, b, t, out(c)) runs({listed})")
    done = program.kfusion("-o", "out")
    assert done.returncode == 0
    assert done.stderr.splitlines()[0] == message
    assert "KFUSION_REGION" not in program.text("app.c")
    assert program.kfusion("-o", "strict", "--strict").returncode == 1
    assert not (tmp_path / "strict").exists()


def test_the_plan_says_where_the_expectation_comes_from(tmp_path: Path) -> None:
    program = host(tmp_path, f"#pragma kfuse(a, b, t, out(c)) {RUNS}")
    told = program.kfusion("--explain-plan").stdout
    assert "app.c:13: kernels 2 -> 1" in told
    assert "\n  expected: from runs(...) in the annotation\n" in told


def test_sync_holds_for_what_annotations_list(tmp_path: Path) -> None:
    """Which launch a function makes is not known: each may be its."""
    program = host(
        tmp_path,
        f"#pragma kfuse(a, b, t, out(c)) {RUNS}",
        PAIR.replace('launch("add"', 'launch_last("add"'),
    )
    assert "cut[KF212]: launch_last is not fused with earlier calls" in program.fused()
    assert program.both() == AS_WRITTEN


def test_one_kernel_whatever_the_objects_are_called(tmp_path: Path) -> None:
    again = PAIR.replace("t, a", "t, c").replace("c, t, b", "a, t, b")
    pragma = "#pragma kfuse(b, c, t, out(a)) runs(square(t, c, n), add(a, t, b, n))"
    after = f'{pragma}\n    {{\n{again}    }}\n    show("a", a);'
    program = host(tmp_path, f"#pragma kfuse(a, b, t, out(c)) {RUNS}", after=after)
    program.fused()
    assert program.both() == {"square_add": 2}


@pytest.mark.parametrize(
    ("value", "given", "launches"),
    [
        ("2", '"-DTIMES=%.2ff", 2.5', None),
        ("(-2)", '"-DTIMES=%g", 2.5', None),
        ("0x2u", '"-D" "TIMES=%.*f", 3, 2.5', None),
        ("2", '"-D TIMES" "=%lf", 2.5', None),
        ("2", 'rig_items() ? "-DTIMES=2" : "-DTIMES=2.5f"', None),
        ("2", '"-DTIMES=((float)%d)", 2', None),
        ("2.0f", '"-DTIMES=%.2ff", 2.5', LEAST),
        ("2", '"-DTIMES=2"); /* "-DTIMES=%f" */ printf("-DTIMES=%.1f ", 2.5', LEAST),
    ],
)
def test_a_number_that_the_host_makes_with_a_point(
    value: str, given: str, launches: dict[str, int] | None, tmp_path: Path
) -> None:
    """`#if TIMES == 2` would keep the program that has 2.5f from being built."""
    program = host(tmp_path, f"#pragma kfuse(a, b, t, out(c)) {RUNS}")
    kernels, lib = tmp_path / "kernels.cl", tmp_path / "lib.c"
    kernels.write_text(
        "#ifndef TIMES\n#define TIMES 1.0f\n#endif\n"
        + kernels.read_text().replace("x[i] * x[i]", "TIMES * x[i]")
    )
    options = "static char options[40];\n    sprintf(options, GIVEN);\n".replace("GIVEN", given)
    text = lib.read_text().replace('rig_program("")', "rig_program(options)")
    lib.write_text(text.replace("void start(void)\n{\n", f"void start(void)\n{{\n    {options}"))
    if launches is None:
        done = program.kfusion("-o", "out", f"-DTIMES={value}")
        assert done.returncode == 2
        message = "builds may get 'TIMES' with a point, and kfusion was given an integer: what is"
        assert f"error[KF244]: {message} fused for that would not compile there" in done.stderr
        assert not (tmp_path / "out").exists()
        return
    program.fused(f"-DTIMES={value}")
    assert program.both() == launches
