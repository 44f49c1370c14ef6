"""Groups of two dimensions, whose items are numbered through by one index."""

from __future__ import annotations

from kfusion.api import fuse
from kfusion.graph.model import LaunchRange

KERNELS = """\
#define INDEX \\
    ((get_group_id(0) + get_group_id(1) * get_num_groups(0)) * get_local_size(0) + get_local_id(0))

__kernel void fill(__global float *x, float value, int n)
{
    int i = INDEX;
    if (i >= n) return;
    x[i] = value;
}

__kernel void axpy(__global float *y, __global const float *x, float alpha, int n)
{
    int i = INDEX;
    if (i >= n) return;
    y[i] += alpha * x[i];
}
"""
CALLS = ["fill(y, zero, n)", "axpy(y, x, one, n)"]


def codes(local: str, single: tuple[int, ...] = ()) -> list[str]:
    ranges = [LaunchRange(2, "a grid of groups", local=local, single=single)] * 2
    return [d.code for d in fuse(KERNELS, CALLS, ranges=ranges).diagnostics]


def test_groups_of_one_row_are_fused() -> None:
    assert codes("16, 1", (1,)) == []


def test_groups_of_unknown_size_are_not() -> None:
    """Items with the same flat index differ in their second local id, if they have one."""
    assert codes("16, rows") == ["KF201", "KF401"]
