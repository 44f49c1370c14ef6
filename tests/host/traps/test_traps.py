"""Traps of host code, beyond those that DESIGN.md counts (tests/traps): small programs, fused
and unfused on a device.

Every folder holds what differs from the library in tests/traps/common. Its expect.toml says
what the trap is, the exact messages, and for each run of the program how many kernels it
launches unfused (`before`) and which it launches fused (`after`). Output must be equal to the
bit.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.support.trap_programs import Program

TRAPS = Path(__file__).parent
PROGRAMS = sorted(path.parent.name for path in TRAPS.glob("*/expect.toml"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_trap(name: str, tmp_path: Path) -> None:
    expected = tomllib.loads((TRAPS / name / "expect.toml").read_text())
    program = Program([TRAPS / name], tmp_path)
    said = program.fuse()
    assert said.first_lines == tuple(expected.get("messages", ()))
    assert said.status == expected.get("status", 0)
    for each in expected.get("run", ()):
        arguments = each.get("args", [])
        unfused, fused = program.run("in", arguments), program.run("out", arguments)
        assert unfused.returncode == 0, unfused.stderr
        assert fused.returncode == 0, fused.stderr
        assert unfused.stdout
        assert fused.stdout == unfused.stdout
        assert unfused.total == each["before"]
        assert fused.launches == each["after"], fused.stderr
