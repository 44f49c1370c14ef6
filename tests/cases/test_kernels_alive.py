"""Trap 25: fused kernels are made again when the program changes, and all are released."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.support.case_format import Run, case_named
from tests.support.case_program import FUSED, UNFUSED, Program

COUNTER = Path(__file__).with_name("alive.c")


def alive(program: Program, kind: str) -> tuple[int, ...]:
    """How many kernels were made, and how many kernels and programs are left at the end."""
    counter = program.scratch / "alive.so"
    command = ["cc", "-shared", "-fPIC", str(COUNTER), "-o", str(counter), "-ldl"]
    subprocess.run(command, check=True)
    program.build(kind)
    run = Run(0, 0)
    done = subprocess.run(
        program.command(kind, run),
        env={**os.environ, **program.environment(kind, run), "LD_PRELOAD": str(counter)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    return tuple(map(int, re.findall(r"\d+", done.stderr.splitlines()[-1])))


@pytest.mark.parametrize(
    "name",
    [
        "the library is shut down and started again, with a new program",
        "two contexts are used in turn",
    ],
)
def test_all_kernels_are_released(name: str, tmp_path: Path) -> None:
    program = Program(case_named("traps/25_contexts.toml", name), tmp_path)
    assert program.fused[0] == 0
    made, *left = alive(program, UNFUSED)
    made_fused, *left_fused = alive(program, FUSED)
    assert made_fused > made  # or nothing was fused
    assert left == left_fused == [0, 0]
