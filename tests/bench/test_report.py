"""Steps of a report that fail, or for which no time is left."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from bench.programs import Builder
from bench.report import Report
from kfusion.device.opencl import pocl_device

RESULTS = json.loads((Path(__file__).parent / "results.json").read_text())


@pytest.fixture
def report(tmp_path: Path) -> Report:
    results: dict[str, Any] = RESULTS | {"failed": []}
    until = time.monotonic() + 60
    builder = Builder(tmp_path)
    return Report(
        pocl_device(), tmp_path, tmp_path, "quick", 10, until, builder, "any", results=results
    )


def fail() -> None:
    raise ValueError("it does not work")


def written(report: Report) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads((report.folder / "results.json").read_text())["failed"]
    return found


def test_a_step_that_fails_is_told_and_the_next_one_follows(report: Report) -> None:
    done: list[str] = []
    report.attempt("first", fail)
    report.attempt("second", lambda: done.append("second"))
    assert done == ["second"]
    assert written(report) == [{"what": "first", "reason": "ValueError: it does not work"}]
    document = (report.folder / "README.md").read_text()
    assert "- first: ValueError: it does not work" in document


def test_when_the_time_is_over_steps_are_listed(report: Report) -> None:
    report.until = time.monotonic() - 1
    done: list[str] = []
    report.attempt("measure", lambda: done.append("measure"))
    report.attempt("draw", lambda: done.append("draw"), late=True)
    assert done == ["draw"]
    (told,) = written(report)
    assert told["what"] == "measure"
    assert "minutes of the run were over" in told["reason"]
