"""Which launches stand in the frame of another one."""

from __future__ import annotations

from kfusion.graph.model import InRows, Placement
from kfusion.graph.plan import plan_region
from tests.random.places import Call, Pipeline, invocations, truth

HEAD = "(__global float *p0, __global float *p1, __global float *p2, int w, int h, int n)"


def call(name: str, buffers: str, work: str) -> Call:
    flat = "i" in work.split("[")[1][:2]
    ids = "int i = get_global_id(0); if (i < n)"
    if not flat:
        ids = "int x = get_global_id(0), y = get_global_id(1); if (x < w && y < h)"
    text = f"__kernel void {name}{HEAD} {{ {ids} {work} }}\n"
    return Call(name, tuple(buffers), (48,) if flat else (8, 6), text)


def test_neighbours_behind_a_group_move_none_of_it() -> None:
    """Where the last two meet, no other place would part them."""
    calls = (
        call("first", "tab", "p0[y * w + x] = p1[y * w + x];"),
        call("flat", "tab", "p0[i] *= 2;"),
        call("third", "eta", "p0[y * w + x] = p1[y * w + x];"),
        call("fourth", "eta", "p0[y * w + x] += 1;"),
        call("blur", "cea", "p0[y * w + x] = p1[y * w + x] + p1[y * w + x + 1];"),
    )
    pipeline = Pipeline(calls, {"w": 8, "h": 6, "n": 48}, frozenset("c"))
    plan = plan_region(invocations([pipeline])[0], pipeline.out, truth(pipeline))
    assert [group.members for group in plan.groups] == [(0, 1, 2, 3), (4,)]
    (placed,) = {a for a in plan.groups[0].assumptions if isinstance(a, Placement)}
    assert isinstance(placed, InRows)
    assert (placed.invocation, placed.frame) == (1, 0)
