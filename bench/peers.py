"""Today's fusers on the same work: each in a process of its own, on the data of the programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.report import Report


def measure(report: Report) -> None:
    report.results["peers"] = []
