"""Targets by name, with numbers of their own."""

from __future__ import annotations

from dataclasses import replace

from kfusion.graph.target import TARGETS, targets_of


def test_one_target_has_all_numbers() -> None:
    given = ("march=32", "strip=0", "rows=8")
    (cpu,) = targets_of("cpu", given).each
    assert cpu == replace(TARGETS["cpu"], march=32, strip=0, rows=8)


def test_of_several_targets_each_has_the_numbers_that_it_knows() -> None:
    cpu, gpu = targets_of("auto", ("march=32", "strip=0", "rows=8")).each
    assert cpu == replace(TARGETS["cpu"], strip=0, rows=8)
    assert gpu == replace(TARGETS["gpu"], march=32, rows=8)
