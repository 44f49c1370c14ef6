"""Each case, fused and unfused on PoCL: README.md here says what a case is, and how to add one."""

from __future__ import annotations

import pytest

from tests.support.case_format import Case, case_files, read_cases
from tests.support.case_run import run_case

CASES = [case for path in case_files() for case in read_cases(path)]


@pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in CASES])
def test_case(case: Case) -> None:
    outcome = run_case(case)
    assert outcome.wrong == ()
    assert outcome.found == case.expected
