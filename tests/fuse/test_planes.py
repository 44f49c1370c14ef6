"""Groups that march through planes, and items in strips that walk through them: the bits are the
same, and no two items meet."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from kfusion.api import Fused, Launch, fuse
from kfusion.device.opencl import build_program
from kfusion.graph.model import LaunchRange, Marching, Tiles
from kfusion.graph.target import TARGETS, Target
from tests.random.execution import Job, Step
from tests.random.running import simulated
from tests.stencils.running import IN_PLANES, STRIPS
from tests.support.pyopencl_run import Case, assert_same, original_launches

HEAD = """\
#pragma OPENCL FP_CONTRACT OFF
kernel void turn(global const T *a, global T *b, const int w, const int h, const int d)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
"""
STEPS = {
    "star": """\
    if (x >= w || y >= h || z >= d) return;
    T s = a[(z * h + y) * w + max(x - R, 0)] + 2 * a[(z * h + y) * w + min(x + R, w - 1)];
    s += a[(z * h + max(y - R, 0)) * w + x] + 3 * a[(z * h + min(y + R, h - 1)) * w + x];
    s += a[(max(z - R, 0) * h + y) * w + x] + 4 * a[(min(z + R, d - 1) * h + y) * w + x];
    b[(z * h + y) * w + x] = s / 8;
""",
    "wide": """\
    if (x >= w || y >= h || z >= d) return;
    T s = 0;
    for (int k = -2; k <= 2; k++)
        s += a[(z * h + y) * w + clamp(x + k, 0, w - 1)]
             + a[(z * h + clamp(y + k, 0, h - 1)) * w + x]
             + a[(clamp(z + k, 0, d - 1) * h + y) * w + x];
    b[(z * h + y) * w + x] = s / 16;
""",
    "inner": """\
    const int i = (z * h + y) * w + x;
    if (x >= R && x < w - R && y >= R && y < h - R && z >= R && z < d - R)
        b[i] = a[i + R] + a[i - R * w] + a[i + R * w * h] / 2 + a[i - R * w * h];
""",
    "box": """\
    if (x >= w || y >= h || z >= d) return;
    T s = 0;
    for (int k = -R; k <= R; k++)
        for (int j = -1; j <= 1; j++)
            for (int i = -1; i <= R; i++)
                s += (i + 2 * j + 3 * k) * a[(clamp(z + k, 0, d - 1) * h + clamp(y + j, 0, h - 1))
                                             * w + clamp(x + i, 0, w - 1)];
    b[(z * h + y) * w + x] = s / 16;
""",
    "ring": """\
    if (x >= w || y >= h || z >= d) return;
    const int i = (z * h + y) * w;
    T s = a[i + (x + R) % w] + 2 * a[(z * h + (y > 0 ? y - 1 : h - 1)) * w + x];
    s += a[((z + d - 1) % d * h + y) * w + x] + 3 * a[((z + R) % d * h + (y + 1) % h) * w + x];
    b[i + x] = s / 8;
""",
    "row": """\
    if (x >= w || y >= h || z >= d) return;
    b[(z * h + y) * w + x] = a[(z * h + y) * w + min(x + R, w - 1)] / 2 + 1;
""",
}
TYPES = {"float": np.float32, "double": np.float64}
SIZES = [(1, 1, 1), (2, 3, 1), (23, 29, 19), (37, 22, 11), (3, 30, 20), (30, 20, 3), (13, 2, 40)]


def source_of(name: str, type_: str = "float", reach: int = 1) -> str:
    text = re.sub(r"\bT\b", type_, f"{HEAD}{STEPS[name]}}}\n")
    return re.sub(r"\bR\b", str(reach), text)


def fused_steps(source: str, steps: int, target: Target = IN_PLANES) -> Fused:
    names = ["a", *(f"t{n}" for n in range(1, steps)), "b"]
    calls = [f"turn({names[n]}, {names[n + 1]}, w, h, d)" for n in range(steps)]
    ranges = [LaunchRange(3, "space")] * steps
    return fuse(source, calls, ["b"], ranges=ranges, target=target, tiles=True)


def marches(fused: Fused) -> bool:
    return [isinstance(launch.tiles, Marching) for launch in fused.kernels] == [True]


def case(size: tuple[int, int, int], type_: str = "float") -> Case:
    random, count = np.random.default_rng(3), size[0] * size[1] * size[2]
    data = {
        name: random.random(count).astype(TYPES[type_]) for name in ("a", "t1", "t2", "t3", "b")
    }
    return Case(data, extents(size), size)


def extents(size: tuple[int, int, int]) -> dict[str, np.int32]:
    return dict(zip("whd", map(np.int32, size), strict=True))


@pytest.mark.parametrize(
    ("name", "type_", "reach", "steps"),
    [
        ("star", "float", 1, 2),
        ("star", "float", 1, 3),
        ("star", "float", 1, 4),
        ("star", "double", 2, 2),
        ("inner", "float", 1, 3),
        ("inner", "double", 2, 2),
        ("box", "float", 1, 3),
        ("box", "float", 1, 4),
        ("box", "float", 2, 2),
        ("row", "float", 3, 2),
        ("ring", "float", 1, 3),
        ("ring", "double", 2, 2),
    ],
)
def test_bits_are_the_same(name: str, type_: str, reach: int, steps: int) -> None:
    source = source_of(name, type_, reach)
    two_rows = replace(IN_PLANES, march=4 * np.dtype(TYPES[type_]).itemsize)
    fused = fused_steps(source, steps, two_rows)
    assert marches(fused)
    rows = [
        tiles.columns for launch in fused.kernels if isinstance(tiles := launch.tiles, Marching)
    ]
    assert rows == [4 if steps > 3 else 2]  # else most of what a group makes would be for others
    for size in SIZES:
        assert_same(fused, source, case(size, type_), ["b"])


@pytest.mark.parametrize("name", ["star", "inner", "box"])
def test_items_that_do_more_rows(name: str) -> None:
    source = source_of(name)
    fused = fused_steps(source, 2, replace(IN_PLANES, march=32))
    assert marches(fused)
    for size in [(11, 37, 9), (17, 63, 11), (1, 70, 1)]:
        assert_same(fused, source, case(size), ["b"])


IN_STRIPS = replace(STRIPS, rows=16)  # four columns, two rows


@pytest.mark.parametrize(
    ("name", "type_", "reach", "steps"),
    [
        ("star", "float", 1, 3),
        ("star", "double", 2, 2),
        ("inner", "float", 1, 3),
        ("inner", "float", 2, 2),
        ("box", "float", 2, 2),
        ("row", "float", 3, 2),
        ("ring", "float", 2, 3),
    ],
)
def test_bits_are_the_same_in_strips(name: str, type_: str, reach: int, steps: int) -> None:
    source = source_of(name, type_, reach)
    fused = fused_steps(source, steps, IN_STRIPS)
    assert [launch.tiles for launch in fused.kernels] == [Tiles((4, 2, 16), (1, 1, 1))]
    for size in SIZES:
        assert_same(fused, source, case(size, type_), ["b"])


def test_one_launch_in_strips() -> None:
    source = source_of("box")
    fused = fused_steps(source, 1, replace(TARGETS["cpu"], strip=4, rows=16))
    assert [launch.tiles for launch in fused.kernels] == [Tiles((4, 2, 16), (1, 1, 1))]
    for size in SIZES:
        assert_same(fused, source, case(size), ["b"])


def test_strips_that_fit_a_stack() -> None:
    """Planes take more memory than rows: strips have fewer rows, then fewer columns."""
    found = []
    for steps in (2, 3, 5):
        fused = fused_steps(source_of("star"), steps, replace(TARGETS["cpu"], near=1 << 20))
        found += [launch.tiles.items for launch in fused.kernels if launch.tiles]
    assert found == [(256, 8, 64), (128, 4, 64), (64, 4, 64)]


@pytest.mark.parametrize("target", [IN_PLANES, IN_STRIPS], ids=["march", "strips"])
@pytest.mark.parametrize(("name", "steps"), [("star", 3), ("box", 2), ("ring", 2)])
def test_items_do_not_meet(name: str, steps: int, target: Target) -> None:
    """Neither where groups march nor in pieces of the frame; nor do strips."""
    source, size = source_of(name), (19, 21, 11)
    fused, data = fused_steps(source, steps, target), case(size)

    def job_steps(launches: Sequence[Launch]) -> tuple[Step, ...]:
        found = []
        for launch in launches:
            over, local = launch.over(size, (1, 1, 1))
            whole = map(np.int32, size if launch.tiles else ())
            arguments = [extents(size).get(name, name) for name in launch.arguments]
            found.append(Step(launch.name, (*arguments, *whole), over, local or (1, 1, 1)))
        return tuple(found)

    runs = (job_steps(original_launches(fused)), job_steps(fused.kernels))
    assert simulated([Job(fused.source, (), runs, dict(data.buffers), ("b",))]) == [None]


@pytest.mark.parametrize(
    ("reach", "target"),
    [
        (1, replace(IN_PLANES, marchers=8)),  # 32 items are less than a row of a piece, 33 columns
        (1, replace(IN_PLANES, local_bytes=1024)),  # 33 x 8 floats are more
        (16, IN_PLANES),  # of 16 columns none would be stored
    ],
)
def test_groups_that_are_too_small(reach: int, target: Target) -> None:
    assert marches(fused_steps(source_of("row", reach=1), 2))
    assert not marches(fused_steps(source_of("row", reach=reach), 2, target))


@pytest.mark.parametrize(
    ("name", "steps", "groups"),
    [
        ("star", 2, [(0, 1)]),
        # 1.77 times as fast as written on an H100, where each item does four rows; two by two 1.53.
        ("star", 4, [(0, 1, 2, 3)]),
        ("star", 3, [(0, 1, 2)]),
        ("wide", 2, [(0,), (1,)]),  # together 0.88 times as fast as written
        ("box", 2, [(0, 1)]),  # 1.34 times as fast as written
    ],
)
def test_as_many_steps_as_pay(name: str, steps: int, groups: list[tuple[int, ...]]) -> None:
    """On an H200, if nothing else is said; 511 x 511 x 511 floats."""
    fused = fused_steps(source_of(name), steps, TARGETS["nvidia"])
    assert [launch.calls for launch in fused.kernels] == groups


WALK = """\
        for (int plane = front; plane < back + 1; plane += 4) {
            #pragma unroll
            for (int step_2 = 0; step_2 < 4; step_2++) {
                t1_planes[1][0][1] = shared_float[(~step_2 & 1) * 129 + place + 1];

                /* turn(a, t1, w, h, d) */
                {
                    #pragma unroll
                    for (int i = 0; i < 1; i++) {
                        #pragma unroll
                        for (int j = 0; j < 1; j++) {
                            #pragma unroll
                            for (int k = 0; k < 2; k++) {
                                t1_planes[i][j][k] = t1_planes[i + 1][j][k];
                            }
                        }
                    }
                    const int z = clamp(plane + step_2, near, far - 1);
                    #pragma unroll
                    for (int row = 0; row < 1; row++) {
                        t1_planes[1][row][0] = turn_inside(x, y + row, z, a, h, w);
                    }
                    shared_float[(step_2 & 1) * 129 + place] = t1_planes[1][0][0];
                }
"""


def test_what_is_written() -> None:
    """What neighbours made of the plane before is taken, and the newest plane is passed on."""
    fused = fused_steps(source_of("row"), 2, replace(IN_PLANES, march=4))
    assert WALK in fused.fused[0].text
    warnings = build_program(fused.source, all_warnings=True).warnings
    assert [w for w in warnings if "unused parameter" not in w] == []  # all functions get all ids


# What is loaded of `a` for a plane, and whether groups load it ahead: what they load beside lies
# between elements that all items load.
LOADED = {
    "star": ("a[i - 1] + a[i + 1] + a[i - w] + a[i + w] + a[i - w * h] + a[i + w * h]", True),
    "corners": ("a[i - w - 1] + a[i + w + 1] + a[i - w + 1] + a[i + w - 1]", True),
    "two corners": ("a[i - w - 1] + a[i + w + 1]", False),
    "one side": ("a[i + 1]", False),
    "condition": ("a[i] + (d > 9 ? a[i + w * h] : 0)", False),
}


@pytest.mark.parametrize("name", LOADED)
def test_what_is_loaded_ahead(name: str) -> None:
    text, ahead = LOADED[name]
    old = STEPS["inner"].partition("b[i] =")
    source = source_of("inner").replace(re.sub(r"\bR\b", "1", old[2]).strip(), f"{text};")
    fused = fused_steps(source, 2)
    assert marches(fused)
    assert ("loaded a plane ahead" in fused.source) == ahead
    for size in SIZES:
        assert_same(fused, source, case(size), ["b"])


AHEAD = """\
                /* a_planes: what memory holds, loaded a plane ahead */
                {
                    #pragma unroll
                    for (int i = 0; i < 2; i++) {
                        #pragma unroll
                        for (int j = 0; j < 3; j++) {
                            #pragma unroll
                            for (int k = 0; k < 3; k++) {
                                a_planes[i][j][k] = a_planes[i + 1][j][k];
                            }
                        }
                    }
                    #pragma unroll
                    for (int row = 0; row < 1; row++) {
                        a_planes[2][row + 1][1] = next[row];
                    }
                    shared_float[(step_2 & 1) * 364 + place + 19] = a_planes[2][1][1];
                    {
                        const int z = clamp(plane + step_2 + 1, near - 2, far + 1);
                        #pragma unroll
                        for (int row = 0; row < 1; row++) {
                            next[row] = a[(long)z * h * w + (long)(y + row) * w + x];
                        }
                    }
                    {
                        const int z = clamp(plane + step_2 + 1, near - 1, far);
                        #pragma unroll
                        for (int i = 0; i < 1; i++) {
                            if (item + i * 128 < 52) {
                                shared_float[(step_2 & 1) * 364 + beside_at[i]] = beside[i];
                                beside[i] =
                                        a[(long)z * h * w + (long)beside_y[i] * w + beside_x[i]];
                            }
                        }
                    }
                }
"""


def test_what_is_written_of_loads() -> None:
    """What has been loaded goes to registers and neighbours, and then the next plane is loaded."""
    fused = fused_steps(source_of("star"), 2, replace(IN_PLANES, march=4))
    assert AHEAD in fused.fused[0].text
    warnings = build_program(fused.source, all_warnings=True).warnings
    assert [w for w in warnings if "unused parameter" not in w] == []
