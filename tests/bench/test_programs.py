"""Programs that take turns, and what is made of their results; no times are looked at."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench import code
from bench.fusers.arrays import Offsets, compute
from bench.patches import patched
from bench.peer import distance, job_of
from bench.programs import TURN, Builder, built_unfused, difference, run_alone, run_in_turns
from bench.studies import APPLICATIONS, SCALES, Application
from bench.traffic import moved, planned_region
from casestudies.demo import IMAGE, LINALG, POOL, Study
from kfusion.device.oclgrind import MeasureError
from kfusion.device.opencl import pocl_device

BUILT_ONCE = pytest.mark.xdist_group("programs of bench")


@pytest.fixture(scope="module")
def device() -> str:
    found = pocl_device()
    return f"{found.platform.name} {found.name}"


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Builder:
    return Builder(tmp_path_factory.mktemp("programs"))


@BUILT_ONCE
def test_programs_take_turns_and_compute_the_same(
    builder: Builder, tmp_path: Path, device: str
) -> None:
    programs = builder.build(LINALG, "pythagoras")
    runs = run_in_turns(programs, ["-n", 1000], 4, device, tmp_path / "run", warm_up=1)
    assert list(runs) == ["unfused", "fused", "by hand"]
    assert [sum(run.launches.values()) for run in runs.values()] == [4, 1, 1]
    assert all(len(run.ms) == 4 and min(run.ms) > 0 for run in runs.values())
    lines = (tmp_path / "run" / "fused.times").read_text().splitlines()
    # One turn warms up; of two others the first repetition is not counted.
    assert [int(line.split()[0]) for line in lines] == list(range(3 * TURN))
    for run in runs.values():
        assert difference(runs["unfused"].dump, run.dump, np.float32).same


@BUILT_ONCE
def test_a_program_sees_the_wanted_device_only(builder: Builder, device: str) -> None:
    fused = builder.build(LINALG, "pythagoras")["fused"]
    assert run_alone(fused, ["-n", 10], device) == ""
    with pytest.raises(MeasureError, match="no OpenCL device was found"):
        run_alone(fused, ["-n", 10], "no such device")


@BUILT_ONCE
def test_a_program_that_fails_ends_the_turns(builder: Builder, tmp_path: Path, device: str) -> None:
    programs = builder.build(LINALG, "pythagoras")
    with pytest.raises(MeasureError, match="exit status 1: usage"):
        run_in_turns(programs, ["-n", 0], 2, device, tmp_path / "run", warm_up=0)


def test_differences_are_counted_in_units_of_the_last_place(tmp_path: Path) -> None:
    here, there = tmp_path / "a", tmp_path / "b"
    values = np.array([1, 0.0, -1, 5], np.float32)
    values.tofile(here)
    others = values.copy()
    others[0] = np.nextafter(others[0], np.float32(2))
    others[1] = -0.0
    others[2] = np.nextafter(np.nextafter(others[2], np.float32(0)), np.float32(0))
    others.tofile(there)
    found = difference(here, there, np.float32)
    assert (found.differing, found.elements, found.ulps) == (3, 4, 2)
    assert difference(here, here, np.float32).same


@pytest.mark.parametrize("study", [LINALG, IMAGE, POOL], ids=lambda study: str(study.library))
def test_patches_are_applied_as_patch_does(study: Study, tmp_path: Path) -> None:
    patch = study.folder / "reference" / "apps.patch"
    for piece in patch.read_text().split("--- a/")[1:]:
        name, _, rest = piece.partition("\n")
        source = study.folder / name
        target = tmp_path / source.name
        command = ["patch", "-s", "-o", str(target), str(source)]
        subprocess.run(command, input=f"--- a/{piece}", text=True, check=True)
        assert patched(source.read_text(), rest.partition("\n")[2]) == target.read_text()


def test_a_patch_for_another_text_is_refused() -> None:
    hunks = "@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
    assert patched("one\ntwo\nthree\n", hunks) == "one\n2\nthree\n"
    with pytest.raises(ValueError, match="line 2 is not 'two"):
        patched("one\n2\nthree\n", hunks)


def test_lines_and_annotations_are_counted(tmp_path: Path) -> None:
    source = tmp_path / "app.c"
    source.write_text("// a comment\n\n#pragma kfuse(a)\n{ f(a); }\n  kfuse(b) {\n}\n/* kfuse */\n")
    assert code.lines([source, source]) == 8
    assert code.count([source], code.REGION) == 2
    assert code.count([source], code.OTHER) == 0
    source.write_text("kload {\n}\n#pragma sync in\n#pragma kstore(a)\nkloaded();\n")
    assert code.count([source], code.OTHER) == 3


def test_every_application_has_sizes_and_a_plan() -> None:
    labels = [application.label for application in APPLICATIONS]
    assert len(set(labels)) == len(labels)
    for application in APPLICATIONS:
        for scale in SCALES:
            assert application.peers_at(scale) in application.sizes.at(scale)


def test_traffic_is_told_by_the_plan() -> None:
    (pythagoras,) = (a for a in APPLICATIONS if a.label == "pythagoras")
    planned = planned_region(pythagoras, "any")
    assert planned is not None
    assert moved(planned, 1024) == (9 * 4096, 3 * 4096)  # a vector times itself is loaded once


def test_traffic_of_strips_has_what_two_of_them_load() -> None:
    jacobi = next(a for a in APPLICATIONS if a.label == "jacobi (2 steps)")
    planned = planned_region(jacobi, "cpu")
    assert planned is not None
    # Two rows or columns on either side of four seams and of one; but no corner where they cross.
    loaded = (260 + 4 * 4) * (260 + 4) - 4 * 4
    found = moved(planned, 260)
    assert found is not None
    assert found[1] == 4 * (loaded + 260**2)


@dataclass(frozen=True)
class NumPy:
    """The applications in array operations, computed by NumPy."""

    xp: Any = np

    def nearest(self, source: int, result: int) -> Any:
        return (2 * np.arange(result) + 1) * source // (2 * result)

    def around(self, picture: Any, offsets: Offsets) -> Sequence[Any]:
        return [self._moved(picture, each) for each in offsets]

    def _moved(self, picture: Any, offset: Sequence[int]) -> Any:
        for axis, by in enumerate(offset):
            picture = picture.take(np.arange(picture.shape[axis]) + by, axis, mode="clip")
        return picture

    def stack(self, planes: Sequence[Any]) -> Any:
        return np.stack(planes, axis=-1)


@pytest.mark.parametrize("application", [a for a in APPLICATIONS if a.peers], ids=lambda a: a.label)
def test_other_fusers_are_given_the_same_work(
    application: Application, tmp_path: Path, device: str
) -> None:
    program = built_unfused(
        application.study, application.name, tmp_path / "program", application.precision
    )
    sent = tmp_path / "sent"
    (run,) = run_in_turns(
        {"unfused": program}, ["-n", 60], 1, device, tmp_path / "run", warm_up=0, sent=sent
    ).values()
    job = job_of(
        {
            "application": application.label,
            "size": 60,
            "inputs": sorted(map(str, tmp_path.glob("sent*"))),
            "device": device,
            "repeats": 1,
        }
    )
    result = compute(NumPy(), job, job.inputs)
    _, far = distance(np.fromfile(run.dump, np.float32), result)
    assert far == 0


def test_results_of_others_are_near_or_not() -> None:
    expected = np.array([1, 100, 0], np.float32)
    assert distance(expected, expected) == ("the same bits", 0)
    assert distance(expected, expected + np.float32(5e-5)) == ("at most 5e-05 off", 0)
    text, far = distance(expected, np.array([1, 101, 0], np.float32))
    assert text == "at most 0 off, 1 further"
    assert far == pytest.approx(1 / 3)
    assert distance(expected, expected[:2]) == ("2 results instead of 3", 1)
