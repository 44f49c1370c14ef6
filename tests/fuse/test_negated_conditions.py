"""`if (c) return;` becomes a condition around what follows, or around the next stage, on PoCL."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.kernel_side import ITEMS, fused_and_same, fused_text


def tail(condition: str) -> str:
    return f"""\
__kernel void square(__global float *y, __global const float *x)
{{
    int i = get_global_id(0);
    y[i] = x[i] * x[i];
}}
__kernel void tail(__global float *z, __global const float *x, __global const float *y)
{{
    int i = get_global_id(0);
    int f = 2, m = 1;
    z[i] = y[i];
    if ({condition})
        return;
    z[i] = x[i] + (f - m);
}}
"""


@pytest.mark.parametrize(
    "condition",
    [
        "(i == 3) & (f)",
        "(f) & (i == 3)",
        "x[i] == y[i] | i",
        "f & i == m",
        "i == m ^ f",
        "i == 3 || (i == 5) + (2)",
        "(i == 3) - (i != 3)",
        "i == 3 ? f : 0",
        "i == 3 && f",
        "(i == 3 | f) || i == 4",
        "(i == 3), (f == m)",
        "i == m == f",
        "i != 3 < f",
    ],
)
def test_condition_that_is_no_single_comparison_is_negated_as_a_whole(condition: str) -> None:
    equal = np.linspace(0, 1, ITEMS).astype(np.float32)
    calls = ["square(y, x)", "tail(z, x, y)"]
    fused = fused_and_same(tail(condition), calls, launches=1, buffers={"x": equal})
    assert "if (!(" in fused_text(fused)


def test_condition_that_assigns_is_left_as_it_is() -> None:
    """It is computed whether anything follows or not."""
    fused = fused_and_same(tail("(m = i == 3)"), ["square(y, x)", "tail(z, x, y)"], launches=1)
    assert "if ((m = i == 3))" in fused_text(fused)


@pytest.mark.parametrize(
    ("condition", "opposite"),
    [
        ("i == 3", "i != 3"),
        ("i + 2 * f != 3", "i + 2 * f == 3"),
        ("(i == 3)", "(i != 3)"),
        ("i % f == m || (i << 1 == 4)", "i % f != m && (i << 1 != 4)"),
        ("-i == -3 || (i == 5 || i == 'a')", "-i != -3 && (i != 5 && i != 'a')"),
        ("(int)x[i] == abs(f & m)", "(int)x_i != abs(f & m)"),
    ],
)
def test_comparisons_are_turned_round(condition: str, opposite: str) -> None:
    fused = fused_and_same(tail(condition), ["square(y, x)", "tail(z, x, y)"], launches=1)
    assert f"if ({opposite})" in fused_text(fused)


def test_guard_with_a_second_operator_is_negated_as_a_whole() -> None:
    """Guards of two stages that differ: each stands around its own stage."""
    source = """\
__kernel void f(__global float *t, __global const float *a, int n)
{
    int i = get_global_id(0);
    if (i >= n || (i == 5) + (0))
        return;
    t[i] = a[i];
}
__kernel void g(__global float *t, __global const float *a, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    t[i] = a[i] * 2;
}
"""
    scalars = {"n": np.int32(60)}
    fused_and_same(source, ["f(t, a, n)", "g(c, t, n)"], launches=1, scalars=scalars)


@pytest.mark.parametrize("condition", ["!(i < 3 && f)", "!(i == 3)", "!((i & 3) == m || f < i)"])
def test_condition_that_is_negated_already_is_written_without(condition: str) -> None:
    fused = fused_and_same(tail(condition), ["square(y, x)", "tail(z, x, y)"], launches=1)
    assert f"if ({condition[2:-1]})" in fused_text(fused)


def test_condition_that_negates_a_part_only_is_negated_as_a_whole() -> None:
    fused = fused_and_same(
        tail("!(i < 3) && !(i > 7)"), ["square(y, x)", "tail(z, x, y)"], launches=1
    )
    assert "if (!(!(i < 3) && !(i > 7)))" in fused_text(fused)
