"""KFUSION=trace, check and record, and programs that lack the fused kernels."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.runtime.builds import PROGRAMS, WARNINGS, compile_host, header
from tests.runtime.standin.library import run_program


def errors(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("kfusion: ")]


@pytest.fixture(scope="module")
def fused(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_host(tmp_path_factory.mktemp("fused"), *WARNINGS, text=header())


def test_trace_tells_what_was_made(fused: Path) -> None:
    run = run_program(fused, ["several_regions"], {"KFUSION": "trace"})
    made = "kfusion: host.c:1 (whole): whole made"
    assert errors(run.errors) == [made] * 6 + ["kfusion: host.c:1 (whole): made 6 times"]


def test_trace_tells_which_condition_failed(fused: Path) -> None:
    run = run_program(fused, ["condition_fails"], {"KFUSION": "trace"})
    why = "n is 64 in square and 32 in add"
    assert errors(run.errors) == [
        f"kfusion: host.c:1 (whole): as written: {why}",
        f"kfusion: host.c:1 (whole): as written: {why}",
        f"kfusion: host.c:1 (whole): made 0 times, as written 2 (2 times: {why})",
    ]


def test_trace_tells_what_settled(fused: Path) -> None:
    run = run_program(fused, ["read_between"], {"KFUSION": "trace"})
    why = "clEnqueueReadBuffer, behind 1 of the 2 launches of whole"
    assert f"kfusion: host.c:1 (whole): as written: {why}" in errors(run.errors)


def test_trace_tells_why_repetitions_are_not_made_together(fused: Path) -> None:
    """Each goes from the same buffer to the same buffer; or there are not more of them."""
    run = run_program(fused, ["loop_without_exchange"], {"KFUSION": "trace"})
    other = "the next repetition has other buffers, numbers or ranges than expected"
    assert f"made 0 times, as written 10 (8 times: {other}; 2 times: too few" in run.errors
    run = run_program(fused, ["loop_2"], {"KFUSION": "trace"})
    assert "made 0 times, as written 4 (4 times: too few repetitions)" in run.errors


def test_trace_tells_why_stores_are_not_left_out(tmp_path: Path) -> None:
    """Where launches are fused only if the temporary object need not be stored."""
    stores, text = "{1, make_pair, make_less", header()
    assert stores in text
    fused = compile_host(tmp_path, text=text.replace(stores, "{1, NULL, make_less"))
    for name, why in {
        "named_loop": "what would not be stored is used by the launches behind, too",
        "named_is_read": "settled while what would not be stored may still be read",
        "scratch_retained": "settled while what would not be stored may still be read",
        "scratch_made_before": "what would not be stored is no memory of the region's own",
        "fresh_condition_fails": "n is 32 in square and 64 in add",
    }.items():
        run = run_program(fused, [name], {"KFUSION": "trace"})
        assert f": as written: {why}\n" in run.errors, name
        assert "too few" not in run.errors
        assert run.output == run_program(fused, [name], {"KFUSION": "off"}).output


def test_check_and_trace_in_one_run(fused: Path) -> None:
    run = run_program(fused, ["plain_pair", "read_between"], {"KFUSION": "check,trace"})
    told = "".join(line + "\n" for line in errors(run.errors))
    assert "kfusion: host.c:1 (whole): check of whole: the same\n" in told
    why = "clEnqueueReadBuffer, behind 1 of the 2 launches of whole"
    assert f"kfusion: host.c:1 (whole): as written: {why}\n" in told


def test_trace_tells_which_range_is_not_noted(fused: Path) -> None:
    run = run_program(fused, ["wrong_size"], {"KFUSION": "trace"})
    wrong = [line.split("as written: ")[1] for line in errors(run.errors)[:3]]
    no_device = "a range that no device takes"
    assert wrong == [no_device, no_device, "the device may refuse 64 items in groups of 7"]


@pytest.mark.parametrize("name", ["plain_pair", "fresh_loop", "scratch", "loop_7", "named"])
def test_check_finds_no_difference(name: str, fused: Path) -> None:
    run = run_program(fused, [name], {"KFUSION": "check"})
    told = errors(run.errors)
    assert told
    assert all(line.endswith(": the same") for line in told), told
    assert run.output == run_program(fused, [name], {"KFUSION": "off"}).output


def test_check_finds_a_difference(tmp_path: Path) -> None:
    """The fused kernel is wrong: the program goes on with what it computes as written."""
    for path in PROGRAMS.iterdir():
        shutil.copy(path, tmp_path)
    wrong = (PROGRAMS / "kernels.h").read_text(encoding="utf-8")
    wrong = wrong.replace("t[i] = s; c[i] = s + b[i]", "t[i] = s; c[i] = s - b[i]")
    (tmp_path / "kernels.h").write_text(wrong, encoding="utf-8")
    program = compile_host(tmp_path, text=header(), programs=tmp_path)
    run = run_program(program, ["plain_pair"], {"KFUSION": "check"})
    assert len(errors(run.errors)) == 2
    for line in errors(run.errors):
        assert "DIFFERENT: argument 0 of add, byte " in line
    assert run.output == run_program(program, ["plain_pair"], {"KFUSION": "off"}).output


def test_record_writes_each_row_of_launches_once(fused: Path, tmp_path: Path) -> None:
    record = tmp_path / "record"
    environment = {"KFUSION": "record", "KFUSION_RECORD": str(record)}
    run = run_program(fused, ["several_regions"], environment)
    assert run.output == run_program(fused, ["several_regions"], {"KFUSION": "off"}).output
    assert record.read_text(encoding="utf-8") == (
        "region whole host.c:1\n"
        "square(m0, m1, 4:40000000)  range 64\n"
        "add(m2, m0, m3, 4:40000000)  range 64\n"
        "end\n"
    )


def test_record_does_not_know_arguments_that_were_set_before(fused: Path, tmp_path: Path) -> None:
    record = tmp_path / "record"
    run_program(fused, ["sticky"], {"KFUSION": "record", "KFUSION_RECORD": str(record)})
    assert "square(?, ?, ?)  range 64\n" in record.read_text(encoding="utf-8")


# Additions


def texts() -> tuple[str, str]:
    """The texts of the kernels, and of the fused ones, of the program."""
    text = (PROGRAMS / "kernels.h").read_text(encoding="utf-8")
    first, second = text.split("static const char *const fused_text")
    whole = ["".join(line + "\n" for line in re.findall(r'"(.*)\\n"', p)) for p in (first, second)]
    return whole[0], whole[1]


def fnv(text: str) -> int:
    value = 14695981039346656037
    for byte in text.encode():
        value = (value ^ byte) * 1099511628211 % 2**64
    return value


def with_addition(source: int, options: str) -> str:
    literal = "\n".join(f'    "{line}\\n"' for line in texts()[1].splitlines())
    listed = "NULL" if not options else "options_of_addition"
    extra = (
        f"static const char *const options_of_addition[] KFUSION_UNUSED = "
        f"{{{options or 'NULL'}}};\n"
        f'static const kfusion_addition additions[] = {{{{0x{source:x}ULL, {listed}, "", \n'
        f"{literal}}}}};\n"
    )
    return header(additions="1, additions", extra=extra)


@pytest.mark.parametrize(
    ("options", "found"),
    [("", True), ('"", NULL', True), ('"-DA", "  ", NULL', True), ('"-DA", NULL', False)],
)
def test_a_program_that_lacks_fused_kernels(options: str, found: bool, tmp_path: Path) -> None:
    program = compile_host(tmp_path, text=with_addition(fnv(texts()[0]), options))
    run = run_program(program, ["several_regions", "lacks"])
    fused = {"square_add"} if found else {"square", "add"}
    assert set(run.launches) == fused
    builds = [line for line in run.log if line.startswith("clBuildProgram")]
    assert len(builds) == (4 if found else 2)  # once for each program, not for each region
    assert run.leaks == ()
    assert (
        run.output == run_program(program, ["several_regions", "lacks"], {"KFUSION": "off"}).output
    )


def test_another_program_gets_nothing(tmp_path: Path) -> None:
    program = compile_host(tmp_path, text=with_addition(1234, ""))
    run = run_program(program, ["several_regions", "lacks"])
    assert set(run.launches) == {"square", "add"}
