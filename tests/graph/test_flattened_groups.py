"""Groups of two dimensions, whose items are numbered through by one index."""

from __future__ import annotations

import pytest

from kfusion.api import CheckError, fuse
from kfusion.graph.model import Crowded, LaunchRange

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


def test_groups_of_unknown_size_are_taken_to_have_one_row() -> None:
    """Items with the same flat index differ in their second local id, if they have one."""
    fused = fuse(KERNELS, CALLS)
    assert len(fused.kernels) == 1
    assert Crowded(0, 1, 1) in fused.plan.groups[0].assumptions
    fused.check(None, local=(16, 1))
    with pytest.raises(CheckError) as caught:
        fused.check(None, local=(16, 2))
    assert str(caught.value) == (
        "call 0 has groups of (16, 2), and was fused for no more than 1 in dimension 1"
    )


@pytest.mark.parametrize(
    ("first", "second", "codes_"),
    [
        # As many as the kernels say themselves, or as they count
        ("64, R64", "64, R64", []),
        ("64, R64", "g, R64", []),
        ("32, R64", "32, R64", ["KF201", "KF401"]),
        ("64, ", "g, ", ["KF201", "KF401"]),
        ("64, R32", "g, R32", ["KF201", "KF401"]),
        ("64, R32", "64, R32", ["KF201", "KF401"]),  # more than items, in an int
    ],
)
def test_groups_of_a_number_of_items(first: str, second: str, codes_: list[str]) -> None:
    """What is stored under a condition shows nothing of races."""

    def kernel(name: str, to: str, of: str, kind: str) -> str:
        size, required = kind.split(", ")
        attribute = f"__attribute__((reqd_work_group_size({required[1:]}, 1, 1)))" * bool(required)
        index = f"get_group_id(0) * {size} + get_local_id(0)".replace("get_group_id(0) * g + ", "")
        index = "get_global_id(0)" if size == "g" else index
        return (
            f"{attribute} kernel void {name}(global float *{to}, global const float *{of}, int n)\n"
            f"{{ const int i = {index}; if (i < n) {{ if ({of}[i] > 0) {to}[i] = {of}[i]; }} }}\n"
        )

    source = kernel("f", "t", "a", first) + kernel("g", "c", "t", second)
    assert [d.code for d in fuse(source, ["f(t, a, n)", "g(c, t, n)"]).diagnostics] == codes_


COUNTED = """\
#define GROUP 64
__kernel void f(__global float *t, __global const float *a, int n)
{
    const int i = get_group_id(0) * GROUP + get_local_id(0);
    if (i < n) { if (a[i] > 0) t[i] = a[i]; }
}
__kernel void g(__global float *c, __global const float *t, int n)
{
    const int i = get_global_id(0);
    if (i < n) { if (t[i] > 0) c[i] = t[i]; }
}
"""


def test_groups_of_the_size_that_a_kernel_counts_on() -> None:
    ranges = [LaunchRange(1, "n", local="64")] * 2
    fused = fuse(COUNTED, ["f(t, a, n)", "g(c, t, n)"], ranges=ranges)
    assert len(fused.kernels) == 1
    fused.check(None, local=64)
    with pytest.raises(CheckError) as caught:
        fused.check(None, local=32)
    assert str(caught.value) == ("call 0 has groups of (32,), and was fused for 64 in dimension 0")


@pytest.mark.parametrize(
    ("local", "code"), [("32", "KF201"), ("the_group", "KF201"), (None, "KF202")]
)
def test_groups_of_another_size_than_a_kernel_counts_on(local: str | None, code: str) -> None:
    ranges = [LaunchRange(1, "n", local=local)] * 2
    fused = fuse(COUNTED, ["f(t, a, n)", "g(c, t, n)"], ranges=ranges)
    assert [d.code for d in fused.diagnostics] == [code, "KF401"]
