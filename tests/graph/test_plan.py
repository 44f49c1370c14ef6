"""Plans: groups, what they store and keep in variables, loads and stores, liveness."""

from __future__ import annotations

import pytest

from kfusion.api import fuse
from kfusion.graph.model import Group
from tests.support.kernel_side import ELEMENTWISE

BLUR = """
__kernel void blur(__global float *c, __global const float *a)
{
    size_t i = get_global_id(0);
    c[i] = a[i] + a[i + 1];
}
"""
LINALG = """
__kernel void add(__global float *c, float alpha, __global const float *a, float beta,
                  __global const float *b, uint n)
{
    size_t i = get_global_id(0);
    if (i < n) c[i] = alpha * a[i] + beta * b[i];
}
__kernel void mult(__global float *c, __global const float *a, __global const float *b, uint n)
{
    size_t i = get_global_id(0);
    if (i < n) c[i] = a[i] * b[i];
}
__kernel void root(__global float *c, __global const float *a, uint n)
{
    size_t i = get_global_id(0);
    if (i < n) c[i] = sqrt(a[i]);
}
"""
PYTHAGORAS = [
    "mult(a2, a, a, n)",
    "mult(b2, b, b, n)",
    "add(c2, 1, a2, 1, b2, n)",
    "root(c, c2, n)",
]
DISTANCES = [
    "add(dx, 1, x1, -1, x2, n)",
    "add(dy, 1, y1, -1, y2, n)",
    "mult(dx2, dx, dx, n)",
    "mult(dy2, dy, dy, n)",
    "add(c2, 1, dx2, 1, dy2, n)",
    "root(c, c2, n)",
]


def only_group(source: str, calls: list[str], out: list[str] | None) -> Group:
    (group,) = fuse(source, calls, out).plan.groups
    return group


def traffic(group: Group) -> tuple[int, int]:
    return group.loads_after, group.stores_after


@pytest.mark.parametrize(
    ("calls", "out", "expected"),
    [
        (PYTHAGORAS, ["c"], (2, 1)),
        (PYTHAGORAS, ["c", "c2"], (2, 2)),
        (PYTHAGORAS, None, (2, 4)),
        (DISTANCES, ["c"], (4, 1)),
        (["add(x, 1, x, alpha, p, n)", "add(p, 1, z, beta, p, n)"], None, (3, 2)),
        (["add(r, 1, r, alpha, q, n)", "mult(z, m, r, n)"], None, (3, 2)),
    ],
)
def test_loads_and_stores(
    calls: list[str], out: list[str] | None, expected: tuple[int, int]
) -> None:
    assert traffic(only_group(LINALG, calls, out)) == expected


def test_stencil_splits_the_region() -> None:
    calls = ["square(t, a)", "twice(t)", "blur(u, t)", "square(c, u)"]
    plan = fuse(ELEMENTWISE + BLUR, calls, ["c"]).plan
    assert [group.members for group in plan.groups] == [(0, 1), (2, 3)]
    assert plan.groups[0].stored == {"t"}
    assert plan.groups[1].internalised == {"u"}
    assert (plan.cuts[0].before, plan.cuts[0].after) == (1, 2)


def test_the_cut_falls_where_it_costs_least() -> None:
    """Between the first blur and the second one cut is needed: not through t."""
    calls = ["blur(s, a)", "square(t, s)", "add(u, t, t)", "blur(c, s)"]
    plan = fuse(ELEMENTWISE + BLUR, calls, ["c"]).plan
    assert [group.members for group in plan.groups] == [(0, 1, 2), (3,)]


def test_kernel_that_is_not_understood_stands_alone() -> None:
    source = ELEMENTWISE + "__kernel void sync(__global float *a) { mem_fence(1); a[0] = 1; }\n"
    plan = fuse(source, ["square(t, a)", "twice(t)", "sync(t)", "twice(t)", "twice(t)"]).plan
    assert [group.members for group in plan.groups] == [(0, 1), (2,), (3, 4)]
    assert [{why.code for why in cut.reasons} for cut in plan.cuts] == [{"KF204"}] * 2


def test_memory_of_a_kernel_that_is_not_understood_is_live() -> None:
    source = ELEMENTWISE + "__kernel void sync(__global float *a) { mem_fence(1); }\n"
    plan = fuse(source, ["square(t, a)", "square(c, t)", "sync(t)"], ["c"]).plan
    assert plan.groups[0].stored == {"c", "t"}


def test_dropped_value_may_not_hide_under_another_name() -> None:
    """t is dropped, so the memory that is read later must not be t's."""
    calls = ["square(t, a)", "square(c, t)", "blur(d, c)", "blur(e, d)"]
    plan = fuse(ELEMENTWISE + BLUR, calls, ["e"]).plan
    assumed = [str(a) for a in plan.groups[0].assumptions]
    assert "Disjoint(left='d', right='t')" in assumed
    assert "Disjoint(left='e', right='t')" in assumed


def test_overwritten_in_the_same_group() -> None:
    group = only_group(ELEMENTWISE, ["square(t, a)", "square(c, t)", "square(t, c)"], None)
    assert traffic(group) == (1, 2)


def test_stage_that_nobody_needs_disappears() -> None:
    fused = fuse(ELEMENTWISE, ["square(t, a)", "twice(u)", "square(c, t)"], ["c"])
    assert traffic(fused.plan.groups[0]) == (1, 1)
    assert "u" not in [p.name for p in fused.fused[0].parameters]


def test_single_kernels_keep_their_stores() -> None:
    plan = fuse(ELEMENTWISE, ["square(t, a)"], []).plan
    assert plan.groups[0].stored == {"t"}
    assert not plan.fuses


def test_interleaved_elements() -> None:
    source = """
__kernel void polar(__global float *z)
{
    size_t i = get_global_id(0);
    float x = z[2 * i], y = z[2 * i + 1];
    z[2 * i] = hypot(x, y);
    z[2 * i + 1] = atan2(y, x);
}
"""
    assert traffic(only_group(source, ["polar(z)", "polar(z)"], None)) == (2, 2)


def test_another_access_may_hit_the_same_element() -> None:
    """a[n - 1 - i] may be a[i]: the old value of neither may be kept in a variable."""
    source = (
        ELEMENTWISE
        + """
__kernel void mirror(__global float *a, uint n)
{
    size_t i = get_global_id(0);
    if (i < n / 2) {
        float x = a[i];
        a[i] = a[n - 1 - i];
        a[n - 1 - i] = x;
        a[i] += 1;
    }
}
"""
    )
    plan = fuse(source, ["square(t, b)", "mirror(a, n)"]).plan
    assert len(plan.groups) == 1
    assert traffic(plan.groups[0]) == (4, 4)


def test_all_reasons_are_given_first_those_with_a_remedy() -> None:
    f = "__kernel void f(__global float *t, __global float *u, int w) { XY t[y*w + x] = 1; }"
    g = """__kernel void g(__global float *o, __global float *t, __global int *hits, int w) {
    XY atomic_fetch_add(&hits[x], 1);
    printf("%d", x);
    o[y*w + x] = t[hits[x]];
}"""
    ids = "int x = get_global_id(0), y = get_global_id(1);"
    plan = fuse(f"{f}\n{g}\n".replace("XY", ids), ["f(t, u, w)", "g(o, t, hits, w)"], ["o"]).plan
    ((*reasons,),) = [cut.reasons for cut in plan.cuts]
    assert [why.code for why in reasons] == ["KF203", "KF205", "KF222"]
    assert [why.help is None for why in reasons] == [False, True, True]


def test_kernel_with_one_reason_against_several_others_gives_it_once() -> None:
    calls = ["square(t, a)", "twice(t)", "blur(u, t)"]
    plan = fuse(ELEMENTWISE + BLUR, calls, ["u"]).plan
    assert [len(cut.reasons) for cut in plan.cuts] == [1]
