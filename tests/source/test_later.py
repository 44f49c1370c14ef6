from __future__ import annotations

import pytest

from kfusion.source.diagnostics import KFusionError, error
from kfusion.source.later import Later


def test_results_come_from_other_threads() -> None:
    started = [Later(lambda n=n: n * n) for n in range(50)]  # type: ignore[misc]
    assert [each.result() for each in started] == [n * n for n in range(50)]


def test_failures_are_raised_where_the_result_is_asked_for() -> None:
    def fail() -> int:
        raise error("KF101", "cannot read it")

    failing = Later(fail)
    with pytest.raises(KFusionError, match="cannot read it"):
        failing.result()
