"""The image case study over image2d_t: what fuses, the same bits as over buffers, and bytes."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from bench.programs import fused_by_hand
from casestudies.demo import IMAGE, TEXTURE
from casestudies.measure import RunResult, run_counted
from kfusion.device.oclgrind import oclgrind_races
from kfusion.device.opencl import build_program
from tests.casestudies.test_golden import GOLDEN, differences
from tests.casestudies.test_image import (
    BY_HAND,
    INCLUDES,
    LAUNCHES,
    REFERENCE,
    UNOPTIMIZED,
    WARNINGS,
    Programs,
)
from tests.support import called

APPLICATIONS = [name for name in LAUNCHES if name != "variants/mdd_in_place"]
Built = Callable[[str], Programs]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Built:
    @cache
    def programs_of(application: str) -> Programs:
        folder = tmp_path_factory.mktemp(Path(application).name)
        before = TEXTURE.sources(application)
        sources = {
            "buffers": IMAGE.sources(application),
            "unfused": before,
            "fused": TEXTURE.fuse(before, folder / "out"),
        }
        if application in BY_HAND:
            made = fused_by_hand(TEXTURE, application, before[2], folder / "by_hand")
            sources["by hand"] = made
        programs = {
            kind: TEXTURE.build(paths, folder / "programs" / kind, (), WARNINGS, [REFERENCE])
            for kind, paths in sources.items()
        }
        return Programs(sources, programs)

    return programs_of


def run(
    made: Programs, kind: str, folder: Path, size: int, **environment: str
) -> tuple[RunResult, bytes]:
    dump = folder / "dump"
    command = [str(made.programs[kind]), "-n", str(size), "-d", str(dump)]
    result = run_counted(command, {**made.environment(kind), **environment})
    assert result.returncode == 0, result.stderr
    return result, dump.read_bytes()


@pytest.mark.parametrize("application", APPLICATIONS)
def test_fewer_launches_leave_the_bits_that_buffers_have(
    programs: Built, application: str, tmp_path: Path
) -> None:
    made = programs(application)
    before, after = LAUNCHES[application]
    for size in (1, 37, 100):
        _, expected = run(made, "buffers", tmp_path, size)
        for kind in made.programs.keys() - {"buffers"}:
            result, found = run(made, kind, tmp_path, size)
            assert result.total == (before if kind == "unfused" else after)
            assert found == expected, (kind, size)
            assert "original kernels" not in result.stderr


@pytest.mark.parametrize("application", APPLICATIONS)
def test_pictures_of_bytes_are_rounded_by_each_call(
    programs: Built, application: str, tmp_path: Path
) -> None:
    """The generated functions see the format, and make the original calls."""
    made = programs(application)
    _, floats = run(made, "unfused", tmp_path, 37)
    unfused, expected = run(made, "unfused", tmp_path, 37, IMAGE_CHANNELS="8")
    for kind in made.programs.keys() - {"buffers", "unfused"}:
        fused, found = run(made, kind, tmp_path, 37, IMAGE_CHANNELS="8")
        assert found == expected != floats
        assert fused.launches == unfused.launches


@pytest.mark.parametrize("application", APPLICATIONS)
def test_no_races(programs: Built, application: str) -> None:
    """Oclgrind takes all that is read from images as uninitialised."""
    made = programs(application)
    for kind in made.programs.keys() - {"buffers", "unfused"}:
        command = [str(made.programs[kind]), "-n", "20"]
        found = oclgrind_races(
            command, made.environment(kind), build_options=UNOPTIMIZED, uninitialized=False
        )
        assert found == [], kind


@pytest.mark.parametrize("application", APPLICATIONS)
def test_kernels_are_verified(application: str) -> None:
    words = [*map(str, TEXTURE.sources(application)), *INCLUDES]
    done = called.compare_here(["verify", "--size", "37", *words], Path.cwd())
    assert done.returncode == 0, done.stderr
    before, after = LAUNCHES[application]
    assert f"kernels {before} -> {after}" in done.stdout
    assert "the same" in done.stdout


def kfusion(*arguments: str) -> subprocess.CompletedProcess[str]:
    return called.kfusion([*arguments, *INCLUDES], Path.cwd())


def test_no_result_is_a_source(tmp_path: Path) -> None:
    program = TEXTURE.build(TEXTURE.sources("variants/mdd_in_place"), tmp_path / "program")
    environment = TEXTURE.environment(TEXTURE.folder / "texture.cl")
    done = run_counted([program, "-n", "20"], environment)
    assert done.returncode == 1
    assert done.stderr.endswith(": the result is also a source\n")


def test_pictures_are_stored_unless_out_says_that_nobody_reads_them(tmp_path: Path) -> None:
    application, *library = TEXTURE.sources("ldd")
    quiet = tmp_path / "ldd.c"
    quiet.write_text(application.read_text().replace(", out(result)", ""))
    shared = [TEXTURE.apps / name for name in TEXTURE.shared]
    for path, stores in ((application, "global stores 5 -> 1"), (quiet, "global stores 5\n")):
        done = kfusion("--dry-run", "--explain-plan", *map(str, [path, *shared, *library]))
        assert f"kernels 5 -> 1, global loads 5 -> 1, {stores}" in done.stdout


def test_coordinates_of_the_listing_are_cut(programs: Built, tmp_path: Path) -> None:
    """At gid / size they read a neighbour for some sizes: fused, it would be another picture."""
    *hosts, kernels = TEXTURE.sources("ldd")
    listed = tmp_path / "texture.cl"
    listed.write_text(kernels.read_text())
    patch = (TEXTURE.folder / "reference" / "normalised.patch").read_text()
    subprocess.run(["patch", "-s", "-d", tmp_path, "-p1"], input=patch, text=True, check=True)
    done = kfusion(*map(str, (*hosts, listed)), "-o", str(tmp_path / "out"))
    assert done.returncode == 0
    cuts = [line for line in done.stderr.splitlines() if "cut[" in line]
    assert len(cuts) == 4
    assert cuts[0].endswith(
        "cut[KF233]: 'read_imagef(source, listed, coord)' in to_hsv() may read any texel of "
        "'larger.device', which resize() writes: the sampler has normalised coordinates"
    )
    made = programs("ldd")
    _, centred = run(made, "unfused", tmp_path, 100)
    result, found = run(made, "unfused", tmp_path, 100, IMAGE_CL=str(listed))
    assert result.total == 5
    assert found != centred


@pytest.mark.parametrize("application", ["ldd", "hdd"])
def test_generated_text_is_as_reviewed(programs: Built, application: str) -> None:
    made = programs(application)
    found = differences(made.sources["unfused"], made.sources["fused"][0].parent)
    golden = GOLDEN / f"texture_{application}.diff"
    if os.environ.get("KFUSION_UPDATE_GOLDEN"):
        golden.write_text(found)
    assert found == golden.read_text()


@pytest.mark.parametrize("application", APPLICATIONS)
def test_fused_kernels_compile_without_a_warning(programs: Built, application: str) -> None:
    text = programs(application).sources["fused"][2].read_text()
    assert build_program(text, all_warnings=True).warnings == ()
