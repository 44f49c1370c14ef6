"""The generated text of the case study, as files that a reviewer can read.

Each golden file is the difference between inputs and outputs: it shows what is added,
and that nothing else changes. After a deliberate change run
`KFUSION_UPDATE_GOLDEN=1 pytest tests/casestudies/test_golden.py` and read the difference.
"""

from __future__ import annotations

import difflib
import os
import re
from pathlib import Path

import pytest

from casestudies.demo import LINALG
from kfusion.device.opencl import build_program
from kfusion.source.lexer import tokenize

GOLDEN = Path(__file__).parent / "golden"
APPLICATIONS = ("pythagoras", "distance", "cg_steps", "cg", "variants/pythagoras_intermediate")
REFERENCE = LINALG.folder / "reference"
BY_HAND = {"pythagoras": "fused_hypot", "distance": "fused_distance", "cg_steps": "fused_cg_steps"}


def differences(inputs: list[Path], out: Path) -> str:
    """A unified difference of all files, and the header's patterns, without the run time."""
    pieces: list[str] = []
    for path in inputs:
        before = path.read_text().splitlines(keepends=True)
        after = (out / path.name).read_text().splitlines(keepends=True)
        pieces += difflib.unified_diff(before, after, path.name, f"out/{path.name}", n=2)
    header = (out / "kfusion_fused.h").read_text()
    patterns = header.split("/* ==== The patterns of this program", 1)[1].split("\n", 1)[1]
    patterns = patterns.split("/* ==== Redirecting", 1)[0]
    return "".join(pieces) + "--- kfusion_fused.h (its patterns)\n" + patterns


@pytest.mark.parametrize("application", APPLICATIONS)
def test_generated_text_is_as_reviewed(application: str, tmp_path: Path) -> None:
    LINALG.fuse(LINALG.sources(application), tmp_path)
    found = differences(LINALG.sources(application), tmp_path)
    golden = GOLDEN / f"{Path(application).name}.diff"
    if os.environ.get("KFUSION_UPDATE_GOLDEN"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(found)
    assert found == golden.read_text()


def code_lines(text: str) -> int:
    """Lines that hold code: no blank lines, no comments."""
    return len({text.count("\n", 0, token.start) for token in tokenize(text)})


def definition(text: str, name: str) -> str:
    """A function or kernel, from the start of its line to its closing brace."""
    match = re.search(
        rf"^[^\n;]*\b{name}\([^;]*?\)\s*\n?\{{.*?^\}}", text, re.DOTALL | re.MULTILINE
    )
    assert match is not None, name
    return match.group()


@pytest.mark.parametrize("application", BY_HAND)
def test_generated_kernels_are_hardly_longer_than_by_hand(application: str, tmp_path: Path) -> None:
    LINALG.fuse(LINALG.sources(application), tmp_path)
    before = (LINALG.folder / "linalg.cl").read_text()
    added = (tmp_path / "linalg.cl").read_text()
    assert added.startswith(before)
    added = added[len(before) :]
    by_hand = definition((REFERENCE / "fused_by_hand.cl").read_text(), BY_HAND[application])
    assert 0 < code_lines(added) <= 1.3 * code_lines(by_hand)


@pytest.mark.parametrize("application", APPLICATIONS)
def test_fused_kernels_compile_without_a_warning(application: str, tmp_path: Path) -> None:
    LINALG.fuse(LINALG.sources(application), tmp_path)
    text = (tmp_path / "linalg.cl").read_text()
    built = build_program(text, ["-DREAL=float"], all_warnings=True)
    assert built.warnings == ()
