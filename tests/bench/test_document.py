"""The tables, made of stored results."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from bench.document import markdown
from bench.figures import draw
from bench.tables import SAME_SHAPE, predicted, roofline_points, speed_up, table

FOLDER = Path(__file__).parent


@pytest.fixture
def results() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / "results.json").read_text())
    return found


def test_the_document_is_as_reviewed(results: dict[str, Any]) -> None:
    golden = FOLDER / "README.golden.md"
    if os.environ.get("KFUSION_UPDATE_GOLDEN"):
        golden.write_text(markdown(results))
    assert markdown(results) == golden.read_text()


def test_a_run_that_has_just_begun_has_a_document(results: dict[str, Any]) -> None:
    empty: dict[str, Any] = {"copies": {}, "code": [], "applications": [], "programs": []}
    text = markdown(results | empty | {"peers": [], "differences": [], "failed": []})
    assert text.startswith("# Measured on Some GPU\n")
    assert "|" not in text


def test_ratios_are_of_medians_and_of_bytes(results: dict[str, Any]) -> None:
    ratios = [
        (speed_up(row), speed_up(row, "by hand"), predicted(row)) for row in results["applications"]
    ]
    assert ratios == [(4, 3, 3), (pytest.approx(0.95), None, None)]


def test_what_is_attainable_is_what_the_best_copy_allows(results: dict[str, Any]) -> None:
    assert roofline_points(results)[:2] == [
        ("pythagoras", "unfused", 6 / 36, 4200 * 6 / 36, 500),
        ("pythagoras", "fused", 6 / 12, 4200 * 6 / 12, 2000),
    ]


def test_other_fusers_may_be_all_that_was_measured(results: dict[str, Any], tmp_path: Path) -> None:
    alone = results | {"applications": [], "programs": []}
    assert any("ms" in row for row in alone["peers"])
    draw(alone, tmp_path)
    assert list(tmp_path.iterdir()) == []
    text = markdown(alone)
    assert "## Today's fusers on the same work" in text
    assert "peers.svg" not in text


def test_a_table_has_a_line_under_its_head() -> None:
    assert table(("a", "b"), [("1", "2")]) == ["| a | b |", "| --- | --- |", "| 1 | 2 |"]


def test_shape_and_fusion_are_told_apart(results: dict[str, Any]) -> None:
    row = results["applications"][0]
    row["ms"][SAME_SHAPE] = row["ms"]["unfused"] / 2.5
    lines = markdown(results).splitlines()
    told = [line for line in lines if line.endswith("same shape, one launch per stage |")]
    assert len(told) == 1
    assert lines[lines.index(told[0]) + 3].endswith("| 2.50 |")
