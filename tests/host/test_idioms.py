"""Small libraries, each written in one idiom of host code, unfused and fused on a device.

Every folder of idioms/ is a program. Its expect.toml says how many kernels it launches
before and after fusion, and, where something must not be fused, the exact message.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from kfusion.device.measure import RunResult, build, run_counted
from kfusion.device.opencl import build_program

IDIOMS = Path(__file__).parent / "idioms"
COMMON = IDIOMS / "common"
PROGRAMS = sorted(path.parent.name for path in IDIOMS.glob("*/expect.toml"))
WARNINGS = ("-Wall", "-Wextra", "-fsyntax-only")


@dataclass(frozen=True)
class Expected:
    before: int  # launches
    after: int
    cuts: tuple[str, ...] = ()
    options: str = ""  # of clBuildProgram
    says: tuple[str, ...] = ()  # parts of generated lines


@dataclass(frozen=True)
class Program:
    """The sources of a program, as written or as fused."""

    folder: Path
    name: str

    def files(self, suffix: str) -> list[Path]:
        return sorted((IDIOMS / self.name).glob(f"*{suffix}"))

    @property
    def hosts(self) -> list[Path]:
        return [self.folder / path.name for path in self.files(".c")]

    @property
    def kernels(self) -> Path:
        (path,) = self.files(".cl")
        return self.folder / path.name

    @property
    def include_dirs(self) -> list[Path]:
        return [self.folder, IDIOMS / self.name, COMMON]

    def run(self, scratch: Path) -> RunResult:
        program = build([*self.hosts, COMMON / "rig.c"], scratch, self.include_dirs, flags=("-O1",))
        return run_counted([program], {"KERNELS": str(self.kernels), "KFUSION_TRACE": "1"})

    def host_warnings(self) -> set[str]:
        """What the C compiler says, without the line numbers that fusion shifts."""
        command = ["cc", *WARNINGS, *(f"-I{folder}" for folder in self.include_dirs)]
        done = subprocess.run(
            [*command, *map(str, self.hosts)], capture_output=True, text=True, check=False
        )
        return {line.split(":", 3)[-1] for line in done.stderr.splitlines() if "warning:" in line}

    def new_lines(self) -> list[str]:
        """Lines of the generated files that the originals do not have."""
        new: list[str] = []
        for path in sorted(self.folder.iterdir()):
            original = IDIOMS / self.name / path.name
            known = set(original.read_text().splitlines()) if original.exists() else set()
            lines = path.read_text().splitlines()
            new += [line.expandtabs(8) for line in lines if line not in known]
        return new

    def kernel_warnings(self, options: str) -> set[str]:
        built = build_program(self.kernels.read_text(), options.split(), all_warnings=True)
        return {line.split(":", 4)[-1] for line in built.warnings}


def expected(name: str) -> Expected:
    values = tomllib.loads((IDIOMS / name / "expect.toml").read_text())
    before, after = values["launches"]
    return Expected(
        before,
        after,
        tuple(values.get("cuts", ())),
        values.get("options", ""),
        tuple(values.get("says", ())),
    )


def kfusion(arguments: Iterable[str | Path], cwd: Path) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parents[2]
    return subprocess.run(
        [sys.executable, "-m", "kfusion", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )


def cuts(stderr: str) -> tuple[str, ...]:
    return tuple(line for line in stderr.splitlines() if ": cut[" in line)


@pytest.mark.parametrize("name", PROGRAMS)
def test_idiom(name: str, tmp_path: Path) -> None:
    expect = expected(name)
    original = Program(IDIOMS / name, name)
    fused = Program(tmp_path / "out", name)
    files = [*original.files(".c"), *original.files(".cl")]
    done = kfusion(["-I", COMMON, *(f.name for f in files), "-o", fused.folder], original.folder)
    assert done.returncode == 0, done.stderr
    assert cuts(done.stderr) == expect.cuts

    unfused_run = original.run(tmp_path / "unfused")
    assert unfused_run.returncode == 0, unfused_run.stderr
    assert unfused_run.total == expect.before
    fused_run = fused.run(tmp_path / "fused")
    assert fused_run.returncode == 0, fused_run.stderr
    assert fused_run.stdout == unfused_run.stdout
    assert fused_run.total == expect.after, (fused_run.launches, fused_run.stderr, done.stderr)

    assert fused.host_warnings() <= original.host_warnings()
    assert fused.kernel_warnings(expect.options) <= original.kernel_warnings(expect.options)
    assert fused.new_lines() == [line for line in fused.new_lines() if len(line) <= 100]
    assert ";" not in {line.strip() for line in fused.new_lines()}
    new = "\n".join(fused.new_lines())
    assert [text for text in expect.says if text not in new] == []
