"""The case studies of neighbours, `convolution` and `stencil`: fused, unfused, and in numpy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from casestudies.demo import CHAINS, CONVOLUTION, FLOAT, LADDER, STENCIL, STEPS, Precision, Study
from kfusion.device.opencl import build_program

WARNINGS = ("-std=c99", "-O0", "-Wall", "-Wextra", "-pedantic", "-Werror", "-Wno-unknown-pragmas")

FLAT = ((1, 1), (2, 7), (37, 13), (311, 67))  # widths and heights
SOLID = ((1, 1, 1), (2, 7, 3), (37, 19, 11))  # and depths

Array = npt.NDArray[Any]


# ---- What the programs compute, in numpy ----


def made_up(shape: tuple[int, ...], seed: int, channels: int = 1) -> Array:
    """The data of `app_make_up`; a shape is depth, height, width or the last two."""
    x, y, z = (places // 16 for places in (*reversed(np.indices(shape)), np.array(0))[:3])
    square = np.stack([(x + y + z) % 2] * channels, -1)
    noise = _noise(square.size, seed).reshape(square.shape).astype(np.float32)
    made = square.astype(np.float32) * f(0.75) + noise / f(1 << 24)
    return made if channels > 1 else made[..., 0]


def cells(shape: tuple[int, ...]) -> Array:
    return np.asarray(_noise(shape[0] * shape[1], 1).reshape(shape) % 3 == 0, np.uint8)


def _noise(count: int, seed: int) -> Array:
    number = np.arange(count, dtype=np.uint64) + (seed * 0x9E3779B9) & 0xFFFFFFFF
    number = (number ^ number >> 16) * 0x7FEB352D & 0xFFFFFFFF
    number = (number ^ number >> 15) * 0x846CA68B & 0xFFFFFFFF
    return (number ^ number >> 16) >> 10


def moved(array: Array, *offsets: int) -> Array:
    """Each element's neighbour that is so far away, or the nearest one that is inside."""
    for axis, offset in enumerate(offsets):
        places = np.arange(array.shape[axis]) + offset
        array = array.take(places.clip(0, array.shape[axis] - 1), axis)
    return array


def total(arrays: Iterable[Array]) -> Array:
    return reduce(add, arrays)


def f(number: float) -> np.float32:
    return np.float32(number)


def separable(picture: Array) -> Array:
    weights = np.poly1d([1, 1]) ** 16
    bell = [f(each / 65536) for each in weights.coeffs]
    rows = total(weight * moved(picture, 0, i - 8) for i, weight in enumerate(bell))
    return total(weight * moved(rows, i - 8, 0) for i, weight in enumerate(bell))


def derivatives(a: Array) -> tuple[Array, Array]:
    """Sobel's, of which the larger weights are 2."""
    weights = ((-1, f(1)), (0, f(2)), (1, f(1)))
    dx = total(weight * (moved(a, j, 1) - moved(a, j, -1)) for j, weight in weights)
    dy = total(weight * (moved(a, 1, i) - moved(a, -1, i)) for i, weight in weights)
    return dx, dy


def harris(picture: Array) -> Array:
    dx, dy = (each / f(12) for each in derivatives(picture))
    xx, yy, xy = (f(9) * box(1)(each) for each in (dx * dx, dy * dy, dx * dy))
    return np.asarray(xx * yy - xy * xy - f(0.04) * (xx + yy) ** 2)


def unsharp(picture: Array) -> Array:
    bell = [f(each / 16) for each in (1, 4, 6, 4, 1)]
    rows = total(weight * moved(picture, 0, i - 2) for i, weight in enumerate(bell))
    blurred = total(weight * moved(rows, i - 2, 0) for i, weight in enumerate(bell))
    sharp = 4 * picture - 3 * blurred
    return np.where(np.abs(picture - blurred) < f(0.001), picture, sharp)


def beside(a: Array, distance: int) -> list[Array]:
    ways = np.eye(a.ndim, dtype=int) * distance
    return [moved(a, *offset) for way in ways for offset in (-way, way)]


def gaussian(a: Array) -> Array:
    away = np.arange(-2, 3)
    weights = np.exp(-(away[:, None] ** 2 + away**2) / 4.5)
    each = np.ndenumerate(weights / weights.sum())
    return total(f(weight) * moved(a, j - 2, i - 2) for (j, i), weight in each)


def sobel(picture: Array) -> Array:
    return np.hypot(*derivatives(picture))


def life(cells: Array) -> Array:
    ways = [(j, i) for j in (-1, 0, 1) for i in (-1, 0, 1) if (j, i) != (0, 0)]
    around = total(np.roll(cells, way, (0, 1)) for way in ways)
    return np.asarray((around == 3) | ((around == 2) & (cells == 1)), np.uint8)


def heat(a: Array) -> Array:
    return np.asarray(a + f(0.125) * (total(beside(a, 1)) - f(6) * a))


def hotspot(shape: tuple[int, ...]) -> Array:
    heat_of_plate, cell = 0.5 * 1.75e6 * 0.0005, 0.016 / 512
    faster = f(0.001 / (3e6 / heat_of_plate) / (heat_of_plate * cell**2))
    rx, rz = f(1 / (2 * 100 * 0.0005)), f(0.0005 / (100 * cell**2))
    power, here = made_up(shape, 1) * f(0.01), f(80) + made_up(shape, 2) * f(10)
    for _ in range(4):
        flow = (total(beside(here, 1)) - f(4) * here) / rx
        here = here + faster * (power + flow + (f(80) - here) / rz)
    return here


def star(distance: int) -> Callable[[Array], Array]:
    def mean(a: Array) -> Array:
        return total([a, *(each for d in range(distance) for each in beside(a, d + 1))]) / f(
            1 + 2 * a.ndim * distance
        )

    return mean


def box(distance: int) -> Callable[[Array], Array]:
    def mean(a: Array) -> Array:
        ways = np.indices((2 * distance + 1,) * a.ndim).reshape(a.ndim, -1).T - distance
        return np.asarray(total(moved(a, *way) for way in ways) / f(len(ways)))

    return mean


def gradient(a: Array) -> Array:
    above, below, left, right = (a - each for each in beside(a, 1))
    steep = f(0.0001) + above * above + left * left + right * right + below * below
    return np.asarray(a + 1 / np.sqrt(steep))


def thin_edges(picture: Array) -> Array:
    dx, dy = derivatives(gaussian(picture))
    steep = np.hypot(dx, dy)
    across, down = abs(dx), abs(dy)
    pairs = [
        np.maximum(moved(steep, *way), moved(steep, *(-each for each in way)))
        for way in ((0, 1), (1, 0), (1, 1), (1, -1))
    ]
    tangent = f(0.41421356)
    ways = [down <= tangent * across, across <= tangent * down, dx * dy > 0]
    return np.where(steep >= np.select(ways, pairs[:3], pairs[3]), steep, 0)


def repeated(
    step: Callable[[Array], Array], times: int, border: int = 0
) -> Callable[[tuple[int, ...]], Array]:
    """Elements at the border stay as they are."""

    def computed(shape: tuple[int, ...]) -> Array:
        inner = tuple(slice(border, size - border) for size in shape)
        arrays = [cells(shape)] * 2 if step is life else [made_up(shape, seed) for seed in (1, 2)]
        for number in range(times):
            arrays[1 - number % 2] = arrays[1 - number % 2].copy()
            arrays[1 - number % 2][inner] = step(arrays[number % 2])[inner]
        return arrays[times % 2]

    return computed


# ---- The programs ----


@dataclass(frozen=True)
class Application:
    study: Study
    name: str
    launches: int  # as written
    expected: Callable[[tuple[int, ...]], Array]  # of a shape
    precision: Precision = FLOAT
    options: tuple[object, ...] = ()
    sizes: tuple[tuple[int, ...], ...] = FLAT

    @property
    def label(self) -> str:
        return f"{self.name} ({self.precision.name})"


APPLICATIONS = (
    Application(CONVOLUTION, "separable", 2, lambda s: separable(made_up(s, 1))),
    *(
        Application(
            CONVOLUTION,
            "ladder",
            3 if "columns" in name else 2,
            lambda s: separable(made_up(s, 1) * made_up(s, 2)),
            LADDER[name],
        )
        for name in LADDER
    ),
    Application(CONVOLUTION, "harris", 9, lambda s: harris(made_up(s, 1))),
    Application(CONVOLUTION, "unsharp", 4, lambda s: unsharp(made_up(s, 1, 4))),
    *(Application(STENCIL, "jacobi", n, repeated(star(1), n), CHAINS[n]) for n in CHAINS),
    Application(STENCIL, "sobel", 3, lambda s: sobel(made_up(s, 1))),
    Application(STENCIL, "canny", 5, lambda s: thin_edges(made_up(s, 1))),
    Application(STENCIL, "hotspot", 4, hotspot),
    *(
        Application(
            STENCIL,
            "steps",
            7,
            repeated(step, 7, border),
            STEPS[name],
            ("-s", 7),
            SOLID if "3d" in name else FLAT,
        )
        for name, step, border in (
            ("jacobi", star(1), 0),
            ("gaussian", gaussian, 0),
            ("life", life, 0),
            ("star_2d_1", star(1), 1),
            ("star_2d_2", star(2), 2),
            ("box_2d_1", box(1), 1),
            ("box_2d_2", box(2), 2),
            ("gradient", gradient, 1),
            ("heat_3d", heat, 0),
            ("jacobi_3d", star(1), 0),
            ("star_3d_1", star(1), 1),
            ("star_3d_2", star(2), 2),
            ("box_3d_1", box(1), 1),
        )
    ),
)


@pytest.mark.parametrize("application", APPLICATIONS, ids=lambda each: each.label)
def test_fused_and_unfused_are_the_same_bits_and_numpy_agrees(
    application: Application, tmp_path: Path
) -> None:
    study, defines = application.study, application.precision.defines
    before = study.sources(application.name)
    any_ = ("--target", "any")
    sources = {"unfused": before, "fused": study.fuse(before, tmp_path / "out", defines, any_)}
    programs = {
        kind: study.build(paths, tmp_path / kind, defines, WARNINGS)
        for kind, paths in sources.items()
    }
    dump = tmp_path / "dump"
    for size in application.sizes:
        given = [word for pair in zip(("-n", "-y", "-z"), size, strict=False) for word in pair]
        expected = application.expected(size[::-1])
        found: dict[str, bytes] = {}
        for kind, program in programs.items():
            run = study.run(program, sources[kind][2], *given, *application.options, "-d", dump)
            found[kind] = dump.read_bytes()
            launched = run.total
            assert "original kernels" not in run.stderr
            assert launched == application.launches if kind == "unfused" else launched > 0
        assert found["fused"] == found["unfused"], size
        assert launched <= application.launches
        result = np.frombuffer(found["unfused"], expected.dtype).reshape(expected.shape)
        apart = np.abs(result.astype(float) - expected).max()
        assert apart <= 1e-5 * max(1, float(np.abs(expected).max())), size
    assert np.ptp(expected) > 0  # there is something to see
    assert build_program(sources["fused"][2].read_text(), all_warnings=True).warnings == ()


IN_STRIPS = [
    each
    for each in APPLICATIONS
    if each.name in ("separable", "harris", "unsharp", "jacobi", "canny", "hotspot")
]


@pytest.mark.parametrize("application", IN_STRIPS, ids=lambda each: each.label)
@pytest.mark.parametrize("target", ["cpu", "nvidia"])
def test_one_kernel_walks_down_strips(
    application: Application, target: str, tmp_path: Path
) -> None:
    study, defines = application.study, application.precision.defines
    before = study.sources(application.name)
    device = ("--target", target)
    sources = {"unfused": before, "fused": study.fuse(before, tmp_path / "out", defines, device)}
    programs = {
        kind: study.build(paths, tmp_path / kind, defines, WARNINGS)
        for kind, paths in sources.items()
    }
    dump = tmp_path / "dump"
    for w, h in (*application.sizes, (3, 2), (256, 64), (257, 65)):
        found: dict[str, tuple[bytes, int]] = {}
        for kind, program in programs.items():
            run = study.run(program, sources[kind][2], "-n", w, "-y", h, "-d", dump)
            found[kind] = dump.read_bytes(), run.total
        assert found["fused"] == (found["unfused"][0], 1), (w, h)
    assert "_rows" in sources["fused"][2].read_text()


def test_steps_march_through_planes(tmp_path: Path) -> None:
    """Three at once, of two buffers by turns; the last one as it is written."""
    application = next(each for each in APPLICATIONS if "star_3d_1" in each.label)
    study, defines, device = (
        application.study,
        application.precision.defines,
        ("--target", "nvidia"),
    )
    before = study.sources(application.name)
    sources = {"unfused": before, "fused": study.fuse(before, tmp_path / "out", defines, device)}
    dump = tmp_path / "dump"
    found: dict[str, tuple[bytes, int]] = {}
    for kind, paths in sources.items():
        program = study.build(paths, tmp_path / kind, defines, WARNINGS)
        run = study.run(program, paths[2], "-n", 70, "-y", 50, "-z", 40, "-s", 7, "-d", dump)
        found[kind] = dump.read_bytes(), run.total
    assert found["fused"] == (found["unfused"][0], 3)


def test_a_picture_is_written(tmp_path: Path) -> None:
    program = CONVOLUTION.build(CONVOLUTION.sources("harris"), tmp_path / "harris", (), WARNINGS)
    kernels = CONVOLUTION.folder / "convolution.cl"
    CONVOLUTION.run(program, kernels, "-n", 20, "-y", 30, "-o", tmp_path / "picture.png")
    written = (tmp_path / "picture.png").read_bytes()
    assert written[:8] == b"\x89PNG\r\n\x1a\n"
    assert [int.from_bytes(written[16 + i : 20 + i]) for i in (0, 4)] == [20, 30]
