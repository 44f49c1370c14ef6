"""KFUSION=check finds a fused kernel that was made wrong on purpose, in a whole application."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from casestudies.demo import LINALG

DIFFERENT = re.compile(r"DIFFERENT: argument 0 of vector_sqrt, byte (\d+) of 400: ")


@pytest.fixture(scope="module")
def pythagoras(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The fused program, and its kernels."""
    folder = tmp_path_factory.mktemp("checked")
    sources = LINALG.fuse(LINALG.sources("pythagoras"), folder / "out")
    return LINALG.build(sources, folder / "program"), sources[2]


def checked(program: Path, kernels: Path) -> list[str]:
    command = [str(program), "-n", "100", "-r", "1"]
    environment = {**os.environ, **LINALG.environment(kernels), "KFUSION": "check"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return [line for line in run.stderr.splitlines() if line.startswith("kfusion: ")]


def test_the_kernel_that_was_made_is_right(pythagoras: tuple[Path, Path]) -> None:
    region = "kfusion: pythagoras.c:24 (pythagoras): check of pythagoras"
    assert checked(*pythagoras) == [f"{region}: the same"]


def test_a_wrong_element_is_told_with_its_region_and_object(
    pythagoras: tuple[Path, Path], tmp_path: Path
) -> None:
    program, kernels = pythagoras
    right, wrong = "c[i] = sqrt(c2_i);", "c[i] = sqrt(c2_i) + (i < 37 ? 0 : 1);"
    assert kernels.read_text().count(right) == 1
    (tmp_path / "linalg.cl").write_text(kernels.read_text().replace(right, wrong))
    (line,) = checked(program, tmp_path / "linalg.cl")
    assert line.startswith("kfusion: pythagoras.c:24 (pythagoras): check of pythagoras: ")
    found = DIFFERENT.search(line)
    assert found is not None, line
    assert int(found[1]) // 4 == 37
