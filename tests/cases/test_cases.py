"""Each case, fused and unfused on PoCL: README.md here says what a case is, and how to add one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.case_format import Case, case_files, read_cases
from tests.support.case_run import run_case

CASES = [case for path in case_files() for case in read_cases(path)]


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder for object files, which all processes of a test run share."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "objects"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in CASES])
def test_case(case: Case, objects: Path) -> None:
    outcome = run_case(case, objects)
    assert outcome.wrong == ()
    assert outcome.found == case.expected
