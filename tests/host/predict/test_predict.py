"""Which launches are predicted for a region, whatever C it is written in.

Each program stands in `predicted_programs.py`, with the kernels that its region launches on
the default path, and the other rows of launches that other paths make.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from kfusion.host.predict import Prediction, Predictions, predictions
from kfusion.host.program import HostProgram
from kfusion.host.region import Region, read_regions
from kfusion.host.runs import Runs
from kfusion.kernel.read import read_kernels
from kfusion.parse.compiler import Preprocessor
from kfusion.parse.files import parse_sources
from kfusion.parse.sources import read_sources
from kfusion.paths import fake_libc_dir
from tests.host.predict.predicted_programs import KERNELS, PRELUDE, PROGRAMS, Program


def read(paths: Iterable[Path], include_dirs: Iterable[Path]) -> list[Predictions]:
    """The predictions for each region of a program."""
    how = Preprocessor(include_dirs=tuple(include_dirs), system_dirs=(fake_libc_dir(),))
    inputs = parse_sources(read_sources(paths, how))
    program = HostProgram(inputs.hosts)
    kernels = {name: k for unit in inputs.kernels for name, k in read_kernels(unit).items()}
    found = [r for unit in inputs.applications for r in read_regions(unit, set())]
    regions = [region for region in found if isinstance(region, Region)]
    runs = Runs(program, {region.block: region.function for region in regions})
    return [predictions(region, program, kernels, runs) for region in regions]


def predicted(files: dict[str, str], folder: Path) -> Predictions:
    """The predictions for the only region of a program."""
    for name, text in files.items():
        (folder / name).write_text(text)
    paths = [folder / name for name in files if not name.endswith(".h")]
    (found,) = read(paths, [folder])
    return found


def of_text(text: str, folder: Path) -> Predictions:
    return predicted({"app.c": PRELUDE + text, "k.cl": KERNELS}, folder)


def rows(path: Prediction) -> str:
    """`square(y x) | add(z x y)`: launches in rows, with the names of their memory."""
    return " | ".join(
        " ".join(
            f"{launch.invocation.kernel.name}({' '.join(str(m) for m in launch.invocation.memory)})"
            for launch in row
        )
        for row in path.segments
    )


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name.replace(" ", "_"))
def test_launches_are_predicted(program: Program, tmp_path: Path) -> None:
    files = {"app.c": PRELUDE + program.text, "k.cl": KERNELS}
    files |= {
        name: text if name.endswith(".h") else PRELUDE + text
        for name, text in program.files.items()
    }
    found = predicted(files, tmp_path)
    assert rows(found.likely[0]) == program.launches
    assert {rows(path) for path in found.likely[1:]} >= set(program.others)
    assert found.likely[0].exact == (program.doubt is None), found.likely[0].doubts
    if program.doubt is not None:
        assert any(program.doubt in doubt for doubt in found.likely[0].doubts)
