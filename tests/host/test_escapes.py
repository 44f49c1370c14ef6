"""Handles, pointers and sizes that go ways of their own: results must not change.

Each program keeps, in a way that is easy to overlook, a handle of an object that looks
local, changes an argument through another pointer, or narrows a size on its way.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from casestudies.demo import only_pocl
from kfusion.device.measure import build, run_counted

ESCAPES = Path(__file__).parent / "escapes"
FILES = ("app.c", "base.c", "k.cl")


def run(folder: Path, headers: Path, output: Path) -> str:
    program = build(
        [folder / "app.c", folder / "base.c"],
        output,
        [headers],
        [f'CLFILE="{folder / "k.cl"}"', "CL_TARGET_OPENCL_VERSION=120"],
        ("-O1", "-w"),
    )
    done = run_counted([str(program)], only_pocl())
    assert done.returncode == 0
    return done.stdout


@pytest.mark.parametrize("name", sorted(p.name for p in ESCAPES.iterdir()))
def test_results_are_those_of_the_original(name: str, tmp_path: Path) -> None:
    folder, out = ESCAPES / name, tmp_path / "out"
    command = [sys.executable, "-m", "kfusion", "-q", *FILES, "-o", str(out)]
    subprocess.run(command, cwd=folder, check=True)
    expected = run(folder, folder, tmp_path / "unfused")
    assert expected.strip()
    assert run(out, folder, tmp_path / "fused") == expected
