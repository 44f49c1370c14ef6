"""Every code has an explanation, and its example gives that very code."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import subprocess
from pathlib import Path

import pytest

import kfusion
from kfusion.cli import main
from kfusion.report.explain import Explanation, explain, explanations, list_codes
from kfusion.source.codes import CODES, KINDS
from kfusion.source.diagnostics import KFusionError, Severity
from tests.support.examples import write_program

TESTS = Path(__file__).resolve().parent.parent
PACKAGE = TESTS.parent / "kfusion"
COMMAND = "kfusion app.c vec.c vec.cl -o out"
TITLES = {"calls", "python", "command", "output"}
FILES = {"app.c", "vec.c", "vec.cl", "other.cl", "kernels.cl"}
NEEDS_EXACT = {"KF231"}  # codes that fuse(exact=True) gives
EXPLAINED = explanations()


def messages_of_command(example: dict[str, str], folder: Path) -> str:
    """What kfusion says to the example in its program."""
    write_program(folder, example)
    *before, command = example.get("command", COMMAND).strip().split("\n")
    for line in before:
        subprocess.run(shlex.split(line), cwd=folder, check=True)
    words = shlex.split(command)
    assert words[0] == "kfusion"
    err = io.TextIOWrapper(io.BytesIO(), write_through=True)
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stderr(err),
        contextlib.redirect_stdout(io.StringIO()),
        pytest.raises(SystemExit),
    ):
        main(words[1:])
    err.seek(0)
    return err.read()


def codes_of_python(code: str, example: dict[str, str]) -> set[str]:
    """The codes of fused calls, and of an error if there is one."""
    source = example["kernels.cl"]
    try:
        if "calls" in example:
            calls = example["calls"].strip().split("\n")
            fused = kfusion.fuse(source, calls, exact=code in NEEDS_EXACT)
        else:
            names: dict[str, object] = {"kfusion": kfusion, "source": source}
            exec(example["python"], names)
            fused = names["fused"]  # type: ignore[assignment]
    except KFusionError as failure:
        return {d.code for d in failure.diagnostics}
    return {d.code for d in fused.diagnostics}


def produces(explanation: Explanation, folder: Path) -> bool:
    code, example = explanation.code, explanation.example
    if "calls" in example or "python" in example:
        return code in codes_of_python(code, example)
    said = messages_of_command(example, folder)
    return re.search(rf"\w\[{code}\]: ", said) is not None


def test_every_code_is_explained_and_nothing_else() -> None:
    assert list(EXPLAINED) == list(CODES)


@pytest.mark.parametrize("code", CODES)
def test_explanation_is_complete_and_plain(code: str) -> None:
    found = EXPLAINED[code]
    assert found.meaning.strip()
    assert found.remedy.strip()
    assert found.example
    assert found.example.keys() <= TITLES | FILES
    text = explain(code)
    assert text.isascii()
    assert all(line == line.rstrip() for line in text.split("\n"))
    assert max(len(line) for line in (found.meaning + found.remedy).split("\n")) <= 80
    assert max(len(line) for line in text.split("\n")) <= 100
    assert "\n\n\n" not in text


# An internal error needs a fault in kfusion: tests/cli/test_command.py makes one.
@pytest.mark.parametrize("code", [code for code in CODES if code != "KF199"])
def test_example_gives_its_code(code: str, tmp_path: Path) -> None:
    assert produces(EXPLAINED[code], tmp_path / "program")


def test_internal_error_looks_like_that() -> None:
    first = EXPLAINED["KF199"].example["output"].strip().split(" (")[0]
    assert first in (TESTS / "cli" / "test_command.py").read_text()


def test_texts_name_codes_that_there_are() -> None:
    for code in CODES:
        for named in re.findall(r"KF\d+", explain(code)):
            assert named in CODES


def mentioned(files: list[Path]) -> set[str]:
    return {code for path in files for code in re.findall(r"KF\d{3}", path.read_text())}


def test_every_code_is_raised() -> None:
    files = [path for path in PACKAGE.rglob("*.py") if path.name != "codes.py"]
    assert CODES.keys() - mentioned(files) == set()


def test_every_code_is_asserted() -> None:
    """Somewhere else than here, by its message or with the program that gives it."""
    here = {"test_codes.py", "test_explain.py"}
    kinds = {".py", ".toml", ".txt"}
    files = [p for p in TESTS.rglob("*") if p.suffix in kinds and p.name not in here]
    assert CODES.keys() - mentioned(files) == set()


def test_every_code_is_of_a_kind_and_listed() -> None:
    assert {code[:3] for code in CODES} == KINDS.keys()
    lines = list_codes().split("\n")
    for code, text in CODES.items():
        assert f"  {code}  {text}" in lines


def test_cuts_of_kernels_are_cuts_in_python() -> None:
    """The examples with calls show what PyOpenCL users see, too."""
    for code, found in EXPLAINED.items():
        if code.startswith("KF2") and "calls" in found.example:
            calls = found.example["calls"].strip().split("\n")
            exact = code in NEEDS_EXACT
            fused = kfusion.fuse(found.example["kernels.cl"], calls, exact=exact)
            assert Severity.CUT in {d.severity for d in fused.diagnostics if d.code == code}
