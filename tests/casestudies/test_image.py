"""The image case study, fused, unfused and by hand, on PoCL and on Oclgrind."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from casestudies.demo import IMAGE
from casestudies.measure import RunResult, oclgrind_bytes
from kfusion.device.oclgrind import oclgrind_races
from kfusion.device.opencl import build_program
from tests.casestudies.test_golden import GOLDEN, code_lines, definition, differences
from tests.support import called

REFERENCE = IMAGE.folder / "reference"
INCLUDES = [f"-I{folder}" for folder in IMAGE.include_dirs]
WARNINGS = ("-std=c99", "-O0", "-Wall", "-Wextra", "-pedantic", "-Werror", "-Wno-unknown-pragmas")

LAUNCHES = {
    "ldd": (5, 1),
    "mdd": (5, 1),
    "hdd": (5, 1),
    "hddlf": (3, 1),
    "variants/mdd_in_place": (5, 2),
    "variants/filters": (10, 3),
}
# What each application is by hand, and the functions that its kernel calls there.
BY_HAND = {
    "ldd": ("fused_recolour", ()),
    "mdd": ("fused_mix", ("sum_of_9", "combined")),
    "hdd": ("fused_grey_difference", ("sum_of_9", "grey_of", "combined")),
    "hddlf": ("fused_difference", ("sum_of_9", "combined")),
}
PIXEL = 16  # bytes of a float4

# With its compiler's optimizations Oclgrind 21.10 crashes in shuffles of float3.
UNOPTIMIZED = "-cl-opt-disable"

Pixels = npt.NDArray[np.float32]


def by_hand(application: str, folder: Path) -> list[Path]:
    """The sources with the fusions of `reference/`, made as the README says."""
    shutil.copytree(IMAGE.apps, folder / "apps")
    patch = (REFERENCE / "apps.patch").read_text()
    subprocess.run(["patch", "-s", "-d", folder, "-p1"], input=patch, text=True, check=True)
    for path in IMAGE.sources(application)[1:]:
        added = REFERENCE / f"fused_by_hand{path.suffix}"
        (folder / path.name).write_text(path.read_text() + added.read_text())
    return [folder / "apps" / f"{application}.c", folder / "image.c", folder / "image.cl"]


@dataclass(frozen=True)
class Programs:
    """An application, built in two or three ways."""

    sources: dict[str, list[Path]]
    programs: dict[str, Path]

    def environment(self, kind: str) -> dict[str, str]:
        return {**IMAGE.environment(self.sources[kind][2])}

    def run(self, kind: str, folder: Path, *arguments: object) -> tuple[RunResult, bytes]:
        dump = folder / "dump"
        kernels = self.sources[kind][2]
        result = IMAGE.run(self.programs[kind], kernels, *arguments, "-d", dump)
        return result, dump.read_bytes()


def built(application: str, folder: Path) -> Programs:
    before = IMAGE.sources(application)
    sources = {"unfused": before, "fused": IMAGE.fuse(before, folder / "out")}
    if application in BY_HAND:
        sources["by hand"] = by_hand(application, folder / "by_hand")
    programs = {
        kind: IMAGE.build(paths, folder / "programs" / kind, (), WARNINGS, [REFERENCE])
        for kind, paths in sources.items()
    }
    return Programs(sources, programs)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Programs]:
    @cache
    def programs_of(application: str) -> Programs:
        return built(application, tmp_path_factory.mktemp(Path(application).name))

    return programs_of


Built = Callable[[str], Programs]


# ---- Launches and bits ----


@pytest.mark.parametrize("application", LAUNCHES)
def test_fewer_launches_leave_the_same_bits(
    programs: Built, application: str, tmp_path: Path
) -> None:
    made = programs(application)
    before, after = LAUNCHES[application]
    for size in (1, 37, 100):
        unfused, expected = made.run("unfused", tmp_path, "-n", size)
        assert unfused.total == before
        assert len(expected) >= PIXEL
        for kind in made.programs.keys() - {"unfused"}:
            result, found = made.run(kind, tmp_path, "-n", size)
            assert result.total == (after if kind == "fused" else 1)
            assert found == expected, (kind, size)
            assert "original kernels" not in result.stderr


def test_every_repetition_is_fused(programs: Built, tmp_path: Path) -> None:
    result, _ = programs("ldd").run("fused", tmp_path, "-n", 20, "-r", 3)
    assert result.total == 3
    assert result.stdout.startswith("time_ms: ")


def test_what_is_in_place_is_cut_with_the_reason() -> None:
    words = [*map(str, IMAGE.sources("variants/mdd_in_place")), *INCLUDES]
    done = called.kfusion(["--dry-run", "--explain-plan", *words], Path.cwd())
    assert done.returncode == 0, done.stderr
    assert "kernels 5 -> 2" in done.stdout
    (cut,) = (line for line in done.stdout.splitlines() if "[KF" in line)
    assert "[KF201]" in cut
    assert "in binary() writes elements of 'first.device' that other items of convolve_3()" in cut


@pytest.mark.parametrize("application", BY_HAND)
def test_kernels_are_verified(application: str) -> None:
    words = [*map(str, IMAGE.sources(application)), *INCLUDES]
    done = called.compare_here(["verify", "--size", "37", *words], Path.cwd())
    assert done.returncode == 0, done.stderr
    before, after = LAUNCHES[application]
    assert f"kernels {before} -> {after}" in done.stdout
    assert "the same" in done.stdout


# ---- Memory ----


@pytest.mark.parametrize("application", LAUNCHES)
def test_no_races_and_nothing_uninitialized(programs: Built, application: str) -> None:
    made = programs(application)
    for kind in made.programs.keys() - {"unfused"}:
        command = [str(made.programs[kind]), "-n", "20"]
        found = oclgrind_races(command, made.environment(kind), build_options=UNOPTIMIZED)
        assert found == [], kind


# Pixels loaded and stored for each pixel of the result: a convolution loads its nine,
# and the one in the middle again for the alpha.
@pytest.mark.parametrize(
    ("application", "before", "after"),
    [("ldd", (5, 5), (1, 1)), ("mdd", (15, 5), (11, 1)), ("hddlf", (22, 3), (20, 1))],
)
def test_only_what_is_given_is_loaded_and_only_the_result_stored(
    programs: Built, application: str, before: tuple[int, int], after: tuple[int, int]
) -> None:
    made = programs(application)
    pixels = 44 * 44 if application == "ldd" else 40 * 40
    copies = () if application == "ldd" else ("async_work_group_copy",)  # of weights
    for kind, program in made.programs.items():
        moved = oclgrind_bytes(
            [program, "-n", "40"], made.environment(kind), build_options=UNOPTIMIZED
        )
        expected = before if kind == "unfused" else after
        assert (moved.loaded, moved.stored) == tuple(n * pixels * PIXEL for n in expected), kind
        assert moved.uncounted == (() if kind == "by hand" else copies)


# ---- Pictures ----


def png(pixels: npt.NDArray[np.uint8]) -> bytes:
    """A file of 8-bit red, green, blue and alpha."""
    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    pieces = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*piece) for piece in pieces)


def values(pixels: npt.NDArray[np.uint8]) -> Pixels:
    return np.asarray(pixels / 255, np.float32)


def convolved(pixels: Pixels, weights: list[list[float]]) -> Pixels:
    height, width, _ = pixels.shape
    around = np.pad(pixels, ((1, 1), (1, 1), (0, 0)), "edge")
    result = pixels.copy()
    result[..., :3] = 0
    for j, row in enumerate(weights):
        for i, weight in enumerate(row):
            result[..., :3] += weight * around[j : j + height, i : i + width, :3]
    result[..., :3] = result[..., :3].clip(0, 1)
    return result


def difference(first: Pixels, second: Pixels) -> Pixels:
    """What hddlf computes."""
    blurred = convolved(
        first, [[1 / 16, 1 / 8, 1 / 16], [1 / 8, 1 / 4, 1 / 8], [1 / 16, 1 / 8, 1 / 16]]
    )
    sharpened = convolved(second, [[0, -1, 0], [-1, 5, -1], [0, -1, 0]])
    blurred[..., :3] = (blurred[..., :3] - sharpened[..., :3]).clip(0, 1)
    return blurred


def test_png_files_go_in_and_out(programs: Built, tmp_path: Path) -> None:
    made = programs("hddlf")
    random = np.random.default_rng(1)
    first, second = (random.integers(0, 256, (30, 45, 4), np.uint8) for _ in range(2))
    files = [tmp_path / name for name in ("first.png", "second.png", "result.png")]
    files[0].write_bytes(png(first))
    files[1].write_bytes(png(second))
    written = set()
    for kind in made.programs:
        given = ("-i", files[0], "-j", files[1], "-o", files[2])
        _, found = made.run(kind, tmp_path, *given)
        result = np.frombuffer(found, np.float32).reshape(first.shape)
        expected = difference(values(first), values(second))
        assert np.abs(result - expected).max() < 1e-5

        # The file that was written, read by another run.
        _, found = made.run(kind, tmp_path, "-i", files[2], "-j", files[1])
        again = np.frombuffer(found, np.float32).reshape(first.shape)
        in_bytes = np.floor(result * 255 + np.float32(0.5)).astype(np.uint8)
        assert np.abs(again - difference(values(in_bytes), values(second))).max() < 1e-5
        written.add(files[2].read_bytes())
    assert len(written) == 1


@pytest.mark.parametrize(("library", "longest"), [("image", 32768), ("texture", 8192)])
def test_a_resized_picture_has_the_nearest_pixels(
    library: str, longest: int, tmp_path: Path
) -> None:
    sources = [Path(__file__).with_name("resize.c"), IMAGE.folder / f"{library}.c"]
    program = tmp_path / "resize"
    flags = (*WARNINGS, f"-I{IMAGE.folder}", "-o", program)
    subprocess.run(["cc", *flags, *sources, "-lOpenCL", "-lm"], check=True)
    environment = {**os.environ, "IMAGE_CL": str(IMAGE.folder / f"{library}.cl")}
    done = subprocess.run(
        [program, str(longest)], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "done\n"


def test_pictures_of_two_sizes_are_refused_either_way(programs: Built, tmp_path: Path) -> None:
    made = programs("mdd")
    small = tmp_path / "small.png"
    small.write_bytes(png(np.zeros((9, 8, 4), np.uint8)))
    for kind, program in made.programs.items():
        done = subprocess.run(
            [program, "-n", "16", "-j", small],
            env={**os.environ, **made.environment(kind)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1
        assert "the sizes of the pictures do not fit together" in done.stderr


# ---- Generated text ----


@pytest.mark.parametrize("application", BY_HAND)
def test_generated_text_is_as_reviewed(programs: Built, application: str) -> None:
    made = programs(application)
    found = differences(made.sources["unfused"], made.sources["fused"][0].parent)
    golden = GOLDEN / f"{application}.diff"
    if os.environ.get("KFUSION_UPDATE_GOLDEN"):
        golden.write_text(found)
    assert found == golden.read_text()


@pytest.mark.parametrize("application", ["mdd", "hdd"])
def test_what_is_made_for_a_cpu_is_as_reviewed_and_leaves_the_same_bits(
    programs: Built, application: str, tmp_path: Path
) -> None:
    before = IMAGE.sources(application)
    after = IMAGE.fuse(before, tmp_path / "out", options=("--target", "cpu"))
    found = differences(before[2:], tmp_path / "out")
    golden = GOLDEN / f"{application}_cpu.diff"
    if os.environ.get("KFUSION_UPDATE_GOLDEN"):
        golden.write_text(found)
    assert found == golden.read_text()
    program = IMAGE.build(after, tmp_path / "program", (), WARNINGS)
    made = Programs({"cpu": after}, {"cpu": program})
    for size in (1, 37, 100):
        _, expected = programs(application).run("unfused", tmp_path, "-n", size)
        result, bits = made.run("cpu", tmp_path, "-n", size)
        assert (result.total, bits) == (1, expected)
    assert build_program(after[2].read_text(), all_warnings=True).warnings == ()


@pytest.mark.parametrize("application", BY_HAND)
def test_generated_kernels_are_hardly_longer_than_by_hand(
    programs: Built, application: str
) -> None:
    out = programs(application).sources["fused"][0].parent
    before = (IMAGE.folder / "image.cl").read_text()
    added = (out / "image.cl").read_text()
    assert added.startswith(before)
    function, helpers = BY_HAND[application]
    text = (REFERENCE / "fused_by_hand.cl").read_text()
    expected = sum(code_lines(definition(text, name)) for name in (function, *helpers))
    assert 0 < code_lines(added[len(before) :]) <= 1.3 * expected


@pytest.mark.parametrize("application", LAUNCHES)
def test_fused_kernels_compile_without_a_warning(programs: Built, application: str) -> None:
    text = programs(application).sources["fused"][2].read_text()
    assert build_program(text, all_warnings=True).warnings == ()
