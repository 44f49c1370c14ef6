"""Golden files: kernels and calls, and the fused kernels that a reviewer has read.

In each folder of golden/: input.cl, calls (one per line; `out:` and `define:` first) and
expected.cl, which is what is added to input.cl. KFUSION_UPDATE_GOLDEN=1 rewrites them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from kfusion.api import Fused, fuse
from kfusion.device.opencl import build_program

GOLDEN = Path(__file__).parent / "golden"
CASES = sorted(folder.name for folder in GOLDEN.iterdir() if folder.is_dir())


@dataclass(frozen=True)
class Golden:
    source: str
    calls: list[str]
    out: list[str] | None
    defines: list[str]

    @staticmethod
    def read(name: str) -> Golden:
        calls: list[str] = []
        out: list[str] | None = None
        defines: list[str] = []
        for line in (GOLDEN / name / "calls").read_text().splitlines():
            key, _, rest = line.partition(":")
            if key == "out":
                out = rest.split()
            elif key == "define":
                defines += rest.split()
            elif line.strip():
                calls.append(line)
        return Golden((GOLDEN / name / "input.cl").read_text(), calls, out, defines)

    def fused(self) -> Fused:
        return fuse(self.source, self.calls, self.out, defines=self.defines)


@pytest.mark.parametrize("name", CASES)
def test_fused_kernels_are_as_reviewed(name: str) -> None:
    golden = Golden.read(name)
    fused = golden.fused()
    added = "\n\n".join(kernel.text for kernel in fused.fused) + "\n"
    assert fused.source.endswith("\n\n" + added)
    expected = GOLDEN / name / "expected.cl"
    if os.environ.get("KFUSION_UPDATE_GOLDEN"):
        expected.write_text(added)
    assert added == expected.read_text()


@pytest.mark.parametrize("name", CASES)
def test_fused_kernels_build_without_new_warnings_and_are_there(name: str) -> None:
    golden = Golden.read(name)
    options = [f"-D{define}" for define in golden.defines]
    if "REAL" in golden.source and not golden.defines:
        options.append("-DREAL=float")
    fused = golden.fused()
    lines = fused.source[: fused.source.index(fused.fused[0].text)].count("\n")
    built = build_program(fused.source, options, all_warnings=True)
    warned = [int(warning.split(":")[2]) for warning in built.warnings]
    assert [line for line in warned if line > lines] == []
    known = {kernel.function_name for kernel in built.program.all_kernels()}
    assert {launch.name for launch in fused.kernels} <= known
