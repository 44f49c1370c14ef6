"""Launches whose groups do tiles of the range that the calls have; the kernel is given here."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kfusion.api import CheckError, Fused, fuse
from kfusion.device.verify import Step
from kfusion.graph.model import LaunchRange, Marching, Tiles
from kfusion.report.plan import plan_table
from tests.support.kernel_side import random_data
from tests.support.pyopencl_run import Case, assert_same

SOURCE = """
kernel void twice(global float *c, global const float *a, const int w)
{
    const int x = get_global_id(0), y = get_global_id(1);
    c[y * w + x] = 2.0f * a[y * w + x];
}
"""
IN_TILES = """
kernel void in_tiles(global const float *a, global float *c, const int w,
                     const int width, const int height)
{
    const int first = get_group_id(0) * 5, last = min(first + 5, width);
    const int top = get_group_id(1) * 4, bottom = min(top + 4, height);
    for (int y = top + get_local_id(1); y < bottom; y += get_local_size(1))
        for (int x = first + get_local_id(0); x < last; x += get_local_size(0))
            c[y * w + x] = 4.0f * a[y * w + x];
}
"""
TILES = Tiles((5, 4), (2, 3))


def in_tiles(*, offset: bool = False) -> Fused:
    ranges = [LaunchRange(2, "plane", offset=offset)] * 2
    fused = fuse(SOURCE, ["twice(t, a, w)", "twice(c, t, w)"], ["c"], ranges=ranges)
    (group,), (launch,), (kernel,) = fused.plan.groups, fused.kernels, fused.fused
    return replace(
        fused,
        source=fused.source + IN_TILES,
        plan=replace(fused.plan, groups=(replace(group, tiles=TILES),)),
        kernels=(replace(launch, name="in_tiles", tiles=TILES),),
        fused=(replace(kernel, name="in_tiles", tiles=TILES),),
    )


@pytest.mark.parametrize("size", [(1, 1), (5, 4), (9, 7), (11, 13)])
def test_whole_and_parts_of_tiles(size: tuple[int, ...]) -> None:
    data = random_data(["a", "t", "c"], size[0] * size[1])
    assert_same(in_tiles(), SOURCE, Case(data, {"w": np.int32(size[0])}, size), ["c"])


def test_what_is_launched() -> None:
    (launch,) = in_tiles().kernels
    assert launch.over((9, 7)) == ((4, 6), (2, 3))
    assert launch.over((10, 8), (5, 1)) == ((4, 6), (2, 3))
    several = replace(launch, tiles=None, elements=3)
    assert several.over((100,), (8,)) == ((40,), (8,))
    assert replace(several, elements=1).over((100,), (8,)) == ((100,), (8,))


def test_a_step_of_verify_is_launched_so() -> None:
    (kernel,) = in_tiles().fused
    step = Step(None, "twice", (), (9, 7), (3, 1)).of_kernel(kernel)  # type: ignore[arg-type]
    assert (step.kernel, step.size, step.local) == ("in_tiles", (4, 6), (2, 3))
    assert [(type(side), int(side)) for side in step.whole] == [(np.int32, 9), (np.int32, 7)]
    plain = replace(kernel, tiles=None)
    several = replace(step, size=(100,), local=(8,)).of_kernel(replace(plain, elements=3))
    assert (several.size, several.local, several.whole) == ((40,), (8,), (np.uint64(100),))
    assert isinstance(several.whole[0], np.uint64)


def test_ranges_that_are_not_done_in_tiles() -> None:
    fused = in_tiles(offset=True)
    for size in [(9, 7), ((1 << 30) - 6, 1)]:
        fused.check(None, ranges=[size] * 2, offset=(0, 0))
    others: list[tuple[int, ...]] = [(9,), (9, 7, 1), ((1 << 30) - 5, 1), (1, (1 << 30) - 4)]
    for other in others:
        with pytest.raises(CheckError, match="which is not done in tiles"):
            fused.check(None, ranges=[other] * 2)
    with pytest.raises(CheckError, match="the global offset is"):
        fused.check(None, offset=(0, 2))


def test_ids_that_are_no_ints() -> None:
    most = (1 << 30) // 1000
    assert Tiles((4, 1), (1000, 1)).fit((4 * most, 1))
    assert not Tiles((4, 1), (1000, 1)).fit((4 * most + 1, 1))


MARCHING = Marching((248, 96), (64, 1), columns=4, least=12, groups=1584)


def test_groups_that_march() -> None:
    """As many as there are chunks of strips, and some for the frame; least high, then as wanted,
    then no higher than they may be."""
    assert MARCHING.launched((1, 1)) == ((1 + 2) * 64, 1)
    assert MARCHING.launched((250, 25)) == ((2 * 3 + 5) * 64, 1)
    assert MARCHING.launched((4096, 4096)) == ((17 * 96 + 128) * 64, 1)
    assert MARCHING.launched((1 << 15, 1 << 15)) == ((133 * 342 + 1024) * 64, 1)


def test_too_many_groups_that_march() -> None:
    assert MARCHING.fit((370719, 370719))
    assert not MARCHING.fit((370728, 370728))  # pieces of the frame
    assert MARCHING.fit((1 << 29, 1))
    assert not MARCHING.fit((1, (1 << 31) - 100))  # groups
    assert not MARCHING.fit((5,))


def test_the_plan_tells() -> None:
    table = plan_table([("calls:1", in_tiles().plan, "", True)])
    assert "  kernel 1: a group of 2 x 3 items does the work of 5 x 4" in table
