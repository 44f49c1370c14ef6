"""Elements that no item of the earlier call makes: they are read where the later call reads them,
whatever the earlier call's index would be there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kfusion.api import fuse
from kfusion.graph.model import LaunchRange
from kfusion.graph.target import TARGETS, Target
from tests.stencils.running import EAGER, MARCH, STRIPS
from tests.support.pyopencl_run import Case, assert_same

# What it stores under which guard, with the type of `i`; the element is `t[i]`, or `t[i + 1]`.
STORES = {
    "least of two": ("int", "if (i < n)", "t[min(i, n - 1)] = 2 * a[i];"),
    "greatest of two": ("int", "if (i >= 3 && i < n)", "t[max(i, 3)] = 2 * a[i];"),
    "clamped": ("int", "if (i >= 1 && i < n)", "t[clamp(i, 1, n - 1)] = 2 * a[i];"),
    "one of two": ("int", "if (i < n)", "t[i < n ? i : 5] = 2 * a[i];"),
    "in a variable": ("int", "const int k = min(i, n - 1); if (i < n)", "t[k] = 2 * a[i];"),
    "in a variable of the work": (
        "int",
        "if (i < n)",
        "{ const int k = i < n ? i : 5; t[k] = 2 * a[i]; }",
    ),
    "absolute": ("int", "if (i >= 5 && i < n)", "t[abs(i - 5) + 5] = 2 * a[i];"),
    "shifted": ("int", "if (i < 40)", "t[(i >> 2 << 2) + i % 4] = 2 * a[i];"),
    "added to": ("int", "if (i < n)", "t[min(i, n - 1)] += a[i];"),
    "behind a margin": ("uint", "if (i < n)", "t[(size_t)i + 1] = 2 * a[i];"),
    "behind a margin, long": ("uint", "if (i < n)", "t[i + 1L] = 2 * a[i];"),
    "behind a margin, cast": ("int", "if (i < n)", "t[(uint)i + 1L] = 2 * a[i];"),
}
ITEMS, LENGTH = 64, 50
READ = """
kernel void read(global float *c, global const float *t, const int n)
{
    const int i = get_global_id(0);
    c[i] = t[i] + t[i + 1];
}
"""


@pytest.mark.parametrize("target", ["inline", "strips", "march", "cpu", "nvidia"])
@pytest.mark.parametrize("name", STORES)
def test_the_element_that_is_read(name: str, target: str) -> None:
    type_, guard, store = STORES[name]
    source = (
        f"kernel void make(global float *t, global const float *a, const {type_} n)\n"
        f"{{\n    const {type_} i = get_global_id(0);\n    {guard}\n        {store}\n}}\n{READ}"
    )
    targets = {"inline": EAGER, "strips": STRIPS, "march": MARCH}
    fused = fuse(
        source,
        ["make(t, a, n)", "read(c, t, m)"],
        ["c"],
        ranges=[LaunchRange(1, "space")] * 2,
        target=targets.get(target) or TARGETS[target],
    )
    assert len(fused.kernels) == 1
    dice = np.random.default_rng(1)
    data = {name: dice.random(ITEMS + 2).astype(np.float32) for name in "tac"}
    n = np.uint32(LENGTH) if type_ == "uint" else np.int32(LENGTH)
    assert_same(fused, source, Case(data, {"n": n, "m": np.int32(1)}, (ITEMS,)), ["c"])


ROWS = """
kernel void make(global float *t, global const float *a, const int w, const int h)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h)
        t[STORED] = 2 * a[y * w + x];
}
kernel void read(global float *c, global const float *t, const int w, const int h)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h)
        c[y * w + x] = t[y * w + x] - t[(y + 1) * w + x];
}
"""


@pytest.mark.parametrize("target", [EAGER, STRIPS, MARCH], ids=["inline", "strips", "march"])
@pytest.mark.parametrize("index", ["y * w + min(x, w - 1)", "min(y, h - 1) * w + x"])
def test_the_element_that_is_read_in_rows(index: str, target: Target) -> None:
    source = ROWS.replace("STORED", index)
    calls = ["make(t, a, w, h)", "read(c, t, w, h)"]
    fused = fuse(source, calls, ["c"], ranges=[LaunchRange(2, "space")] * 2, target=target)
    assert len(fused.kernels) == 1
    dice = np.random.default_rng(2)
    data = {name: dice.random(19 * 24).astype(np.float32) for name in "tac"}
    sizes = {"w": np.int32(19), "h": np.int32(17)}
    assert_same(fused, source, Case(data, sizes, (24, 23)), ["c"])


SIZES = """
typedef struct { int w, h; } sizes;
kernel void make(global float *t, global const float *a, const sizes s)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < s.w && y >= 1 && y < s.h)
        t[y * s.w + x] = 2 * a[y * s.w + x];
}
kernel void read(global float *c, global const float *t, const sizes s)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < s.w && y >= 1 && y < s.h)
        c[y * s.w + x] = t[(y - 1) * s.w + x];
}
"""


def test_an_element_whose_index_needs_a_member() -> None:
    calls = ["make(t, a, s)", "read(c, t, s)"]
    fused = fuse(SIZES, calls, ["c"], ranges=[LaunchRange(2, "space")] * 2, target=EAGER)
    assert len(fused.kernels) == 1
    dice = np.random.default_rng(3)
    data = {name: dice.random(19 * 24).astype(np.float32) for name in "tac"}
    size: Any = np.array((19, 17), "i4,i4")[()]
    assert_same(fused, SIZES, Case(data, {"s": size}, (24, 23)), ["c"])
