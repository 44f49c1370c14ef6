"""Kernels whose groups work together: local memory, barriers, asynchronous copies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyopencl as cl
import pytest

from kfusion.api import Fused, fuse
from kfusion.graph.model import LaunchRange
from tests.support.kernel_side import ELEMENTWISE, OWN_ELEMENTS, fused_text, random_data
from tests.support.pyopencl_run import Array, Case, assert_same

GROUP, ITEMS = 16, 64

SUM = """
__kernel void sum(__global float *out, __global const float *a)
{
    __local float tile[16];
    const size_t i = get_global_id(0);
    const size_t l = get_local_id(0);
    tile[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t s = get_local_size(0) / 2; s > 0; s /= 2) {
        if (l < s)
            tile[l] += tile[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = tile[0];
}
"""
REVERSE = """
__kernel void reverse(__global float *c, __global const float *a)
{
    __local float tile[16];
    const size_t l = get_local_id(0);
    const size_t i = get_global_id(0);
    tile[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    c[i] = tile[get_local_size(0) - 1 - l];
}
"""
GIVEN = """
__kernel void given(__global float *c, __global const float *a, __local float *tile)
{
    const size_t l = get_local_id(0);
    const size_t i = get_global_id(0);
    tile[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    c[i] = tile[(l + 1) % get_local_size(0)];
}
"""
BOUNDED = """
__kernel void bounded(__global float *c, __global const float *a, const uint n)
{
    const size_t i = get_global_id(0);
    if (i >= n)
        return;
    c[i] = a[i] + 1.0f;
}
"""
# Through global memory, within the group.
HAND_OVER = """
__kernel void hand_over(__global float *a, __global const float *b)
{
    const size_t i = get_global_id(0);
    a[i] = b[i];
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        a[i + 1] = 2 * b[i];
    barrier(CLK_GLOBAL_MEM_FENCE);
    a[i] += 1.0f;
}
"""
WEIGH = """
__kernel void weigh(__global float *c, __global const float *a, __global const float *w)
{
    __local float weights[3];
    const size_t i = get_global_id(0);
    float sum = 0;
    /* the weights, while others compute */
    event_t copied = async_work_group_copy(weights, w, 3, 0);
    wait_group_events(1, &copied);
    for (int k = 0; k < 3; k++)
        sum += weights[k] * a[i];
    c[i] = sum;
}
"""


def fused_of(source: str, calls: Sequence[str], out: Sequence[str] | None = None) -> Fused:
    ranges = [LaunchRange(1, "all", local="16")] * len(calls)
    return fuse(source, calls, out, ranges=ranges, target=OWN_ELEMENTS)


def same(
    source: str,
    calls: Sequence[str],
    out: Sequence[str] | None = None,
    *,
    launches: int = 1,
    scalars: Mapping[str, np.generic | cl.LocalMemory] | None = None,
) -> Fused:
    fused = fused_of(source, calls, out)
    assert len(fused.kernels) == launches, [d.message for d in fused.diagnostics]
    memory = sorted({m.name for i in fused.plan.invocations for m in i.memory})
    data: dict[str, Array] = random_data(memory, ITEMS)
    case = Case(data, scalars or {}, (ITEMS,), (GROUP,))
    assert_same(fused, source, case, memory if out is None else out)
    return fused


def cut(source: str, calls: Sequence[str], out: Sequence[str] | None = None) -> tuple[str, str]:
    fused = fused_of(source, calls, out)
    assert len(fused.kernels) == len(calls)
    return fused.diagnostics[0].code, fused.diagnostics[0].message


def test_map_and_reduce() -> None:
    fused = same(ELEMENTWISE + SUM, ["square(t, a)", "sum(s, t)"], ["s"])
    assert (fused.plan.groups[0].loads_after, fused.plan.groups[0].stores_after) == (1, 1)
    assert "tile[l] = t_i;" in fused_text(fused)


def test_neighbours_on_both_sides() -> None:
    source = ELEMENTWISE + SUM + REVERSE
    calls = ["square(t, a)", "reverse(u, t)", "square(v, u)", "sum(s, v)"]
    fused = same(source, calls, ["s"])
    assert fused_text(fused).count("__local float tile[16];") == 1


def test_stages_share_a_local_array() -> None:
    """Between them a barrier: an item may still read what another one writes."""
    calls = ["reverse(c, a)", "reverse(d, b)", "sum(o, a)"]
    text = fused_text(same(SUM + REVERSE, calls))
    assert text.count("__local") == 1
    assert text.count("    barrier(CLK_LOCAL_MEM_FENCE);\n    tile[l] = ") == 2


def test_arrays_of_other_shapes_are_apart() -> None:
    wide = REVERSE.replace("reverse", "wide").replace("tile[16]", "tile[17]")
    text = fused_text(same(REVERSE + wide, ["reverse(c, a)", "wide(d, b)", "reverse(e, c)"]))
    assert text.count("__local") == 2
    assert "__local float tile_2[17];" in text


def test_arrays_of_one_text_and_two_sizes_are_apart() -> None:
    """`n` is a constant of each kernel."""
    sized = "const int n = 16;\n    __local float tile[n]"
    small = REVERSE.replace("__local float tile[16]", sized)
    large = small.replace("n = 16", "n = 64").replace("tile[l]", "tile[3 * l]")
    large = large.replace("get_local_size(0) - 1 - l", "45 - 3 * l").replace("reverse", "large")
    text = fused_text(same(small + large, ["reverse(c, a)", "large(d, b)"]))
    assert text.count("__local") == 2


def test_arrays_that_copies_fill_are_apart() -> None:
    text = fused_text(same(WEIGH, ["weigh(c, a, w)", "weigh(d, b, v)"]))
    assert text.count("__local float weights") == 2


@pytest.mark.parametrize(("second", "kernels"), [("tile[5000]", 1), ("tile[5001]", 2)])
def test_local_memory_that_is_shared_counts_once(second: str, kernels: int) -> None:
    first = REVERSE.replace("tile[16]", "tile[5000]")
    other = REVERSE.replace("tile[16]", second).replace("reverse", "other")
    fused = fused_of(first + other, ["reverse(c, a)", "other(d, a)"])
    assert len(fused.kernels) == kernels


def test_same_kernel_twice() -> None:
    same(REVERSE, ["reverse(b, a)", "reverse(c, b)"])


def test_early_return_of_a_neighbour_leaves_no_item_behind() -> None:
    source = BOUNDED + REVERSE
    calls = ["bounded(b, a, n)", "reverse(c, b)", "bounded(d, c, n)"]
    fused = same(source, calls, scalars={"n": np.uint32(53)})
    assert "return" not in fused_text(fused)


def test_local_memory_given_by_the_host() -> None:
    calls = ["square(t, a)", "given(c, t, scratch)", "twice(c)"]
    fused = same(ELEMENTWISE + GIVEN, calls, ["c"], scalars={"scratch": cl.LocalMemory(4 * GROUP)})
    assert "__local float *tile" in fused_text(fused)
    assert "scratch" in fused.kernels[0].arguments


VOLATILE = """
float of(volatile __local float *t, size_t i) { return t[i]; }
__kernel void shown(__global float *c, __global const float *a, __local volatile float *tile)
{
    volatile __local float own[16];
    const size_t l = get_local_id(0), i = get_global_id(0);
    volatile __local float *p = own;
    volatile float twice = 2 * a[i];
    tile[l] = twice;
    own[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    c[i] = of(tile, 15 - l) + p[l ^ 1];
}
"""


def test_volatile_local_memory_is_no_one_else_s() -> None:
    calls = ["square(t, a)", "shown(c, t, scratch)", "twice(c)"]
    scalars = {"scratch": cl.LocalMemory(4 * GROUP)}
    fused = same(ELEMENTWISE + VOLATILE, calls, ["c"], scalars=scalars)
    assert "__local volatile float *tile" in fused_text(fused)
    source = ELEMENTWISE + VOLATILE.replace("__global const float *a", "volatile __global float *a")
    assert cut(source, calls) == ("KF205", "shown() has volatile memory: 'a'")


def test_what_other_items_of_the_group_stored_is_loaded_again() -> None:
    same(ELEMENTWISE + HAND_OVER, ["square(b, c)", "hand_over(a, b)"])


def test_element_of_another_item_is_still_a_cut() -> None:
    source = ELEMENTWISE + REVERSE.replace("a[i]", "a[i ^ 1]")
    assert cut(source, ["square(t, a)", "reverse(c, t)"])[0] == "KF203"


def test_group_result_that_all_items_need() -> None:
    source = SUM + (
        "__kernel void scale(__global float *c, __global const float *s)\n"
        "{\n    c[get_global_id(0)] *= s[0];\n}\n"
    )
    assert cut(source, ["sum(s, c)", "scale(c, s)"])[0] == "KF201"


@pytest.mark.parametrize("left", ["i >= n", "a[i] > 0"], ids=["guard", "data"])
def test_barrier_that_some_items_may_not_reach(left: str) -> None:
    source = ELEMENTWISE + (
        "__kernel void f(__global float *c, __global const float *a, const uint n)\n{\n"
        f"    const size_t i = get_global_id(0);\n    if ({left}) return;\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n    c[i] = a[i];\n}\n"
    )
    assert cut(source, ["square(t, a)", "f(c, t, n)"]) == (
        "KF204",
        "f() has a barrier: 'barrier()'",
    )


WAITING = """
void wait_for_all(void) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); }
float sum_of(__local float *t, const size_t l)
{
    for (size_t s = get_local_size(0) / 2; s > 0; s /= 2) {
        wait_for_all();
        if (l < s)
            t[l] += t[l + s];
    }
    wait_for_all();
    return t[0];
}
"""


def waiting(body: str) -> str:
    return (
        f"{ELEMENTWISE}{WAITING}"
        "__kernel void f(__global float *c, __global const float *a, const int n)\n{\n"
        "    const size_t i = get_global_id(0), l = get_local_id(0);\n"
        f"    {body}\n}}\n"
    )


TILE = "__local float tile[16];"
WORK = "tile[l] = a[i]; c[i] = sum_of(tile, l);"


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize(
    "body",
    [
        f"{TILE} {WORK}",
        f"{TILE} if (n < 2) return; {WORK}",
        f"{TILE} if (get_group_id(0) < n) {{ {WORK} }}",
        f"{TILE} if (n * 16 > get_local_size(0) && n != 2) {{ {WORK} }}",
        f"{TILE} tile[l] = a[i]; mem_fence(CLK_LOCAL_MEM_FENCE); c[i] = tile[l];",
        "if (i + n > 4) { write_mem_fence(CLK_LOCAL_MEM_FENCE); c[i] = a[i]; }",
    ],
)
def test_items_of_a_group_that_come_to_a_barrier_all_or_none(body: str, n: int) -> None:
    calls = ["square(t, a)", "f(c, t, n)", "twice(c)"]
    same(waiting(body), calls, scalars={"n": np.int32(n)})


@pytest.mark.parametrize(
    "body",
    [
        f"{TILE} if (i < n) {{ {WORK} }}",
        f"{TILE} if (n < 2 || l > 3) return; {WORK}",
        f"{TILE} tile[l] = a[i]; if (tile[0] > n) return; {WORK}",
        f"if (n < 2) return; {TILE} {WORK}",
        "mem_fence(CLK_GLOBAL_MEM_FENCE); c[i] = a[i];",
    ],
)
def test_items_of_a_group_that_may_not_all_come(body: str) -> None:
    assert cut(waiting(body), ["square(t, a)", "f(c, t, n)"])[0] == "KF204"


def test_what_is_stored_in_front_of_a_function_that_waits_is_loaded_behind_it() -> None:
    body = "c[i] = a[i]; wait_for_all(); if (l < 8) c[i] += c[i + 8]; wait_for_all();"
    same(waiting(body), ["square(t, a)", "f(c, t, n)"], scalars={"n": np.int32(1)})


def test_different_local_sizes() -> None:
    ranges = [LaunchRange(1, "all", local=None), LaunchRange(1, "all", local="16")]
    source = ELEMENTWISE + WEIGH
    fused = fuse(source, ["square(t, a)", "weigh(c, t, w)"], ranges=ranges)
    assert [d.code for d in fused.diagnostics] == ["KF202", "KF401"]


def test_more_local_memory_than_devices_have() -> None:
    source = REVERSE.replace("tile[16]", "tile[5000]")
    source += REVERSE.replace("tile[16]", "tile[4000]").replace("reverse", "again")
    assert cut(source, ["reverse(b, a)", "again(c, b)"]) == (
        "KF223",
        (
            "the fused kernel would have 36000 bytes of local memory; devices need have no more "
            "than 32768"
        ),
    )


def test_local_memory_of_unknown_size_and_more_of_it() -> None:
    assert cut(GIVEN + REVERSE, ["given(b, a, m)", "reverse(c, b)"]) == (
        "KF223",
        "given() and reverse() both have local memory, and how much is known at run time only",
    )


def test_copy_starts_before_the_stages_in_front() -> None:
    fused = same(ELEMENTWISE + WEIGH, ["square(t, a)", "weigh(c, t, w)", "twice(c)"], ["c"])
    text = fused_text(fused)
    assert text.index("async_work_group_copy") < text.index("square(t, a)")
    assert text.index("square(t, a)") < text.index("wait_group_events")


def test_copy_into_an_array_that_is_declared_last_starts_early() -> None:
    array = "    __local float weights[3];\n"
    last = WEIGH.replace(array, "").replace("    float sum", f"{array}    float sum")
    text = fused_text(same(ELEMENTWISE + last, ["square(t, a)", "weigh(c, t, w)"], ["c"]))
    assert text.index("async_work_group_copy") < text.index("square(t, a)")


def test_immovable_copy_stays() -> None:
    marked = WEIGH.replace("    event_t", "#pragma immovable\n    event_t")
    fused = same(ELEMENTWISE + marked, ["square(t, a)", "weigh(c, t, w)"], ["c"])
    text = fused_text(fused)
    assert text.index("square(t, a)") < text.index("async_work_group_copy")


WEIGH_BOUNDED = """
__kernel void weigh(__global float *c, __global const float *a, __global const float *w, int n)
{
    __local float weights[3];
    event_t copied = async_work_group_copy(weights, w, 3, 0);
    const int i = get_global_id(0);
    wait_group_events(1, &copied);
    if (i < n) {
        float sum = 0;
        for (int k = 0; k < 3; k++)
            sum += weights[k] * a[i];
        c[i] = sum;
    }
}
"""
FIRST = {"n": np.int32(50)}


BOUNDED_INT = """
__kernel void bounded(__global float *c, __global const float *a, int n)
{
    const int i = get_global_id(0);
    if (i >= n)
        return;
    c[i] = a[i] * a[i];
}
"""


WEIGH_RETURNING = WEIGH_BOUNDED.replace("if (i < n) {", "if (i >= n) return;").replace(
    "    }\n}", "}"
)


@pytest.mark.parametrize("weigh", [WEIGH_BOUNDED, WEIGH_RETURNING])
def test_guard_behind_an_opening_is_shared(weigh: str) -> None:
    """The values go on in variables; the copies of both start before all, outside the guard."""
    source = BOUNDED_INT + weigh
    calls = ["bounded(t, a, n)", "weigh(u, t, w, n)", "weigh(v, u, x, n)", "bounded(c, v, n)"]
    fused = same(source, calls, ["c"], scalars=FIRST)
    assert fused.plan.groups[0].internalised == {"t", "u", "v"}
    text = fused_text(fused)
    last_copy, first_wait = text.rindex("async_work_group"), text.index("wait_group_events")
    assert text.count("async_work_group_copy") == text.count("wait_group_events") == 2
    assert last_copy < first_wait < text.rindex("wait_group_events") < text.index("if (")


def test_opening_behind_a_guard_of_another_kind() -> None:
    calls = ["weigh(t, a, w, n)", "square(u, t)", "weigh(c, u, x, n)"]
    fused = same(ELEMENTWISE + WEIGH_BOUNDED, calls, scalars=FIRST)
    text = fused_text(fused)
    assert text.rindex("async_work_group_copy") < text.index("wait_group_events")


def test_immovable_copy_does_not_pass_the_work_of_others() -> None:
    marked = WEIGH_BOUNDED.replace("    event_t", "#pragma immovable\n    event_t")
    calls = ["weigh(t, a, w, n)", "weigh(c, t, x, n)"]
    text = fused_text(same(ELEMENTWISE + marked, calls, ["c"], scalars=FIRST))
    assert text.index("t[i] = ") < text.rindex("async_work_group_copy")


def test_opening_that_copies_what_the_group_stores_waits_for_it() -> None:
    one = LaunchRange(1, "all", local="all", one_group=True)
    source = ELEMENTWISE + WEIGH_BOUNDED
    calls = ["weigh(t, a, x, n)", "weigh(c, t, t, n)"]
    fused = fuse(source, calls, ranges=[one] * 2)
    assert len(fused.kernels) == 1
    text = fused_text(fused)
    assert text.index("t[i] = ") < text.index("barrier(") < text.rindex("async_work_group_copy")
    case = Case(random_data("actx", ITEMS), FIRST, (ITEMS,), (ITEMS,))
    assert_same(fused, source, case, "act")


def test_copy_that_needs_what_its_kernel_computes_stays() -> None:
    needs = WEIGH.replace("float sum = 0;", "float sum = 0;\n    int m = 1;\n    m += 2;")
    fused = same(
        ELEMENTWISE + needs.replace("w, 3, 0", "w, m, 0"),
        ["square(t, a)", "weigh(c, t, w)"],
        ["c"],
    )
    text = fused_text(fused)
    assert text.index("square(t, a)") < text.index("async_work_group_copy")


def test_copy_of_what_is_written_is_a_cut() -> None:
    assert cut(ELEMENTWISE + WEIGH, ["square(w, a)", "weigh(c, a, w)"])[0] == "KF203"


# Items of one work-group may need what other items of it have stored: behind a barrier

BODIES = """
__kernel void move(__global float *x, __global const float *v, const float dt, const uint n)
{
    const uint i = get_global_id(0);
    if (i >= n) return;
    x[i] += dt * v[i];
}
__kernel void pull(__global float *w, __global const float *x, __global const float *v,
                   const uint n)
{
    const uint i = get_global_id(0);
    if (i >= n) return;
    float force = 0;
    for (uint j = 0; j < n; j++)
        force += x[j] - x[i];
    w[i] = v[i] + 0.001f * force;
}
__kernel void mirror(__global float *v, __global const float *w, const uint n)
{
    const uint i = get_global_id(0);
    if (i < n)
        v[i] = w[n - 1 - i];
}
"""
STEP = ["move(x, v, dt, n)", "pull(w, x, v, n)", "mirror(v, w, n)", "move(x, v, dt, n)"]
MIRROR_GROUP = """
__kernel void mirror_group(__global float *c, __global const float *a)
{
    const size_t start = get_group_id(0) * get_local_size(0), last = get_local_size(0) - 1;
    c[start + get_local_id(0)] = a[start + last - get_local_id(0)];
}
"""


def test_one_work_group_waits_for_its_items() -> None:
    one = LaunchRange(1, "all", local="all", one_group=True)
    fused = fuse(BODIES, STEP, ["x", "v"], ranges=[one] * 4)
    assert len(fused.kernels) == 1
    text = fused_text(fused)
    assert text.count("    barrier(CLK_GLOBAL_MEM_FENCE);") == 2
    assert "return" not in text
    scalars = {"dt": np.float32(0.1), "n": np.uint32(61)}
    case = Case(random_data(["x", "v", "w"], ITEMS), scalars, (ITEMS,), (ITEMS,))
    assert_same(fused, BODIES, case, ["x", "v"])


def test_several_work_groups_cannot_wait_for_each_other() -> None:
    fused = fused_of(BODIES, STEP, ["x", "v"])
    assert [group.members for group in fused.plan.groups] == [(0,), (1,), (2, 3)]
    assert {d.code for d in fused.diagnostics} == {"KF201"}
    assert all(cut.reasons for cut in fused.plan.cuts)


def test_elements_of_the_own_group() -> None:
    calls = ["square(t, a)", "mirror_group(c, t)", "twice(c)"]
    fused = same(ELEMENTWISE + MIRROR_GROUP, calls)
    assert fused_text(fused).count("barrier(") == 1


def test_copy_of_what_the_group_stores_stays_behind_the_barrier() -> None:
    one = LaunchRange(1, "all", local="all", one_group=True)
    source = ELEMENTWISE + WEIGH
    calls = ["square(w, a)", "weigh(c, a, w)"]
    fused = fuse(source, calls, ranges=[one] * 2)
    assert len(fused.kernels) == 1
    text = fused_text(fused)
    assert text.index("w[i] = ") < text.index("barrier(") < text.index("async_work_group_copy")
    assert_same(fused, source, Case(random_data("acw", ITEMS), {}, (ITEMS,), (ITEMS,)), "acw")


@pytest.mark.parametrize(
    ("declared", "changed", "argument"),
    [
        ("int m = 2;", "m += 1;", "w + m, 4"),
        ("int m;", "m = n / 2;", "w + m, 4"),
    ],
    ids=["changed", "late"],
)
def test_copy_waits_for_its_variables(declared: str, changed: str, argument: str) -> None:
    source = ELEMENTWISE + (
        "__kernel void f(__global float *c, __global const float *a, __global const float *w,\n"
        "                const int n)\n{\n    __local float tile[16];\n"
        f"    {declared}\n    const size_t i = get_global_id(0);\n    float s = a[i];\n"
        f"    {changed}\n    event_t e = async_work_group_copy(tile, {argument}, 0);\n"
        "    wait_group_events(1, &e);\n    c[i] = s * tile[2];\n}\n"
    )
    same(source, ["square(t, a)", "f(c, t, w, n)"], ["c"], scalars={"n": np.int32(20)})


def test_copy_into_a_pointer_that_has_moved() -> None:
    source = (
        ELEMENTWISE
        + """
__kernel void f(__global float *c, __global const float *a, __global const float *w,
                __local float *tile)
{
    const size_t i = get_global_id(0);
    ++tile;
    event_t e = async_work_group_copy(tile, w, 4, 0);
    wait_group_events(1, &e);
    --tile;
    c[i] = a[i] * tile[1 + (get_local_id(0) & 3)];
}
"""
    )
    scalars = {"m": cl.LocalMemory(64)}
    same(source, ["square(t, a)", "f(c, t, w, m)"], ["c"], scalars=scalars)


def test_copy_whose_length_is_loaded() -> None:
    source = (
        ELEMENTWISE
        + """
__kernel void f(__global float *c, __global const float *a, __global const float *w,
                __global const uint *n)
{
    __local float tile[16];
    const size_t i = get_global_id(0);
    event_t e = async_work_group_copy(tile, w, n[0], 0);
    wait_group_events(1, &e);
    c[i] = a[i] * tile[n[0] - 1];
}
"""
    )
    fused = fused_of(source, ["square(t, a)", "f(c, t, w, n)"], ["c"])
    assert len(fused.kernels) == 1
    buffers = {**random_data(["a", "c", "t", "w"], ITEMS), "n": np.full(ITEMS, 7, np.uint32)}
    assert_same(fused, source, Case(buffers, {}, (ITEMS,), (GROUP,)), ["c"])


def test_array_of_pointers_into_local_memory() -> None:
    source = """
__kernel void seti(__global int *off, __global const int *k)
{
    const size_t i = get_global_id(0);
    off[i] = (k[i] * 7 + 3) % 11;
}
__kernel void rows(__global float *c, __global const float *a, __global const int *off)
{
    const size_t i = get_global_id(0), l = get_local_id(0);
    __local float tile[32];
    __local float *r[2] = { tile + off[i], tile + 16 };
    const size_t z = i * 2;
    r[1][l] = a[i];
    tile[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    c[i] = r[1][15 - l] + (r[0] - tile) + off[i] + z;
}
"""
    fused = fused_of(source, ["seti(off, k)", "rows(c, a, off)"], ["c"])
    numbers = np.arange(ITEMS, dtype=np.int32)
    buffers = {**random_data(["a", "c"], ITEMS), "off": numbers * 0, "k": numbers}
    assert_same(fused, source, Case(buffers, {}, (ITEMS,), (GROUP,)), ["c"])


# What stands in an expression that gives a pointer

OFFSETS = """
__kernel void seti(__global int *off, __global const int *k)
{
    const size_t i = get_global_id(0);
    off[i] = (k[i] * 7 + 3) % 11;
}
"""


@pytest.mark.parametrize(
    "element",
    [
        "*(w + off[63 - i])",
        "(w + off[63 - i])[i % 3]",
        "(&w[off[63 - i]])[i % 3]",
        "((__global const float4 *)w + off[63 - i])->x",
        "*(&w[0] + off[63 - i])",
    ],
)
def test_loads_within_a_pointer_are_seen(element: str) -> None:
    source = OFFSETS + (
        "__kernel void f(__global float *c, __global const float *w, __global const int *off)\n"
        f"{{\n    const size_t i = get_global_id(0);\n    c[i] = {element};\n}}\n"
    )
    fused = fused_of(source, ["seti(off, k)", "f(c, w, off)"])
    assert len(fused.kernels) == 2
    own = fused_of(source.replace("63 - i", "i"), ["seti(off, k)", "f(c, w, off)"], ["c"])
    numbers = np.arange(ITEMS, dtype=np.int32)
    buffers = {**random_data(["c", "w"], ITEMS), "off": numbers * 0, "k": numbers}
    text = source.replace("63 - i", "i")
    assert_same(own, text, Case(buffers, {}, (ITEMS,), (GROUP,)), ["c"])


@pytest.mark.parametrize("source", ["w + off[0]", "&w[off[0]]"])
def test_loads_within_the_source_of_a_copy_are_seen(source: str) -> None:
    text = OFFSETS + (
        "__kernel void f(__global float *c, __global const float *w, __global const int *off)\n"
        "{\n    __local float tile[16];\n    const size_t i = get_global_id(0);\n"
        f"    event_t e = async_work_group_copy(tile, {source}, 4, 0);\n"
        "    wait_group_events(1, &e);\n    c[i] = tile[2];\n}\n"
    )
    assert cut(text, ["seti(off, k)", "f(c, w, off)"])[0] == "KF201"


def test_atomic_within_a_pointer_is_seen() -> None:
    source = ELEMENTWISE + (
        "__kernel void f(__global float *c, __global const float *w, __global int *n)\n"
        "{\n    c[get_global_id(0)] = *(w + (atomic_inc(n) & 7));\n}\n"
    )
    assert cut(source, ["f(c, w, n)", "f(d, w, n)"])[0] == "KF205"


def test_groups_of_different_sizes() -> None:
    """In the last one group*size + item begins among the elements of the first."""
    flat = """
__kernel void flat(__global float *c, __global const float *a)
{
    const size_t i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    c[i] = a[i] + 1;
}
"""
    calls = ["square(t, a)", "flat(c, t)"]
    for uniform, launches in ((True, 1), (False, 2)):
        range_ = LaunchRange(1, "all", local="16", uniform=uniform)
        assert len(fuse(ELEMENTWISE + flat, calls, ranges=[range_] * 2).kernels) == launches


@pytest.mark.parametrize(
    ("macros", "declared"),
    [
        ("#define LOCAL __local", "LOCAL float tile[16];"),
        ("#define LOCAL __local\n#define REAL float", "LOCAL REAL tile[16];"),
        ("#define LOCAL_FLOAT __local float", "LOCAL_FLOAT tile[16];"),
        ("#define LOCAL_ARRAY(type, name, size) __local type name[size]",
         "LOCAL_ARRAY(float, tile, 16);"),
        ("#define LOCAL_ARRAY(type, name, size) __local type name[size];",
         "LOCAL_ARRAY(float, tile, 16)"),
    ],
)  # fmt: skip
def test_arrays_that_macros_declare(macros: str, declared: str) -> None:
    source = f"{macros}\n{REVERSE}".replace("__local float tile[16];", declared)
    calls = ["reverse(t, a)", "reverse(c, t)"]
    fused = fuse(source, calls, ["c"], ranges=[LaunchRange(1, "all", local="16")] * 2)
    assert len(fused.kernels) == 1
    assert f"    {declared}\n" in fused_text(fused)
    case = Case(random_data(["a", "t", "c"], ITEMS), {}, (ITEMS,), (GROUP,))
    assert_same(fused, source, case, ["c"])


def test_arrays_of_types_from_build_options_share_storage_only_if_written_alike() -> None:
    other = REVERSE.replace("reverse", "other").replace("__local float", "__local TWO")
    source = REVERSE.replace("__local float", "__local ONE") + other
    for second, arrays in (("reverse", 1), ("other", 2)):
        calls = ["reverse(t, a)", f"{second}(c, t)"]
        ranges = [LaunchRange(1, "all", local="16")] * 2
        fused = fuse(source, calls, ["c"], ranges=ranges, defines=["ONE=float", "TWO=float"])
        assert fused_text(fused).count("__local") == arrays
