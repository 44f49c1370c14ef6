"""Trap 25: fused kernels are made again when the program changes, and all are released."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.trap_programs import TRAPS, Program
from tests.traps.test_traps import program_of


def alive(trap: Program, kind: str, scratch: Path) -> str:
    """What the preloaded counter says at the end of a run."""
    counter = scratch / "alive.so"
    command = ["cc", "-shared", "-fPIC", str(TRAPS / "alive.c"), "-o", str(counter), "-ldl"]
    subprocess.run(command, check=True)
    done = subprocess.run(
        [trap.programs[kind]],
        env={**os.environ, **trap.environment(kind), "LD_PRELOAD": str(counter)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("name", "unfused", "fused"),
    [
        # one fused kernel for each of three programs
        (
            "25_initialised_again",
            "kernels made 15, left 0, programs left 0",
            "kernels made 18, left 0, programs left 0",
        ),
        # remade at each of four turns
        (
            "25_two_contexts",
            "kernels made 4, left 0, programs left 0",
            "kernels made 8, left 0, programs left 0",
        ),
    ],
)
def test_all_kernels_are_released(name: str, unfused: str, fused: str, tmp_path: Path) -> None:
    trap = program_of(name, tmp_path)
    assert trap.fuse().status == 0
    assert alive(trap, "in", tmp_path) == unfused
    assert alive(trap, "out", tmp_path) == fused
