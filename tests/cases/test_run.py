"""What running a case finds wrong, whatever a file of cases says: with stand-ins for kfusion."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kfusion.runtime import runtime_text
from tests.support import called
from tests.support.case_format import BASES, Case, Expected, Run, base_files
from tests.support.case_run import Outcome, run_case
from tests.support.run_time import is_closed

Tool = Callable[[list[str]], None]


def outcome(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> Outcome:
    """Of the base library, which launches two kernels."""
    monkeypatch.setattr(called, "main", tool)
    files = base_files("rig") | base_files("vectors")
    return run_case(Case("the base", BASES, files, (), (), Expected((Run(2, 1),))))


def copying(name: str, old: str, new: str, status: int = 0) -> Tool:
    """Writes the files as they are, with one word replaced in one of them."""

    def tool(arguments: list[str]) -> None:
        output = Path(arguments[-1])
        shutil.copytree(".", output)
        text = (output / name).read_text()
        assert old in text
        (output / name).write_text(text.replace(old, new))
        sys.exit(status)

    return tool


def test_what_can_be_accepted_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    same = copying("lib.h", "typedef", "typedef")
    assert outcome(same, monkeypatch) == Outcome(Expected((Run(2, 2),)), ())


@pytest.mark.parametrize(
    ("tool", "says"),
    [
        (copying("kernels.cl", "x[i] * x[i]", "x[i] * x[i] + 1"), "results differ"),
        (copying("app.c", "return 0;", "return 5;"), "the fused program ends with 5"),
        (copying("app.c", "return 0;", "return 0 }"), "error: expected"),
        (copying("lib.c", "size_t items = z->n;", "size_t items = z->n; int k;"), "warns of"),
        (copying("lib.h", "typedef", "typedef", 2), "files are written"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_is_told(
    tool: Tool, says: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (wrong,) = outcome(tool, monkeypatch).wrong
    assert says in wrong


@pytest.mark.parametrize("closed", [False, True])
def test_cases_are_linked_with_the_run_time_that_their_header_has(closed: bool) -> None:
    """Closed and open programs treat what was set before a region in two ways."""
    assert is_closed(runtime_text("x", "", closed=closed)) == closed
