"""What `--target cpu` makes of copies of a few weights, and of loops with work behind them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kfusion
from kfusion.api import Fused, fuse
from kfusion.graph.model import Disjoint, LaunchRange
from kfusion.graph.target import TARGETS
from kfusion.kernel.copied import copied_arrays
from kfusion.kernel.operations import operations
from kfusion.kernel.rounds import short_loops
from tests.support.kernel_side import fused_text, kernel_of, random_data
from tests.support.pyopencl_run import Case, assert_same

CPU = TARGETS["cpu"]
WEIGH = """
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
SQUARE = """
__kernel void square(__global float *c, __global const float *a, int n)
{
    const int i = get_global_id(0);
    if (i < n)
        c[i] = a[i] * a[i];
}
"""
CALLS = ["weigh(t, a, w, n)", "square(c, t, n)"]


def fused_for(target: object, source: str = WEIGH + SQUARE, *, one_group: bool = False) -> Fused:
    ranges = [LaunchRange(1, "all", local="16", one_group=one_group)] * 2
    return fuse(source, CALLS, ["c"], ranges=ranges, target=target)  # type: ignore[arg-type]


# ---- Copies into local memory ----


def test_weights_are_read_where_they_are() -> None:
    fused = fused_for(CPU)
    text = fused_text(fused)
    assert "t_i += w[k] * a[i];" in text
    assert "local" not in text.replace("CLK_LOCAL_MEM_FENCE", "")
    assert fused.plan.groups[0].direct == {0}
    assert Disjoint("c", "w") in fused.plan.groups[0].assumptions


def test_copies_stay_where_local_memory_is_nearer() -> None:
    assert "async_work_group_copy" in fused_text(fused_for(replace(CPU, local_copies=1)))


def test_weights_that_another_stage_writes_are_copied() -> None:
    calls = ["weigh(c, a, w, n)", "square(w, a, n)"]
    ranges = [LaunchRange(1, "all", local="64", one_group=True)] * 2
    (group,) = fuse(WEIGH + SQUARE, calls, ranges=ranges, target=CPU).plan.groups
    assert group.fused
    assert group.direct == frozenset()


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ("sum += weights[k]", "sum += weights[k]++"),
        ("sum += weights[k]", "sum += *(weights + k)"),
        ("sum += weights[k]", "sum += *&weights[k]"),
        ("sum += weights[k]", "sum += (weights[k] = k)"),
        ("weights, w, 3, 0", "weights, w + 1, 3, 0"),
        ("weights, w, 3, 0", "weights, w, 2, 0"),
        ("weights, w, 3, 0", "weights, w, n, 0"),
        ("weights[3]", "weights[4]"),
        ("float weights[3]", "int weights[3]"),
        ("c[i] = sum;", "c[i] = sum + sizeof(weights);"),
        ("float sum = 0;", "float sum = 0; barrier(CLK_LOCAL_MEM_FENCE);"),
        ("const float *w", "volatile float *w"),
        ("weights[3];", "weights[3]; __local float other[3];"),
    ],
)
def test_more_than_a_copy_stays_in_local_memory(written: str, instead: str) -> None:
    assert [c.array.name for c in copied_arrays(kernel_of(WEIGH))] == ["weights"]
    assert written in WEIGH
    assert copied_arrays(kernel_of(WEIGH.replace(written, instead))) == ()


def test_targets_are_part_of_the_python_api() -> None:
    fused = kfusion.fuse(WEIGH + SQUARE, CALLS, ["c"], target=kfusion.TARGETS["cpu"])
    assert "async_work_group_copy" not in fused_text(fused)
    assert all(getattr(kfusion, name) is not None for name in kfusion.__all__)


# ---- Short loops ----

LOOP = "__kernel void k(__global float *a, int n)\n{{\n    float s = 0;\n    {}\n    *a = s;\n}}\n"


@pytest.mark.parametrize(
    ("loop", "expected"),
    [
        ("for (int i = 0; i < 3; i++) s += i;", 1),
        ("for (int i = -1; i <= 1; ++i) s += i;", 1),
        ("for (int i = 0; i < 32; i++) s += i;", 1),
        ("for (int i = 0; i < 33; i++) s += i;", 0),
        ("for (int i = 0; i < 5; i++) for (int j = 0; j < 5; j++) s += i * j;", 2),
        ("for (int i = 0; i < 9; i++) for (int j = 0; j < 9; j++) s += i * j;", 1),
        ("for (int i = 0; i < n; i++) for (int j = 0; j < 4; j++) s += i * j;", 1),
        ("for (int i = 0; i < 4; i++) for (int j = 0; j < n; j++) s += i * j;", 0),
        ("for (int i = 0; i < 4; i++) while (s < 3) s += i;", 0),
        ("for (int i = 0; i < 4; i++) { if (n) break; s += i; }", 0),
        ("for (int i = 0; i < 4; i += n) s += i;", 0),
        ("for (int i = 0; n < 4; i++) s += i;", 0),
        ("for (int i = 9; i < 4; i++) s += i;", 0),
        ("#pragma unroll 2\n    for (int i = 0; i < 4; i++) s += i;", 0),
        ("for (int i = 0; i < 4; i++) { s += i; i++; }", 0),
        ("for (int i = 0; i < 4; i++) { s += i; i = 2 * i; }", 0),
        ("for (int i = 0; i < 4; i++) { int *j = &i; s += *j; }", 0),
        ("for (volatile int i = 0; i < 4; i++) s += i;", 0),
        ("__attribute__((nomerge))\n    for (int i = 0; i < 4; i++) s += i;", 0),
        (f"for (int i = 0; i < {'9' * 5000}; i++) s += i;", 0),
    ],
)
def test_loops_that_are_short(loop: str, expected: int) -> None:
    assert len(short_loops(kernel_of(LOOP.format(loop)), 32)) == expected


def test_pragmas_stand_on_lines_of_their_own() -> None:
    behind = WEIGH.replace("        for (int k", "        if (n) for (int k")
    assert "#pragma" not in fused_text(fused_for(CPU, behind + SQUARE))
    goes_on = WEIGH.replace("        for (int k", "        if (n) \\\n        for (int k")
    assert "#pragma" not in fused_text(fused_for(CPU, goes_on + SQUARE))
    macro = "#define FOR(count) for (int k = 0; k < count; k++)\n"
    written = WEIGH.replace("for (int k = 0; k < 3; k++)", "FOR(3)")
    assert "#pragma" not in fused_text(fused_for(CPU, macro + written + SQUARE))
    lines = ("#pragma unroll", "for (int k = 0; k < 3; k++)", "    t_i += w[k] * a[i];")
    assert "\n".join(f"        {line}" for line in lines) in fused_text(fused_for(CPU))


# ---- Pauses ----


def test_operations_are_counted_with_those_of_helpers() -> None:
    source = """
    float twice(float x) { return x + x; }
    __kernel void k(__global float *a) { const int i = get_global_id(0); a[i] = twice(a[i]) * 3; }
    """
    assert operations(kernel_of(source)) == 4  # the id, the call, the sum and the product


def test_helpers_that_call_each_other_are_counted_once() -> None:
    helpers = "float f0(float x) { return x; }\n" + "".join(
        f"float f{k + 1}(float x) {{ return f{k}(x) + f{k}(2 * x); }}\n" for k in range(40)
    )
    kernel = "__kernel void k(__global float *a) { a[get_global_id(0)] = f40(1); }"
    assert operations(kernel_of(helpers + kernel)) > 1 << 40


def with_pauses(source: str = WEIGH + SQUARE) -> Fused:
    return fused_for(replace(CPU, pauses=1), source)


@pytest.mark.parametrize("bound", ["if (i < n)", "if (i >= n) return;\n    "])
def test_items_wait_behind_a_loop(bound: str) -> None:
    source = WEIGH + SQUARE.replace("if (i < n)", bound)
    fused = with_pauses(source)
    text = fused_text(fused)
    assert fused.plan.groups[0].pauses == {1}
    for line in ("    float t_i;\n", "        t_i = sum;\n", "        c[i] = t_i * t_i;\n"):
        assert text.count(line) == 1, text
    assert text.count("if (i < n) {") == 2
    for n in (0, 1, 50, 64):
        case = Case(random_data(["a", "c", "t", "w"]), {"n": np.int32(n)}, (64,), (16,))
        assert_same(fused, source, case, ["c"])


def test_too_little_work_is_not_waited_for() -> None:
    assert fused_for(CPU).plan.groups[0].pauses == frozenset()
    assert "barrier" not in fused_text(fused_for(CPU))


def test_what_is_carried_stands_in_front_of_a_guard_that_comes_first() -> None:
    start = "    const int i = get_global_id(0);\n"
    bare = (WEIGH + SQUARE).replace(start, "").replace("[i]", "[get_global_id(0)]")
    fused = with_pauses(bare.replace("(i < n)", "(get_global_id(0) < n)"))
    assert fused.plan.groups[0].pauses == {1}
    case = Case(random_data(["a", "c", "t", "w"]), {"n": np.int32(50)}, (64,), (16,))
    assert_same(fused, fused.source, case, ["c"])


def test_two_pauses_carry_values_of_their_own() -> None:
    source = (
        WEIGH
        + SQUARE
        + WEIGH.replace("weigh", "again").replace("(i < n)", "(i < m)").replace("int n)", "int m)")
        + SQUARE.replace("square", "last").replace("n)", "m)")
    )
    calls = [*CALLS, "again(u, a, w, m)", "last(d, u, m)"]
    ranges = [LaunchRange(1, "all", local="16")] * 4
    fused = fuse(source, calls, ["c", "d"], ranges=ranges, target=replace(CPU, pauses=1))
    assert [g.pauses for g in fused.plan.groups] == [{1, 3}]
    given = random_data(["a", "c", "d", "t", "u", "w"])
    case = Case(given, {"n": np.int32(50), "m": np.int32(40)}, (64,), (16,))
    assert_same(fused, source, case, ["c", "d"])


def test_what_is_carried_is_declared_once_however_its_type_is_called() -> None:
    source = "typedef float REAL;\n" + WEIGH + SQUARE.replace("const float", "const REAL")
    assert "    float t_i;\n" in fused_text(with_pauses(source))
    assert "REAL t_i;" not in fused_text(with_pauses(source))
    case = Case(random_data(["a", "c", "t", "w"]), {"n": np.int32(50)}, (64,), (16,))
    assert_same(with_pauses(source), source, case, ["c"])


def test_nothing_waits_behind_a_loop_that_is_gone() -> None:
    """The loop's result is overwritten: the first stage that is left stands alone."""
    behind = SQUARE.replace("if (i < n)", "if (i >= n)\n        return;\n    const int j = i;\n   ")
    source = "__constant int j = 5;\n" + WEIGH + behind.replace("[i]", "[j]")
    calls = ["weigh(t, a, w, n)", "square(t, a, n)", "square(c, t, n)"]
    ranges = [LaunchRange(1, "all", local="16")] * 3
    fused = fuse(source, calls, ["c"], ranges=ranges, target=replace(CPU, pauses=1))
    assert [g.pauses for g in fused.plan.groups] == [frozenset()]
    case = Case(random_data(["a", "c", "t", "w"]), {"n": np.int32(50)}, (64,), (16,))
    assert_same(fused, source, case, ["c"])


def test_nothing_waits_for_a_loop_that_comes_last() -> None:
    looped = SQUARE.replace(
        "c[i] = a[i] * a[i];", "for (int k = 0; k < 2; k++) c[i] = a[i] * a[i];"
    )
    assert with_pauses(WEIGH + looped).plan.groups[0].pauses == frozenset()
