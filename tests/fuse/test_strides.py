"""Loops over the range: their iterations share a loop as items share a kernel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyopencl as cl
import pytest

from kfusion.api import CheckError, Fused, fuse
from kfusion.graph.model import AtLeast, AtMost, Below, LaunchRange, UpTo
from kfusion.kernel.forms import part_called
from tests.support.kernel_side import random_data
from tests.support.pyopencl_run import Case, assert_same

LENGTH, ITEMS = 100, 16
LOOP = "for (int i = get_global_id(0); i < n; i += get_global_size(0))"


def kernel(name: str, body: str, more: str = "") -> str:
    head = f"__global float *c, __global const float *a, int n{more}"
    return f"__kernel void {name}({head})\n{{\n{body}\n}}\n"


def same(source: str, calls: Sequence[str], out: Sequence[str] | None = None) -> Fused:
    """One kernel, with the results of all."""
    fused = fuse(source, calls, out)
    assert len(fused.kernels) == 1, [d.message for d in fused.diagnostics]
    memory = sorted({m.name for i in fused.plan.invocations for m in i.memory})
    scalars = {"n": np.int32(LENGTH), "m": np.int32(70), "w": np.int32(10)}
    case = Case(random_data(memory, LENGTH), scalars, (ITEMS,))
    assert_same(fused, source, case, memory if out is None else out)
    return fused


def cut(source: str, calls: Sequence[str]) -> list[str]:
    fused = fuse(source, calls)
    assert not fused.plan.fuses
    return [f"{d.code}: {d.message}" for d in fused.diagnostics]


SQUARE = kernel("square", f"    {LOOP}\n        c[i] = a[i] * a[i];")
HALVE = kernel("halve", f"    {LOOP} {{\n        float h = 0.5f * a[i];\n        c[i] = h;\n    }}")


def test_one_loop_and_no_memory_in_between() -> None:
    fused = same(SQUARE + HALVE, ["square(t, a, n)", "halve(c, t, n)"], ["c"])
    (written,) = fused.fused
    assert written.text.count("for (") == 1
    assert [p.name for p in written.parameters] == ["a", "c", "n"]


def test_other_bounds_keep_their_own_loop() -> None:
    fused = same(SQUARE + HALVE, ["square(t, a, n)", "halve(t, a, m)"])
    assert fused.fused[0].text.count("for (") == 2


def test_variables_of_two_types_do_not_count_for_each_other() -> None:
    """Even where the comparison is the same."""
    wide = (
        SQUARE.replace("int i =", "long i =").replace("int n", "long n").replace("square", "wide")
    )
    halve = HALVE.replace("int n", "long n")
    fused = fuse(wide + halve, ["wide(t, a, n)", "halve(c, t, n)"])
    assert [k.text.count("for (") for k in fused.fused] == [2]


def test_bound_of_the_row() -> None:
    body = f"    {LOOP}\n        for (int j = 0; j < w; j++)\n            c[i * w + j] = a[i] + j;"
    rows = kernel("rows", body, ", int w")
    fused = fuse(rows + HALVE, ["rows(t, a, n, w)", "halve(c, t, n)"])
    assert not fused.plan.fuses  # other items' rows


def test_id_of_the_item_in_a_loop() -> None:
    """Each iteration adds to the item's element: the sum is there when the loop is done."""
    add = kernel("add", f"    {LOOP}\n        c[get_global_id(0)] += a[i];")
    use = kernel("use", f"    {LOOP}\n        c[i] = a[get_global_id(0)];")
    fused = same(add + use, ["add(t, a, n)", "use(c, t, n)"])
    assert fused.fused[0].text.count("for (") == 2


@pytest.mark.parametrize(
    "body",
    [
        f"float s = 0; {LOOP} {{ s += a[i]; c[i] = s; }}",
        f"float s[1] = {{ 0 }}; {LOOP} {{ s[0] += a[i]; c[i] = s[0]; }}",
    ],
)
def test_sum_that_goes_from_one_iteration_to_the_next(body: str) -> None:
    same(kernel("running", body) + HALVE, ["halve(t, a, n)", "running(c, b, n)"])
    same(kernel("running", body) + HALVE, ["running(t, a, n)", "running(c, b, n)"])


def test_loop_that_is_left() -> None:
    first = kernel("first", f"{LOOP} {{ if (a[i] > 0.5f) break; c[i] = a[i]; }}")
    same(first + SQUARE, ["first(t, a, n)", "square(c, b, n)"])
    assert cut(first + SQUARE, ["first(t, a, n)", "square(c, t, n)"])


def test_bound_that_the_loop_changes() -> None:
    """It ends the iterations of its own stage only."""
    shorter = kernel("shorter", f"{LOOP} {{ n -= 2; c[i] = a[i]; }}")
    same(shorter + SQUARE, ["shorter(t, a, n)", "square(c, b, n)"])
    same(shorter + SQUARE, ["square(c, b, n)", "shorter(t, a, n)"])
    assert cut(shorter + SQUARE, ["shorter(t, a, n)", "square(c, t, n)"])


def test_neighbours_are_cut() -> None:
    diff = kernel("diff", f"{LOOP} c[i] = a[i] - a[i > 0 ? i - 1 : 0];")
    assert cut(SQUARE + diff, ["square(t, a, n)", "diff(c, t, n)"])


def test_an_item_for_each_element_is_something_else() -> None:
    plain = kernel("plain", "int i = get_global_id(0); if (i < n) c[i] = 2 * a[i];")
    message, *_ = cut(SQUARE + plain, ["square(t, a, n)", "plain(c, t, n)"])
    assert message.startswith("KF238: 'a[i]' in plain() cannot be computed again for neighbouring")


def test_loop_over_a_dimension_that_the_range_does_not_have() -> None:
    """One item runs all iterations, and they store to one element: the last one counts."""
    loop = "for (int i = get_global_id(1); i < n; i += get_global_size(1))"
    count = kernel("count", f"int x = get_global_id(0); {loop} c[x] = a[x] + i;")
    use = kernel("use", f"int x = get_global_id(0); {loop} c[x * 0 + x] = 3 * a[x];")
    source, calls = count + use, ["count(t, a, n)", "use(c, t, n)"]
    flat = fuse(source, calls, ranges=[LaunchRange(1, "all")] * 2)
    assert not flat.plan.fuses
    one = fuse(source, calls, ranges=[LaunchRange(1, "all", local="16")] * 2)
    for written in one.fused:
        assert written.text.count("for (") == 2
        assert "barrier" in written.text


def test_rows_shared_out_between_items() -> None:
    head = "__global float *c, __global const float *a, int w, int h"
    loop = "for (int y = get_global_id(1); y < h; y += get_global_size(1))"
    body = f"    int x = get_global_id(0);\n    if (x >= w)\n        return;\n    {loop}"
    source = "".join(
        f"__kernel void {name}({head})\n{{\n{body}\n        {work}\n}}\n"
        for name, work in [
            ("square", "c[y * w + x] = a[y * w + x] * a[y * w + x];"),
            ("halve", "c[y * w + x] = 0.5f * a[y * w + x];"),
        ]
    )
    calls = ["square(t, a, w, h)", "halve(c, t, w, h)"]
    fused = fuse(source, calls, ["c"], ranges=[LaunchRange(2, "all")] * 2)
    assert [k.text.count("for (") for k in fused.fused] == [1]
    scalars = {"w": np.int32(10), "h": np.int32(6)}
    assert_same(fused, source, Case(random_data(["a", "c", "t"], 60), scalars, (12, 2)), ["c"])


UNSIGNED = "for (uint i = get_global_id(0); i < n; i += get_global_size(0))"


def test_loops_that_count_without_sign() -> None:
    """Where they started again at 0, two items would store to one element."""
    source = SQUARE.replace("int ", "uint ") + HALVE.replace("int ", "uint ")
    fused = same(source, ["square(t, a, n)", "halve(c, t, n)"], ["c"])
    assert fused.fused[0].text.count("for (") == 1
    assert not [a for group in fused.plan.groups for a in group.assumptions if bounds(a)]


def bounds(assumption: object) -> bool:
    return isinstance(assumption, (AtLeast, AtMost, Below, UpTo))


def test_loop_without_sign_that_stores_under_a_condition() -> None:
    """What it would do in a second round over the range may differ."""
    above = kernel("above", f"{UNSIGNED} if (a[i] > 0) c[i] = a[i];").replace("int n", "uint n")
    fused = same(above + SQUARE, ["above(t, a, n)", "above(c, t, n)"])
    assert list(filter(bounds, fused.plan.groups[0].assumptions)) == [
        Below(0, 0, LAST),
        Below(1, 0, LAST),
        UpTo("n", LAST, "uint"),
    ]
    memory = random_data("act", 1)
    with pytest.raises(CheckError, match="'n' is 2147483648, more than 2147483647"):
        fused.check({**memory, "n": 1 << 31}, [ITEMS, ITEMS])


LAST = (1 << 31) - 1


@pytest.mark.parametrize(
    ("bound", "limits"),
    [
        ("n", [UpTo("n", LAST // 2, "int")]),
        ("n / 2", [UpTo("n", LAST // 2, "int")]),
        ("n * m + 4", [UpTo("m", LAST // 2 - 4, "int", "n")]),
        ("2 * n + m", [UpTo("m", LAST // 4, "int"), UpTo("n", LAST // 8, "int")]),
    ],
)
def test_loop_with_sign_that_may_end_below_its_start(bound: str, limits: list[UpTo]) -> None:
    """The sum with a number of items has 64 bits, and becomes an `int` again."""
    body = f"{LOOP.replace('i < n', f'i < {bound}')} if (a[i] > 0) c[i] = a[i];"
    source = kernel("some", body, ", int m")
    fused = fuse(source, ["some(t, a, n, m)", "some(c, t, n, m)"])
    (group,) = fused.plan.groups
    assert [a for a in group.assumptions if isinstance(a, UpTo)] == limits
    assert {a for a in group.assumptions if isinstance(a, Below)} == {
        Below(0, 0, LAST // 2),
        Below(1, 0, LAST // 2),
    }
    memory = random_data("act", 1)
    fused.check({**memory, "n": 100, "m": 100}, [ITEMS, ITEMS])
    with pytest.raises(CheckError, match="more than"):
        fused.check({**memory, "n": LAST, "m": LAST}, [ITEMS, ITEMS])


PACKED = "typedef struct __attribute__((packed)) { char c; uint x; } packed;\n"


def above(work: str, bound: str = "n", more: str = "") -> str:
    head = "__global float *c, __global const float *a, uint n" + more
    loop = UNSIGNED.replace("i < n", f"i < {bound}")
    return f"__kernel void above({head})\n{{\n    {loop} {{ {work} }}\n}}\n"


def test_loop_without_sign_that_may_start_again() -> None:
    source = above("if (a[i] > 0) c[i] = a[i]; else c[i + 1] = 0;")
    (message, *_) = cut(source, ["above(t, a, n)", "above(c, t, n)"])
    assert message.startswith(("KF20", "KF238"))


def test_loop_without_sign_up_to_what_is_not_compared() -> None:
    source = PACKED + above("if (a[i] > 0) c[i] = a[i];", "m.x", ", packed m")
    (message, *_) = cut(source, ["above(t, a, n, m)", "above(c, t, n, m)"])
    assert message.startswith(("KF20", "KF238"))


def test_loop_without_sign_up_to_a_part_of_a_vector() -> None:
    source = above("if (a[i] > 0) c[i] = a[i];", "m.z", ", uint4 m")
    fused = fuse(source, ["above(t, a, n, m)", "above(c, t, n, m)"])
    (group,) = fused.plan.groups
    (limit,) = (a for a in group.assumptions if isinstance(a, UpTo))
    assert (str(part_called(limit.scalar)), limit.most) == ("m.s2", LAST)


def test_items_that_a_guard_leaves_out_of_the_loop() -> None:
    """None of them is at an element to which another comes in a second round."""
    body = f"    if (get_global_id(0) > 3)\n        return;\n    {UNSIGNED} c[i] = a[i];"
    some = PACKED + kernel("some", body, ", packed m").replace("i < n", "i < m.x")
    assert cut(some, ["some(t, a, n, m)", "some(c, t, n, m)"])


def test_bound_that_is_a_part_of_a_vector() -> None:
    part = kernel("part", f"{UNSIGNED} c[i] = 3 * a[i];", ", uint4 m").replace("i < n", "i < m.z")
    source, calls = part, ["part(t, a, n, m)", "part(c, t, n, m)"]
    fused = fuse(source, calls)
    assert [k.text.count("for (") for k in fused.fused] == [1]
    scalars = {"n": np.int32(0), "m": np.array([(3, 5, 90, 4)], cl.cltypes.uint4)[0]}
    case = Case(random_data(["a", "c", "t"], LENGTH), scalars, (ITEMS,))
    assert_same(fused, source, case, ["c", "t"])


def test_elements_at_a_distance() -> None:
    """`i * s` stays in 32 bits, and `s` is not 0."""
    twice = kernel("twice", f"{UNSIGNED} c[i * s] = 2 * a[i * s];", ", uint s")
    twice = twice.replace("int n", "uint n")
    source, calls = twice, ["twice(t, a, 40, 2)", "twice(c, t, 40, 2)"]
    fused = fuse(source, calls, ["c"])
    assert len(fused.fused) == 1
    scalars = {"40": np.uint32(40), "2": np.uint32(2)}
    assert_same(fused, source, Case(random_data("act", LENGTH), scalars, (ITEMS,)), ["c"])
    assert cut(twice, ["twice(t, a, 40, 0)", "twice(c, t, 40, 0)"])
    assert cut(twice, ["twice(t, a, 40, 1500000000)", "twice(c, t, 40, 1500000000)"])


def test_a_loop_that_counts_without_sign_and_a_function_that_takes_64_bits() -> None:
    """What it counts is the same number in both."""
    narrow = LOOP.replace("int i", "uint i").replace("i < n", "i < (uint)n")
    get = "float get(__global const float *p, size_t k) { return 0.5f * p[k]; }\n"
    first = kernel("first", f"    {narrow} {{ c[i] = get(a, i); }}")
    second = kernel("second", f"    {narrow} {{ __global float *q = c + i; *q = *(a + i); }}")
    same(get + first + second, ["first(t, a, n)", "second(c, t, n)", "first(a, c, n)"])


BEGIN, GO_ON = "int i = get_global_id(0);", "i += get_global_size(0);"
FORMS = {
    "while": f"{BEGIN} while (i < n) {{ WORK {GO_ON} }}",
    "in front of a for": f"{BEGIN} for (; i < n; i += get_global_size(0)) {{ WORK }}",
    "set by a for": "int i; for (i = get_global_id(0); i < n; i += s) { WORK }",
    "a step of its own": f"{BEGIN} while (n > i) {{ WORK i += s; }} return;",
}


@pytest.mark.parametrize("first", FORMS)
@pytest.mark.parametrize("second", FORMS)
def test_forms_of_the_loop(first: str, second: str) -> None:
    works = {"square": (first, "c[i] = a[i] * a[i];"), "halve": (second, "c[i] = 0.5f * a[i];")}
    source = "".join(
        kernel(name, f"    const int s = get_global_size(0); {FORMS[form].replace('WORK', work)}")
        for name, (form, work) in works.items()
    )
    fused = same(source, ["square(t, a, n)", "halve(c, t, n)"], ["c"])
    text = fused.fused[0].text
    assert text.count("for (int i = get_global_id(0); ") == 1
    assert "while" not in text
    assert [p.name for p in fused.fused[0].parameters] == ["a", "c", "n"]


REST = f"while (i < n) {{ c[i] = a[i]; {GO_ON} }}"


@pytest.mark.parametrize(
    "loop",
    {
        "the step is not the last": f"{BEGIN} while (i < n) {{ {GO_ON} if (i < n) c[i] = a[i]; }}",
        "a round without a step": f"{BEGIN} while (i < n) {{ if (a[i] > 0) {{ {GO_ON} continue; }} "
        f"c[i] = a[i]; {GO_ON} }}",
        "two steps": f"{BEGIN} while (i < n) {{ c[i] = a[i]; {GO_ON} {GO_ON} }}",
        "a step under a condition": f"{BEGIN} while (i < n) {{ c[i] = a[i]; if (n) {GO_ON} }}",
        "it begins elsewhere": f"int i = get_global_id(0) + 1; {REST}",
        "changed in between": f"{BEGIN} i = n - 1 - i; for (; i < n; {GO_ON[:-1]}) c[i] = a[i];",
        "looked at behind it": f"{BEGIN} {REST} c[0] = i;",
        "looked at in front of it": f"{BEGIN} if (i > 3) return; {REST}",
        "its address": f"{BEGIN} int *p = &i; while (i < n) {{ c[i] = a[i]; *p += 0; {GO_ON} }}",
        "a step that changes": f"{BEGIN} int s = get_global_size(0); "
        "while (i < n) { c[i] = a[i]; s += 1; i += s; }",
        "a bound that changes": f"{BEGIN} while (i < n) {{ c[i] = a[i]; n -= 1; {GO_ON} }}",
    }.items(),
    ids=lambda each: each[0],
)
def test_loops_that_are_none_over_the_range(loop: tuple[str, str]) -> None:
    """What they do is kept: one kernel only where they are apart, each with its own loop."""
    source = kernel("odd", loop[1]) + SQUARE
    for calls in (["odd(t, a, n)", "square(c, t, n)"], ["square(t, a, n)", "odd(c, t, n)"]):
        fused = fuse(source, calls)
        assert all(k.text.count("for (") + k.text.count("while") == 2 for k in fused.fused)
        scalars = {"n": np.int32(LENGTH)}
        assert_same(fused, source, Case(random_data("act", 2 * LENGTH), scalars, (ITEMS,)), "act")
