"""`exact`: what one kernel computes and the next one uses is rounded in between.

What a compiler that contracts makes of it is seen on such a device only (bench/).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest

from kfusion.api import fuse
from tests.stencils.running import EAGER
from tests.support.kernel_side import fused_and_same, fused_text, random_data
from tests.support.pyopencl_run import Case, assert_same

SOURCE = """
typedef struct {
    float x, y;
} Pair;
__kernel void pairs(__global Pair *q, __global const Pair *p)
{
    int i = get_global_id(0);
    Pair one = p[i];
    one.x = one.x * one.y;
    q[i] = one;
}
__kernel void squares(__global float2 *q, __global const float2 *p)
{
    int i = get_global_id(0);
    q[i] = p[i] * p[i];
}
__kernel void mult(__global float *c, __global const float *a, __global const float *b)
{
    int i = get_global_id(0);
    float t = a[i] * b[i];
    c[i] = t;
}
__kernel void add(__global float *c, __global const float *a)
{
    int i = get_global_id(0);
    float x = a[i];
    c[i] += x;
    if (x > 0.5f)
        c[i] += 1.0f;
}
__kernel void count(__global int *c, __global const float *a)
{
    int i = get_global_id(0);
    c[i] = c[i] + (a[i] > 0.5f);
}
__kernel void rows(__global float *c, __global const float *a, int w)
{
    int i = get_global_id(0);
    for (int j = 0; j < w; j++)
        c[i * w + j] = 2.0f * a[i * w + j];
}
"""


@pytest.mark.parametrize(
    ("calls", "out", "places"),
    [
        # What is loaded and used by several is no sum or product.
        (["mult(t, a, b)", "mult(c, t, a)"], ["c"], ["t_buffer_i = 0"]),
        (["mult(t, a, b)", "add(t, b)", "add(c, t)"], ["c"], ["t_buffer_i = 0"] * 2),
        (["mult(t, a, b)", "add(c, t)", "add(d, t)"], None, ["t_buffer_i = 0"]),
        (["count(n, a)", "count(n, b)"], ["n"], []),
        (["add(a, b)", "mult(c, b, b)"], ["a", "c"], []),
        (["rows(t, a, w)", "rows(c, t, w)"], ["c"], ["volatile float *t"]),
        (["squares(t, a)", "squares(c, t)"], ["c"], ["t_i = 0"]),
        (["pairs(t, a)", "pairs(c, t)"], ["c"], ["t_i = (Pair){0}"]),
    ],
)
def test_values_between_kernels_are_rounded(
    calls: Sequence[str], out: list[str] | None, places: list[str]
) -> None:
    fused = fuse(SOURCE, calls, out, exact=True)
    (written,) = fused.fused
    found = re.findall(r"volatile [^;,)]*|\S+ = \S+(?=; /\* never)", written.text)
    assert found == places
    memory = sorted({m.name for i in fused.plan.invocations for m in i.memory})
    data = random_data([m for m in memory if m != "n"], 64)
    if "n" in memory:
        data["n"] = np.arange(64, dtype=np.int32)
    case = Case(data, {"w": np.int32(4)}, (16,))
    assert_same(fused, SOURCE, case, memory if out is None else out)


POINTER = """
__kernel void scale(__global float *y, float s)
{
    __global float *p = &y[get_global_id(0)];
    if (s > 2) *p = *p * s;
}
"""


def test_what_cannot_be_rounded_is_not_fused() -> None:
    calls = ["scale(y, s)", "scale(y, t)"]
    assert len(fuse(POINTER, calls).kernels) == 1
    exact = fuse(POINTER, calls, exact=True)
    assert len(exact.kernels) == 2
    cut = exact.diagnostics[0]
    assert cut.code == "KF231"
    assert cut.message == (
        "'*p' in scale() would be contracted with what another kernel computes, for all that "
        "--exact can do"
    )


CONSTANTS = [
    ("float", "-0.3f"),
    ("float", "2 * 0.15f"),
    ("float", "(float)0.3"),
    ("float", "k"),
    ("float", "fabs(-0.3f)"),
    ("float", "1 ? 0.3f : n"),
    ("float", "(0 && n) + 0.3f"),
    ("float", "sizeof(n) * 0.1f"),
    ("float", "W[1]"),
    ("int", "9"),
    ("uchar", "true"),
]


@pytest.mark.parametrize("target", ["t[i]", "*(t + i)"])
@pytest.mark.parametrize(("type_", "value"), CONSTANTS)
def test_constants_are_rounded_as_other_numbers(type_: str, value: str, target: str) -> None:
    """Of `t*t + 0.1f` with `const float t = -0.3f` clang makes a number with two roundings; it is
    contracted, and has one, where `t` is loaded."""
    source = f"""
constant float W[2] = {{0.1f, 0.3f}};
kernel void fill(global {type_} *t, const int n)
{{
    const int i = get_global_id(0);
    const float k = 0.3f;
    if (i < n)
        {target} = {value};
}}
kernel void add(global float *c, global const {type_} *t, const int n)
{{
    const int i = get_global_id(0);
    if (i < n)
        c[i] = (t[i] * 0.3f + 0.1f) * (t[i] + 0.3f) + 0.1f;
}}
"""
    fused = fuse(source, ["fill(t, n)", "add(c, t, n)"], ["c"])
    assert len(fused.kernels) == 1
    assert "const float t_i" not in fused_text(fused)
    data = {"c": np.zeros(64, np.float32), "t": np.zeros(64, {"uchar": np.uint8}.get(type_, type_))}
    assert_same(fused, source, Case(data, {"n": np.int32(60)}, (64,)), ["c"])


def test_a_function_returns_its_constant() -> None:
    source = """
kernel void fill(global float *t, const int n)
{
    const int i = get_global_id(0);
    if (i < n)
        t[i] = 0.3f;
}
kernel void add(global float *c, global const float *t, const int n)
{
    const int i = get_global_id(0);
    if (i < n)
        c[i] = t[max(i - 1, 0)] * t[min(i + 1, n - 1)] + 0.1f;
}
"""
    numbers = {"n": np.int32(60)}
    calls = ["fill(t, n)", "add(c, t, n)"]
    fused = fused_and_same(source, calls, ["c"], launches=1, scalars=numbers, target=EAGER)
    assert "return 0.3f;" in fused_text(fused)


@pytest.mark.parametrize("value", ["n", "i", "c[i]", "get_global_id(0)", "v", "c[i] * 0.3f"])
def test_no_constants(value: str) -> None:
    source = f"""
kernel void fill(global float *t, global const float *c, const int n)
{{
    const int i = get_global_id(0);
    if (i < n) {{
        float v = 1;
        v += n;
        t[i] = {value};
    }}
}}
kernel void add(global float *c, global const float *t, const int n)
{{
    const int i = get_global_id(0);
    if (i < n)
        c[i] = t[i] * t[i] + 0.1f;
}}
"""
    calls = ["fill(t, a, n)", "add(c, t, n)"]
    fused = fused_and_same(source, calls, ["c"], launches=1, scalars={"n": np.int32(60)})
    assert "const float t_i" in fused_text(fused) or value in ("v", "c[i]")
