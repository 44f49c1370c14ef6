"""Traps on the host side: each a small program, fused and unfused on a device.

Every folder holds what differs from the library in common/. Its expect.toml says what the
trap is, the exact messages, and for each run of the program how many kernels it launches
unfused (`before`) and which it launches fused (`after`). Output must be equal to the bit.
"""

from __future__ import annotations

import io
import shutil
import tomllib
from contextlib import redirect_stderr
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from kfusion.cli import main
from kfusion.device.measure import RunResult, build, run_counted

TRAPS = Path(__file__).parent
COMMON = TRAPS / "common"
PROGRAMS = sorted(path.parent.name for path in TRAPS.glob("*/expect.toml"))


@dataclass(frozen=True)
class Expected:
    what: str
    messages: tuple[str, ...] = ()  # first lines: cuts, notes and errors
    status: int = 0  # exit status of kfusion
    runs: tuple[dict[str, Any], ...] = ()

    @staticmethod
    def of(name: str) -> Expected:
        values = tomllib.loads((TRAPS / name / "expect.toml").read_text())
        return Expected(
            values["what"],
            tuple(values.get("messages", ())),
            values.get("status", 0),
            tuple(values.get("run", ())),
        )


class Trap:
    """A program's sources in one folder, and what kfusion makes of them."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder, self.out = name, folder / "in", folder / "out"
        shutil.copytree(COMMON, self.folder)
        shutil.copytree(TRAPS / name, self.folder, dirs_exist_ok=True)

    def files(self, *suffixes: str) -> list[str]:
        names = sorted(p.name for p in self.folder.iterdir() if p.suffix in suffixes)
        return [name for name in names if name != "rig.c"]

    def fuse(self) -> tuple[object, tuple[str, ...]]:
        """kfusion's exit status and the first line of each of its messages."""
        files = [str(self.folder / name) for name in self.files(".c", ".cl")]
        said = io.TextIOWrapper(io.BytesIO(), write_through=True)
        with redirect_stderr(said), pytest.raises(SystemExit) as left:
            main([f"-I{self.folder}", *files, "-o", str(self.out)])
        said.seek(0)
        lines = said.read().replace(f"{self.folder}/", "").splitlines()
        kinds = (": cut[", ": note[", ": error[")
        found = tuple(line for line in lines if any(kind in line for kind in kinds))
        return left.value.code or 0, found

    @cached_property
    def programs(self) -> dict[str, Path]:
        return {kind: self._build(kind) for kind in ("in", "out")}

    def _build(self, kind: str) -> Path:
        folder = self.folder.parent / kind
        hosts = [folder / name for name in self.files(".c")]
        output = self.folder.parent / "programs" / kind
        flags = ("-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas")
        return build([*hosts, COMMON / "rig.c"], output, [folder, self.folder], flags=flags)

    def run(self, kind: str, arguments: list[str]) -> RunResult:
        (kernels,) = self.files(".cl")
        environment = {
            "KERNELS": str(self.folder.parent / kind / kernels),
            "KFUSION_TRACE": "1",
            "POCL_MAX_PTHREAD_COUNT": "2",
        }
        return run_counted([self.programs[kind], *arguments], environment)


@pytest.mark.parametrize("name", PROGRAMS)
def test_trap(name: str, tmp_path: Path) -> None:
    expected = Expected.of(name)
    trap = Trap(name, tmp_path)
    status, messages = trap.fuse()
    assert messages == expected.messages
    assert status == expected.status
    if status != 0:
        assert not trap.out.exists()
    for each in expected.runs:
        arguments = each.get("args", [])
        unfused, fused = trap.run("in", arguments), trap.run("out", arguments)
        assert unfused.returncode == 0, unfused.stderr
        assert fused.returncode == 0, fused.stderr
        assert unfused.stdout
        assert fused.stdout == unfused.stdout
        assert unfused.total == each["before"]
        assert fused.launches == each["after"], fused.stderr
