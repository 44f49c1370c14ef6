"""Kernels that take too long to read."""

from __future__ import annotations

from pathlib import Path

import pytest

from kfusion.api import fuse
from kfusion.cli import main
from kfusion.graph.bind import Stage
from kfusion.graph.legality import legal_pair
from kfusion.graph.model import Invocation, LaunchRange, Memory
from kfusion.kernel.read import read_kernels
from kfusion.notation import Agreement
from tests.support.kernel_side import ELEMENTWISE, unit_of

PROGRAM = Path(__file__).resolve().parent.parent / "cli" / "program"


def test_kernel_that_is_not_read_in_time_stays_as_it_is() -> None:
    """Even beside one that shares no memory with it."""
    calls = ["square(c, a)", "twice(b)"]
    assert len(fuse(ELEMENTWISE, calls, ["b", "c"]).plan.groups) == 1
    unit = unit_of(ELEMENTWISE)
    square, twice = (read_kernels(unit, patience=0)[name] for name in ("square", "twice"))
    range_ = LaunchRange(1, "all")
    c, a, b = (Memory(name, name) for name in "cab")
    first = Stage(Invocation(0, square, (c, a), range_, "square(c, a)"))
    second = Stage(Invocation(1, twice, (b,), range_, "twice(b)"))
    assert legal_pair(first, second, Agreement()) is None


def test_reason_says_how_long_the_text_is() -> None:
    made = fuse(ELEMENTWISE, ["square(c, a)", "twice(b)"], ["b", "c"], patience=0)
    assert {(d.code, d.message) for d in made.diagnostics} == {
        ("KF117", "square() has more text than can be read in time: '25 tokens'"),
        ("KF117", "twice() has more text than can be read in time: '17 tokens'"),
        ("KF401", "nothing was fused"),
    }


def test_kernel_that_is_not_read_may_touch_all_that_it_is_given() -> None:
    made = fuse(ELEMENTWISE, ["square(c, a)", "twice(c)"], ["c"], patience=0)
    assert [group.stored for group in made.plan.groups] == [{"a", "c"}, {"c"}]


def test_command_is_told_how_long_to_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(PROGRAM / name) for name in ("app.c", "vec.c", "vec.cl")]
    for patience, strict in (("0", 1), ("60", None)):
        with pytest.raises(SystemExit) as left:
            main([*files, "-o", str(tmp_path / patience), "--patience", patience, "--strict"])
        assert left.value.code == strict
        assert ("[KF117]" in capsys.readouterr().err) == bool(strict)
