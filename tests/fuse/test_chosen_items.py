"""Work of one item, `if (get_global_id(0) == 0)`: the next kernel may read what it stores."""

from __future__ import annotations

import numpy as np
import pytest

from kfusion.api import fuse
from tests.support.kernel_side import random_data
from tests.support.pyopencl_run import Case, assert_same

SOURCE = """
kernel void total(global float *s, global const float *p, const int slot, const int n)
{
    if (get_global_id(0) == 0) {
        float sum = 0;
        for (int k = 0; k < n; k++)
            sum += p[k];
        s[slot] = sum;
    }
}
kernel void first(global float *s, global const float *p)
{
    if (get_global_id(0) == 0)
        s[1] = p[3] + 1;
}
kernel void ratio(global float *s, const int a, const int b, const int c)
{
    const int i = get_global_id(0);
    if (i < 1)
        s[a] = s[b] / s[c];
}
kernel void second(global float *s)
{
    if (get_global_id(0) == 1)
        s[2] = 2 * s[1];
}
kernel void every(global float *t, global const float *s)
{
    const int i = get_global_id(0);
    t[i] = 2 * s[1];
}
kernel void corner(global float *s)
{
    if (get_global_id(0) == 0 && get_global_id(1) <= 0)
        s[2] = s[1] - 1;
}
kernel void edge(global float *s)
{
    if (get_global_id(0) == 0)
        s[2 + get_global_id(1)] = s[1];
}
kernel void corners(global float *s)
{
    if (0 == get_global_id(0) && get_global_id(1) == 0)
        s[1] = s[5] + 3;
}
"""
RATIO = "ratio(s, a, b, c)"


@pytest.mark.parametrize(
    ("calls", "kernels"),
    [
        (["total(s, p, slot, n)", RATIO], 1),
        (["first(s, p)", RATIO], 1),
        (["first(s, p)", RATIO, "first(s, p)"], 1),
        (["corners(s)", "corner(s)"], 1),
        (["first(s, p)", "second(s)"], 2),
        (["first(s, p)", "every(t, s)"], 2),
        (["corners(s)", "edge(s)"], 2),
    ],
)
def test_what_one_item_stores_and_reads(calls: list[str], kernels: int) -> None:
    fused = fuse(SOURCE, calls, ["s", "t"] if "every(t, s)" in calls else ["s"])
    assert len(fused.kernels) == kernels
    items = (8, 3) if "corners(s)" in calls else (24,)
    for a, b, c in ((1, 1, 1), (2, 1, 0), (0, 2, 1), (3, 3, 1)):
        scalars = {"slot": b, "n": 5, "a": a, "b": b, "c": c}
        numbers = {name: np.int32(value) for name, value in scalars.items()}
        case = Case(random_data("spt", 64), numbers, items)
        assert_same(fused, SOURCE, case, ["s", "t"])
