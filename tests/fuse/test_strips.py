"""Kernels of which one item walks down a strip, and keeps rows of what neighbours would make."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from kfusion.api import Fused, fuse
from kfusion.graph.model import Disjoint, LaunchRange
from kfusion.graph.target import TARGETS, Target
from kfusion.report.plan import plan_table
from tests.fuse.test_stencils import (
    ALL,
    CLAMPED,
    CORE,
    FUSE,
    INNER,
    LONG,
    PLANE,
    PROGRAMS,
    RIGHT,
    UINT,
    XY,
    F,
    call,
    check,
    kernel,
    pair,
)
from tests.random.execution import Job, Step
from tests.random.running import simulated
from tests.stencils.running import MARCH, STRIPS
from tests.support.kernel_side import fused_text
from tests.support.pyopencl_run import Case, assert_same

CALLS = [F, call("g", "o", "t")]
# In two dimensions or three, but some item needs another one that is not in the rows that are kept.
ANYWHERE = {
    "first without sign",
    "other end",
    "window of a scalar",
    "a scalar away",
    "behind the row",
}


def is_plane(source: str) -> bool:
    return "get_global_id(1)" in source and "get_global_id(2)" not in source


@pytest.mark.parametrize("name", FUSE)
def test_pair(name: str) -> None:
    source = pair(*FUSE[name])
    fused = check(source, 1, target=STRIPS)
    walks = "get_global_id(1)" in source and name not in ANYWHERE
    assert [kernel.tiles is not None for kernel in fused.fused] == [walks]


@pytest.mark.parametrize("name", [n for n, (source, _) in PROGRAMS.items() if is_plane(source)])
@pytest.mark.parametrize("out", [("o",), None])
def test_program(name: str, out: tuple[str, ...] | None) -> None:
    source, calls = PROGRAMS[name]
    fused = fuse(source, calls, out, target=STRIPS, tiles=True)
    assert len(fused.kernels) == 1
    assert fused.fused[0].tiles is not None
    check(source, 1, calls, out, elements=4, target=STRIPS)


MIRRORED = (
    f"{ALL} if (w < 3 || h < 3) return; const int l = abs(x - 2), r = x + 2 < w ? x + 2 : "
    "2*w - 4 - x; o[i] = t[y*w + l] + t[y*w + r] + t[(y > 0 ? y - 1 : 1)*w + x];"
)
FAR = (
    f"{ALL} float s = 0; for (int j = -3; j <= 5; j++) s += t[clamp(y + j, 0, h - 1)*w + "
    "clamp(x - j, 0, w - 1)]; o[i] = s;"
)
WRAPPED = (
    f"{ALL} o[i] = t[y*w + (x + 1) % w] + t[(y + h - 1) % h*w + x] + "
    "t[(y + 2) % h*w + (x + w - 1) % w];"
)
AROUND = (
    f"{ALL} const int before = x == 0 ? w - 1 : x - 1, next = x < w - 1 ? x + 1 : 0; "
    "o[i] = t[y*w + before] + t[y*w + next] + t[(y > 0 ? y - 1 : h - 1)*w + next];"
)
# What the second of three kernels and the third one read.
SHAPES = {
    "clamped": (PLANE, CLAMPED, RIGHT),
    "interior, then clamped": (INNER, f"{CORE} o[y*w + x] = t[(y - 1)*w + x + 1] + t[y*w + x - 1];"
                               , CLAMPED),
    "interior three times": (
        INNER,
        f"{CORE} o[y*w + x] = t[(y + 1)*w + x] + t[y*w + x - 1];",
        f"{CORE} o[y*w + x] = t[(y - 1)*w + x] - t[y*w + x + 1];",
    ),
    "far, and to both sides": (PLANE, FAR, CLAMPED),
    "below only, then above only": (
        PLANE,
        f"{ALL} o[i] = t[min(y + 2, h - 1)*w + x];",
        f"{ALL} o[i] = t[max(y - 3, 0)*w + x];",
    ),
    "guards of their own": (
        PLANE,
        CLAMPED,
        f"{XY} if (x < w && y < h - 1) o[y*w + x] = t[y*w + max(x - 1, 0)];",
    ),
    "wrapped": (PLANE, WRAPPED, AROUND),
    "wrapped, made of neighbours": (
        f"{ALL} t[i] = a[(y + 1) % h*w + x] - a[y*w + (x + w - 1) % w];",
        AROUND,
        WRAPPED,
    ),
    "wrapped across, clamped down": (
        PLANE,
        f"{ALL} o[i] = t[y*w + (x + 1) % w] + t[min(y + 1, h - 1)*w + x];",
        f"{ALL} o[i] = t[max(y - 2, 0)*w + (x > 0 ? x - 1 : w - 1)];",
    ),
    "wrapped down, and a place": (
        PLANE,
        f"{ALL} o[i] = t[(y + 1) % h*w + x] + 10*y;",
        f"{ALL} o[i] = t[(y + 3) % h*w + max(x - 1, 0)] + x;",
    ),
}  # fmt: skip
SIZES = [(1, 1), (2, 1), (1, 2), (2, 3), (3, 2), (4, 3), (5, 4), (7, 9), (8, 6), (13, 7), (17, 23)]


@pytest.mark.parametrize("name", SHAPES)
def test_all_sizes(name: str) -> None:
    first, second, third = SHAPES[name]
    source = kernel("f", "t a", first) + kernel("g", "o t", second) + kernel("k", "o t", third)
    calls = [F, call("g", "u", "t"), call("k", "o", "u")]
    ranges = [LaunchRange(2, "all")] * 3
    fused = fuse(source, calls, ["o"], ranges=ranges, target=STRIPS, tiles=True)
    assert [kernel.tiles is not None for kernel in fused.fused] == [True]
    data = np.random.default_rng(5)
    for w, h in SIZES:
        scalars = {"w": w, "h": h, "d": 1, "r": 1, "n": 1}
        arrays = {n: data.random(32 * 32, dtype=np.float32) for n in "atuo"}
        sizes = {n: np.int32(v) for n, v in scalars.items()}
        case = Case(arrays, sizes, (w + w % 2, h + h % 3), None, ())
        assert_same(fused, source, case, ["o"])


@pytest.mark.parametrize("target", [STRIPS, MARCH], ids=["strips", "march"])
@pytest.mark.parametrize("size", [(0, 4), (4, 0), (0, 0), (-2, 3), (3, -5)])
def test_nothing_that_could_wrap_around(size: tuple[int, int], target: Target) -> None:
    """No item has a remainder to take: a number modulo 0 may end the process."""
    source = kernel("f", "t a", PLANE) + kernel("g", "o t", WRAPPED) + kernel("k", "o t", AROUND)
    calls, ranges = [F, call("g", "u", "t"), call("k", "o", "u")], [LaunchRange(2, "all")] * 3
    fused = fuse(source, calls, ["o"], ranges=ranges, target=target, tiles=True)
    assert [kernel.tiles is not None for kernel in fused.fused] == [True]
    (launch,) = fused.kernels
    numbers = {n: np.int32(v) for n, v in zip("whdrn", (*size, 1, 1, 1), strict=True)}
    arguments = [*(numbers.get(n, n) for n in launch.arguments), np.int32(8), np.int32(8)]
    over, local = launch.over((8, 8))
    assert local is not None
    step = Step(launch.name, tuple(arguments), over, local)
    data = {n: np.zeros(4, np.float32) for n in "ao"}
    assert simulated([Job(fused.source, (), ((step,), (step,)), data, ("o",))]) == [None]


def walks(f: str, g: str) -> bool:
    fused = fuse(pair(f, g), CALLS, ["o"], target=STRIPS, tiles=True)
    return any(kernel.tiles is not None for kernel in fused.fused)


def test_rows_are_kept_for_what_is_shown_to_be_near() -> None:
    """The last item of a line reads the first one's: that is in no row that its strip keeps."""
    assert walks(PLANE, CLAMPED)
    check(pair(PLANE, f"{ALL} o[i] = t[y*w + (x + 1 < w ? x + 1 : 0)];"), 1, target=STRIPS)


# What wraps around in the one of two steps, and how the other one ends there.
ENDS = {
    "to the second": f"{ALL} o[i] = t[y*w + (x + 1 < w ? x + 1 : min(1, w - 1))];",
    "clamped as well": f"{ALL} o[i] = t[y*w + (x + 1) % w] + t[y*w + max(x - 1, 0)];",
    "all in the first row": f"{ALL} o[i] = t[(y + 1 < h ? y + 1 : 0)*w + (y + 1 < h ? x : 0)];",
}


@pytest.mark.parametrize("name", ENDS)
def test_what_wraps_around_does_so_after_all_items_of_a_row(name: str) -> None:
    assert walks(PLANE, ENDS[name]) is False
    check(pair(PLANE, ENDS[name]), 1, target=STRIPS)


def test_offsets_are_constant_away_from_borders_only() -> None:
    check(pair(PLANE, CLAMPED), 1, target=STRIPS)


DOMAINS = {
    # The guard lets all items through where the width is 0.
    "wrapped": f"{UINT} if (x < (uint)w - 1 && y < h) t[y*w + x] = a[y*w + x];",
    "differs": f"{XY} if (x != w - 2 && x < w && y < h) t[y*w + x] = a[y*w + x];",
    "below zero": f"{LONG} if (3 <= x - 2 && x < (uint)w && y < h) t[y*w + x] = a[y*w + x];",
}


@pytest.mark.parametrize("name", DOMAINS)
def test_domain_is_told_exactly(name: str) -> None:
    """Or no rows are kept."""
    reader = f"{ALL} o[i] = t[y*w + max(x - 1, 0)];"
    fused = fuse(pair(DOMAINS[name], reader), CALLS, ["o"], target=STRIPS, tiles=True)
    assert not any(kernel.tiles for kernel in fused.fused)


JACOBI = """\
kernel void jacobi(global const float *from, global float *to, const int width, const int height)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    if (x >= width || y >= height) return;

    const int left = max(x - 1, 0), right = min(x + 1, width - 1);
    const int above = max(y - 1, 0), below = min(y + 1, height - 1);
    float sum = from[y * width + x];
    sum += from[y * width + left] + from[y * width + right]; /* the row */
    sum += from[above * width + x] + from[below * width + x];
    to[y * width + x] = 0.2f * sum;
}
"""


def jacobi(steps: int, target: Target) -> Fused:
    planes = ["start", *(f"step{n}" for n in range(1, steps)), "result"]
    calls = [f"jacobi({source}, {to}, width, height)" for source, to in pairwise(planes)]
    ranges = [LaunchRange(2, "all")] * steps
    return fuse(JACOBI, calls, ["result"], ranges=ranges, target=target, tiles=True)


def test_four_steps_are_as_reviewed(request: pytest.FixtureRequest) -> None:
    text = fused_text(jacobi(4, TARGETS["cpu"])) + "\n"
    expected = Path(request.path).parent / "golden" / "jacobi_in_strips.cl"
    assert text == expected.read_text()
    assert text.count("\n") < 120


def test_strip_is_narrower_where_rows_are_many() -> None:
    wide, narrow = (
        jacobi(steps, replace(TARGETS["cpu"], strip=strip)).fused[0].tiles
        for steps, strip in ((2, 256), (8, 2048))
    )
    assert wide is not None
    assert wide.items == (256, 64)
    assert narrow is not None
    assert narrow.items == (512, 64)


def test_caller_who_asks_for_no_tiles_gets_none() -> None:
    calls = ["jacobi(a, t, w, h)", "jacobi(t, b, w, h)"]
    ranges = [LaunchRange(2, "all")] * 2
    fused = fuse(JACOBI, calls, ["b"], ranges=ranges, target=TARGETS["cpu"])
    assert all(launch.tiles is None for launch in fused.kernels)


# ---- One launch in another shape ----

CONVOLUTION, STENCIL = (
    (Path("casestudies") / name / f"{name}.cl").read_text() for name in ("convolution", "stencil")
)
SMALL = replace(TARGETS["cpu"], strip=4, rows=3)
ONE = ("jacobi", "box", "sobel_x", "derivative_x", "gaussian", "box_2d_1", "star_2d_2")


def alone(call: str, target: Target = SMALL, source: str = STENCIL) -> Fused:
    return fuse(source, [call], ranges=[LaunchRange(2, "all")], target=target, tiles=True)


@pytest.mark.parametrize("name", [*ONE, "blur_y", "row"])
def test_one_launch_in_strips(name: str) -> None:
    more = "k, " if name == "row" else ""
    source = next(s for s in (CONVOLUTION, STENCIL) if f"void {name}(" in s)
    fused = alone(f"{name}(o, a, {more}w, h)", source=source)
    assert [group.tiles is not None for group in fused.plan.groups] == [True]
    data = np.random.default_rng(5)
    for w, h in SIZES:
        arrays = {n: data.random(4 * 32 * 32, dtype=np.float32) for n in "ako"}
        scalars = {
            "w": np.int32(w),
            "h": np.int32(h),
        }
        case = Case(arrays, scalars, (w + w % 2, h + h % 3), None, ())
        assert_same(fused, source, case, ["o"])


SCATTERED = (
    f"{XY} if (x % 2 && x < w && y < h) "
    "a[y*w + x] = a[y*w + max(x - 1, 0)] + a[y*w + min(x + 1, w - 1)];"
)


@pytest.mark.parametrize(
    ("call", "source"),
    [
        ("magnitude(o, a, b, w, h)", STENCIL),  # no two items load the same
        ("gradient(o, a, w, h)", STENCIL),  # compilers make vectors of it as it is
        ("thin(o, a, b, c, w, h)", STENCIL),  # what is loaded depends on data
        ("full_tile(o, a, k, w, h)", CONVOLUTION),  # items wait for each other
        ("f(a, w, h)", f"kernel void f(global float *a, int w, int h) {{ {SCATTERED} }}"),
    ],
    ids=["nothing shared", "straight", "by data", "together", "in place"],
)
def test_what_keeps_its_shape(call: str, source: str) -> None:
    assert not alone(call, source=source).plan.fuses


def test_launches_that_may_not_be_joined_have_the_shape_alone() -> None:
    fused = jacobi(2, replace(TARGETS["cpu"], launches=1))
    assert [group.tiles is not None for group in fused.plan.groups] == [True, True]
    (reason,) = fused.plan.cuts[0].reasons
    assert reason.message == "the fused kernel would do 2 launches; the target takes no more than 1"


def test_the_plan_says_that_one_launch_is_in_strips() -> None:
    told = plan_table([("here", alone("jacobi(o, a, w, h)").plan, "", True)])
    assert "1 (in another shape)  jacobi(o, a, w, h)  5 " in told
    assert "kernel 1: it is in strips, as neighbouring items load the same elements" in told
    assert "kernel 1: a group of 1 x 1 items does the work of 4 x 3" in told


@pytest.mark.parametrize(("weights", "kernels"), [("float", 1), ("float2", 2)])
def test_vectors_beside_numbers_are_slow(weights: str, kernels: int) -> None:
    """Compilers for CPUs make vectors of the loads of nine numbers, if no others are there."""
    source = f"""
kernel void mean(global float *t, global const float *a, const int w, const int h)
{{
    const int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    if (x >= w || y >= h)
        return;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            sum += a[clamp(y + j, 0, h - 1) * w + clamp(x + i, 0, w - 1)];
    t[y * w + x] = sum / 9;
}}
kernel void blend(global float *o, global const float *t, global const {weights} *g, const int w,
                  const int h)
{{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h)
        o[y * w + x] = t[y * w + x] * g[y * w + x]{".x - t[y * w + x]" * (weights != "float")};
}}
"""
    calls, ranges = ["mean(t, a, w, h)", "blend(o, t, g, w, h)"], [LaunchRange(2, "plane")] * 2
    cpu = TARGETS["cpu"]
    fused = fuse(source, calls, ["o"], ranges=ranges, target=cpu, tiles=True)
    assert len(fused.kernels) == kernels
    told = [reason.message for cut in fused.plan.cuts for reason in cut.reasons]
    assert any("vectors, float2" in each for each in told) == (kernels > 1)


def test_one_launch_keeps_its_shape_on_other_devices() -> None:
    assert not alone("jacobi(o, a, w, h)", replace(TARGETS["cpu"], strip=0)).plan.fuses
    assert not alone("jacobi(o, a, w, h)", TARGETS["nvidia"]).plan.fuses


def test_buffers_of_one_launch_in_strips_share_no_memory() -> None:
    """As written an item may see what another one stores: nobody knows who is first."""
    fused = alone("jacobi(o, a, w, h)")
    assert Disjoint("a", "o") in fused.plan.groups[0].assumptions


# ---- Halo ----


def test_strips_of_which_most_is_halo_are_not_made() -> None:
    """Rows of eight columns and five rows would compute those of a radius of eight four times."""
    calls = ["row(t, a, k, w, h)", "column(o, t, k, w, h)"]
    for strip, rows, kernels in ((256, 64, 1), (256, 4, 2)):
        target = replace(TARGETS["cpu"], strip=strip, rows=rows)
        ranges = [LaunchRange(2, "all")] * 2
        fused = fuse(CONVOLUTION, calls, ["o"], ranges=ranges, target=target, tiles=True)
        assert len(fused.kernels) == kernels


@pytest.mark.parametrize(("steps", "kernels"), [(2, 2), (3, 1)])
def test_what_compilers_make_vectors_of_is_joined_if_there_is_more_of_it(
    steps: int, kernels: int
) -> None:
    """Two steps took 1.15 times as long in strips as they take as they were written."""
    names = ["a", *(f"t{n}" for n in range(1, steps)), "o"]
    calls = [f"gradient({to}, {source}, w, h)" for source, to in pairwise(names)]
    ranges = [LaunchRange(2, "all")] * steps
    fused = fuse(STENCIL, calls, ["o"], ranges=ranges, target=TARGETS["cpu"], tiles=True)
    assert len(fused.kernels) == kernels


@pytest.mark.parametrize(("window", "large"), [("-1; j <= 1", False), ("-4; j <= 4", True)])
def test_large_functions_are_put_where_they_are_called(window: str, large: bool) -> None:
    """Compilers do so with small ones; a call in a row's loop keeps it from vector operations."""
    row = f"float s = 0; for (int j = {window}; j++) s += t[y*w + clamp(x + j, 0, w - 1)];"
    fused = check(pair(PLANE, f"{ALL} {row} o[i] = s;"), 1, target=STRIPS)
    assert fused.source.count("__attribute__((always_inline))") == large
