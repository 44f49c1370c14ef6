"""A vector of integers as the size of a range: its parts bound the ids, one by one."""

from __future__ import annotations

import numpy as np
import pyopencl.cltypes as cltypes
import pytest

from kfusion.api import CheckError, fuse
from kfusion.graph.model import LaunchRange
from kfusion.graph.target import TARGETS
from tests.support.kernel_side import random_data
from tests.support.pyopencl_run import Case, assert_same

WIDTH, HEIGHT = 7, 5
SOURCE = """
kernel void twice(global float *c, global const float *a, const int2 size)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));

    if (at.x < size.x && at.y < size.y)
        c[at.y * size.x + at.x] = 2.0f * a[at.y * size.x + at.x];
}
"""
PLANE = LaunchRange(2, "the plane")


def test_one_size_for_both() -> None:
    calls = ["twice(t, a, s)", "twice(c, t, s)"]
    fused = fuse(SOURCE, calls, ["c"], ranges=[PLANE] * 2)
    assert [launch.calls for launch in fused.kernels] == [(0, 1)]
    assert fused.plan.groups[0].internalised == {"t"}
    size = cltypes.make_int2(WIDTH, HEIGHT)  # type: ignore[attr-defined]
    data = random_data(["a", "t", "c"], WIDTH * HEIGHT)
    assert_same(fused, SOURCE, Case(data, {"s": size}, (16, 8)), ["c"])


def test_two_sizes_may_differ() -> None:
    """With s = (5, 7) and z = (7, 5) the second call reads what other items have written."""
    calls = ["twice(t, a, s)", "twice(c, t, z)"]
    fused = fuse(SOURCE, calls, ["c"], ranges=[PLANE] * 2)
    assert len(fused.kernels) == 2
    assert [d.code for d in fused.diagnostics] == ["KF201", "KF401"]


def test_one_part_does_not_bound_the_other() -> None:
    """It has to be seen that ids below the one are below the other, too."""
    source = SOURCE.replace("at.x < size.x", "at.x < size.y")
    fused = fuse(source, ["twice(t, a, s)", "twice(c, t, s)"], ["c"], ranges=[PLANE] * 2)
    assert len(fused.kernels) == 1
    data = random_data(["a", "t", "c"], WIDTH * HEIGHT)
    wide, high = (cltypes.make_int2(*size) for size in ((7, 5), (5, 7)))  # type: ignore[attr-defined]
    fused.check({"s": wide, **data}, [(8, 8)] * 2)
    assert_same(fused, source, Case(data, {"s": wide}, (16, 8)), ["c"])
    with pytest.raises(CheckError, match="more than"):
        fused.check({"s": high, **data}, [(8, 8)] * 2)


def test_an_item_does_the_work_of_several() -> None:
    source = """
kernel void twice(global float *c, global const float *a, const int n)
{
    const int i = get_global_id(0);
    if (i >= n)
        return;
    c[i] = 2.0f * a[i];
}
"""
    line = LaunchRange(1, "the line")
    calls = ["twice(t, a, n)", "twice(c, t, n)"]
    fused = fuse(source, calls, ["c"], ranges=[line] * 2, elements=3)
    (launch,) = fused.kernels
    assert launch.elements == 3
    assert launch.items(100, 8) == 40
    assert launch.items(96, 8) == 32
    assert fuse(source, calls, ["c"], ranges=[line] * 2).kernels[0].elements == 1


def test_bounds_are_asked_of_a_group_first() -> None:
    source = """
kernel void twice(global float *c, global const float *a, const int width, const uint height)
{
    const int x = get_global_id(0);
    const size_t y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    c[y * width + x] = 2.0f * a[y * width + x];
}
"""
    calls = ["twice(t, a, w, h)", "twice(c, t, w, h)"]
    fused = fuse(source, calls, ["c"], ranges=[PLANE] * 2, target=TARGETS["cpu"])
    text = fused.fused[0].text
    assert (
        "const size_t last_x = get_global_id(0) - get_local_id(0) + get_local_size(0) - 1;" in text
    )
    assert "if (((int)last_x < w && last_y < h) || (x < w && y < h)) {" in text
    data = random_data(["a", "t", "c"], WIDTH * HEIGHT)
    scalars = {"w": np.int32(WIDTH), "h": np.uint32(HEIGHT)}
    for size, local in (((8, 8), (4, 2)), ((7, 5), (7, 1)), ((64, 64), (8, 8))):
        assert_same(fused, source, Case(data, scalars, size, local), ["c"])
