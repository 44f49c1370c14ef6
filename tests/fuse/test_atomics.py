"""Kernels that change elements by atomic operations."""

from __future__ import annotations

import numpy as np
import pytest

from kfusion.api import Fused, fuse
from kfusion.graph.target import TARGETS
from tests.support.kernel_side import fused_text
from tests.support.pyopencl_run import Case, assert_same

KERNELS = """\
kernel void scale(global float *t, global const float *a, int n)
{ int i = get_global_id(0); if (i < n) t[i] = 2.0f * a[i]; }
kernel void count(volatile global int *h, global const float *t, int n)
{ int i = get_global_id(0); if (i < n) atomic_inc(&h[(int)t[i] & 7]); }
kernel void both(global int *h, global float *u, global const float *t, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    int before = atomic_add(h + ((int)t[i] & 3), 2);
    u[i] = t[i] + (before >= 0 ? 1 : 0);
}
kernel void in_groups(global int *h, global const float *t, int n)
{
    local int s[8];
    int i = get_global_id(0), k = get_local_id(0);
    if (k < 8) s[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n) atomic_inc(&s[(int)t[i] & 7]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (k < 8) atomic_add(&h[k], s[k]);
}
kernel void reset(global int *h, int n)
{ int i = get_global_id(0); if (i < n) h[i] = 0; }
kernel void look(global float *o, global const int *h, int n)
{ int i = get_global_id(0); if (i < n) o[i] = h[i]; }
kernel void rows(global int *h, global float *o, int w)
{ int x = get_global_id(0), y = get_global_id(1); atomic_add(&h[y*w + x], 1); o[y*4 + x] = 1; }
kernel void look_at_rows(global float *o, global const int *h, int w)
{ int x = get_global_id(0), y = get_global_id(1); o[y*w + x] += h[y*w + x]; }
kernel void newer(global int *h, global float *u, global const float *t, int n)
{ int i = get_global_id(0); if (i < n) u[i] = atomic_fetch_add(&h[0], 1) + t[i]; }
"""
ITEMS = 40


def same(calls: list[str], out: list[str]) -> Fused:
    """Fused and run beside the original calls."""
    made = fuse(KERNELS, calls, out)
    random = np.random.default_rng(5)
    floats = {name: random.uniform(0, 30, 2 * ITEMS).astype(np.float32) for name in "atuo"}
    data = {**floats, "h": random.integers(0, 9, 2 * ITEMS).astype(np.int32)}
    assert_same(made, KERNELS, Case(data, {"n": np.int32(37)}, (ITEMS,), (8,)), out)
    return made


@pytest.mark.parametrize(
    ("calls", "out"),
    [
        (["scale(t, a, n)", "count(h, t, n)"], ["h"]),
        (["scale(t, a, n)", "both(h, u, t, n)", "scale(o, u, n)"], ["h", "o"]),
        (["count(h, a, n)", "scale(a, a, n)"], ["h", "a"]),
    ],
    ids=["last", "between", "first"],
)
def test_values_go_past_an_atomic_operation(calls: list[str], out: list[str]) -> None:
    made = same(calls, out)
    assert len(made.plan.groups) == 1
    assert "t[i]" not in fused_text(made)


def test_counts_of_a_group_in_local_memory() -> None:
    made = same(["scale(t, a, n)", "in_groups(h, t, n)"], ["h"])
    assert len(made.plan.groups) == 1


@pytest.mark.parametrize(
    "calls",
    [
        ["count(h, a, n)", "look(o, h, n)"],
        ["reset(h, n)", "count(h, a, n)"],
        ["count(h, a, n)", "both(h, u, t, n)"],
    ],
    ids=["read", "written", "changed"],
)
def test_what_is_changed_in_any_order_is_left_alone(calls: list[str]) -> None:
    named = " ".join(calls)
    made = same(calls, [name for name in "hou" if f"({name}," in named or f" {name}," in named])
    assert [d.code for d in made.diagnostics] == ["KF205", "KF401"]
    assert "by atomic operations, in any order of its items" in made.diagnostics[0].message


def test_items_that_meet_in_an_atomic_operation_are_no_race() -> None:
    """Rows may overlap there: that the program is right says nothing of their width."""
    made = fuse(KERNELS, ["rows(h, u, w)", "look_at_rows(o, h, w)"], ["o", "u"])
    assert len(made.plan.groups) == 2


def test_items_with_atomic_operations_are_done_one_by_one() -> None:
    calls = ["scale(t, a, n)", "both(h, u, t, n)", "scale(o, u, n)"]
    made = fuse(KERNELS, calls, ["h", "o"], target=TARGETS["nvidia"], elements=4)
    assert [group.elements for group in made.plan.groups] == [1]


def test_operations_that_order_others_are_refused() -> None:
    made = fuse(KERNELS, ["scale(t, a, n)", "newer(h, u, t, n)"], ["h", "u"])
    assert "KF205" in {d.code for d in made.diagnostics}
    assert len(made.plan.groups) == 2
