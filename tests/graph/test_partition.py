"""The grouping that is taken is the best there is: compared with all there are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kfusion.api import fuse
from kfusion.graph import partition
from kfusion.graph.model import Disjoint, LaunchRange
from kfusion.graph.partition import Members, Pairs, Prices, best_partition
from tests.support.kernel_side import ELEMENTWISE, fused_and_same

BLUR = """
__kernel void blur(__global float *c, __global const float *a)
{
    const size_t i = get_global_id(0);
    c[i] = a[i > 0 ? i - 1 : 0] + a[i];
}
"""


def partitions(calls: tuple[int, ...]) -> Iterator[list[Members]]:
    """Every way to divide the calls into groups."""
    if not calls:
        yield []
        return
    first, *rest = calls
    for divided in partitions(tuple(rest)):
        yield [(first,), *divided]
        for number, group in enumerate(divided):
            yield [*divided[:number], (first, *group), *divided[number + 1 :]]


def moves(groups: tuple[Members, ...], ordered: Pairs) -> int | None:
    """Pairs out of program order; None if the groups cannot be done in this order."""
    place = {call: number for number, group in enumerate(groups) for call in group}
    if any(place[p] > place[q] for p, q in ordered):
        return None
    return sum(place[p] > place[q] for q in place for p in range(q))


def cheapest(
    count: int, ordered: Pairs, together: Pairs, costs: dict[Members, int]
) -> tuple[int, int, int]:
    """Bytes, launches and moves of the best grouping, by trying all."""
    found: list[tuple[int, int, int]] = []
    for groups in partitions(tuple(range(count))):
        pairs = {(p, q) for g in groups for q in g for p in g if p < q}
        if not pairs <= together or any(g not in costs for g in groups):
            continue
        moved = [moves(order, ordered) for order in permutations(groups)]
        possible = [m for m in moved if m is not None]
        if possible:
            found.append((sum(costs[g] for g in groups), len(groups), min(possible)))
    return min(found)


@st.composite
def problems(draw: st.DrawFn) -> tuple[int, Pairs, Pairs, dict[Members, int]]:
    count = draw(st.integers(2, 6))
    pairs = [(p, q) for q in range(count) for p in range(q)]
    ordered = frozenset(pair for pair in pairs if draw(st.integers(0, 2)) == 0)
    together = frozenset(pair for pair in pairs if draw(st.integers(0, 2)) > 0)
    costs: dict[Members, int] = {}
    for bits in range(1, 1 << count):
        members = tuple(i for i in range(count) if bits >> i & 1)
        if len(members) == 1 or draw(st.integers(0, 5)):
            costs[members] = draw(st.integers(1, 4 * len(members)))
    return count, ordered, together, costs


@settings(max_examples=300, deadline=None)
@given(problem=problems())
def test_best_of_all(problem: tuple[int, Pairs, Pairs, dict[Members, int]]) -> None:
    count, ordered, together, costs = problem
    groups = best_partition(count, ordered, together, Prices(costs.get))
    moved = moves(groups, ordered)
    assert moved is not None
    assert sorted(call for group in groups for call in group) == list(range(count))
    taken = (sum(costs[g] for g in groups), len(groups), moved)
    assert taken == cheapest(count, ordered, together, costs)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_best_of_all_for_real_kernels(data: st.DataObject) -> None:
    from kfusion.graph.plan import _Planner

    names = st.sampled_from("abcde")
    calls = []
    for _ in range(data.draw(st.integers(2, 5))):
        kernel = data.draw(st.sampled_from(["square", "add", "twice", "blur"]))
        target, *sources = data.draw(st.permutations("abcd"))
        arguments = {"square": 1, "add": 2, "twice": 0, "blur": 1}[kernel]
        calls.append(f"{kernel}({', '.join([target, *sources[:arguments]])})")
    out = data.draw(st.sets(names.filter(lambda n: any(n in c.split("(")[1] for c in calls))))
    planners: list[_Planner] = []
    plan = _Planner.plan

    def noted(self: _Planner) -> object:
        planners.append(self)
        return plan(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_Planner, "plan", noted)
        fused = fuse(ELEMENTWISE + BLUR, calls, sorted(out))
    (planner,) = planners
    count = len(calls)
    costs = {}
    for bits in range(1, 1 << count):
        members = tuple(i for i in range(count) if bits >> i & 1)
        moved = planner._bytes(members)
        if moved is not None:
            costs[members] = moved
            assert planner.least.of(members) <= moved
    everything = frozenset((p, q) for q in range(count) for p in range(q))
    groups = tuple(group.members for group in fused.plan.groups)
    moved = moves(groups, planner.ordered)
    assert moved is not None
    taken = (sum(costs[g] for g in groups), len(groups), moved)
    assert taken == cheapest(count, planner.ordered, everything, costs)


def test_call_moves_past_one_that_it_does_not_need() -> None:
    calls = ["square(t, a)", "blur(d, b)", "add(c, t, a)"]
    fused = fused_and_same(ELEMENTWISE + BLUR, calls, ["c", "d"], launches=1)
    assert fused.plan.groups[0].members == (0, 1, 2)
    ranges = [LaunchRange(1, "n"), LaunchRange(1, "m"), LaunchRange(1, "n")]
    apart = fuse(ELEMENTWISE + BLUR, calls, ["c", "d"], ranges=ranges)
    assert [group.members for group in apart.plan.groups] == [(0, 2), (1,)]
    assert Disjoint("a", "d") in apart.plan.groups[0].assumptions
    assert [launch.calls for launch in apart.kernels] == [(0, 2), (1,)]


PILE = """
__kernel void pile(__global float *c, __global const float *x, __global const float *y,
                   __global const float *z)
{
    const size_t i = get_global_id(0);
    c[i] = x[i] + y[i] + z[i];
}
__kernel void shift(__global float *c, __global const float *a)
{
    const size_t i = get_global_id(0);
    c[i] = a[i > 0 ? i - 1 : 0];
}
"""


def test_group_around_what_is_needed_in_between() -> None:
    """Trap 15: the first and the last would share much, but the last needs the second."""
    calls = ["square(t, a)", "shift(d, t)", "pile(c, t, a, d)"]
    fused = fused_and_same(ELEMENTWISE + PILE, calls, launches=2)
    assert [group.members for group in fused.plan.groups] == [(0,), (1, 2)]


def test_moved_calls_leave_what_they_left() -> None:
    calls = ["blur(b, a)", "square(t, b)", "blur(d, t)", "twice(b)", "add(c, t, b)", "blur(e, d)"]
    fused = fused_and_same(ELEMENTWISE + BLUR, calls, launches=3)
    assert [group.members for group in fused.plan.groups] == [(0, 1, 3, 4), (2,), (5,)]


def test_calls_that_come_before_earlier_ones_by_way_of_a_third() -> None:
    """The fourth is done first, for the fifth's sake: it must not read what the third writes."""
    source = (
        ELEMENTWISE
        + """
__kernel void both(__global float *t, __global float *p)
{
    const size_t i = get_global_id(0);
    t[i] = 1;
    p[i] = 1;
}
__kernel void other(__global float *c, __global const float *a)
{
    const size_t i = get_global_id(0);
    c[i] = a[i ^ 1] + 1;
}
"""
    )
    calls = ["both(t, p)", "other(q, p)", "copy(r, q)", "other(x, v)", "add(c, t, x)"]
    fused = fuse(source, calls, ["c", "r"], ranges=["A", "A", "A", "X", "A"])
    assert [launch.calls for launch in fused.kernels] == [(3,), (0, 4), (1, 2)]
    assumed = {a for group in fused.plan.groups for a in group.assumptions}
    assert Disjoint("r", "v") in assumed


def test_long_regions_are_divided_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be searched in full still gets the best runs of calls."""
    monkeypatch.setattr(partition, "MOST_SETS", 3)
    together = frozenset((p, q) for q in range(6) for p in range(q) if (p, q) != (2, 3))
    groups = best_partition(6, frozenset(), together, Prices(lambda members: 10 - len(members)))
    assert groups == ((0, 1, 2), (3, 4, 5))
