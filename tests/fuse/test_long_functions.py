"""What takes long is computed again for neighbours only where that pays."""

from __future__ import annotations

import numpy as np
import pytest

from kfusion.api import Fused, fuse
from kfusion.graph.model import LaunchRange
from kfusion.graph.target import Target
from tests.stencils.running import EAGER
from tests.support.pyopencl_run import Case, assert_same

WIDTH, HEIGHT = 37, 23
SOURCE = """
float curve(float x)
{
    return FUNCTION;
}

kernel void curves(global float *t, global const float *a, const int w, const int h)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h)
        t[y * w + x] = curve(a[y * w + x]);
}

kernel void box(global float *c, global const float *t, const int w, const int h)
{
    const int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
        return;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            sum += t[(y + j) * w + x + i];
    c[y * w + x] = sum;
}
"""


def fused_with(function: str, target: Target | str) -> Fused:
    source = SOURCE.replace("FUNCTION", function)
    calls = ["curves(t, a, w, h)", "box(c, t, w, h)"]
    ranges = [LaunchRange(2, "plane")] * 2
    fused = fuse(source, calls, ["c"], ranges=ranges, target=target, tiles=True)
    data = {name: np.random.default_rng(3).random(WIDTH * HEIGHT, np.float32) for name in "tac"}
    scalars = {"w": np.int32(WIDTH), "h": np.int32(HEIGHT)}
    assert_same(fused, source, Case(data, scalars, (WIDTH, HEIGHT)), ["c"])
    return fused


@pytest.mark.parametrize(
    ("function", "target", "kernels"),
    [
        ("0.5f * x + 1.0f", "any", 1),
        ("pow(x, 2.2f)", "any", 2),
        ("exp(-x)", "any", 2),
        ("x / (1.0f + fabs(x))", "any", 2),
        ("x / 1.0L", "any", 1),
        ("x / 4.0f", "any", 1),  # a multiplication
        ("(int)x / 3", "any", 1),
        ("pow(x, 2.2f)", "cpu", 1),  # which keeps rows
    ],
)
def test_what_takes_long_is_stored_and_loaded(function: str, target: str, kernels: int) -> None:
    fused = fused_with(function, target)
    assert len(fused.kernels) == kernels
    messages = [d.message for d in fused.diagnostics]
    assert any("would take longer" in message for message in messages) == (kernels > 1)


@pytest.mark.parametrize("before", ["t[i] = sin(a[i]);", "t[i] = a[i] / (1 + a[i]);"])
def test_what_takes_long_in_an_earlier_step(before: str) -> None:
    """The function that computes it again has the steps of all calls before."""
    source = f"""
kernel void make(global float *t, global const float *a, const int n)
{{
    const int i = get_global_id(0);
    if (i < n) {{ {before} }}
}}
kernel void twice(global float *t, const int n)
{{
    const int i = get_global_id(0);
    if (i < n)
        t[i] *= 2;
}}
kernel void fir(global float *c, global const float *t, const int taps, const int n)
{{
    const int i = get_global_id(0);
    float sum = 0;
    if (i >= n)
        return;
    for (int k = 0; k < taps; k++)
        sum += i - k >= 0 ? t[i - k] : 0;
    c[i] = sum;
}}
"""
    calls = ["make(t, a, n)", "twice(t, n)", "fir(c, t, taps, n)"]
    assert len(fuse(source, calls, ["c"]).kernels) == 2
    cheap = source.replace(before, "t[i] = a[i];")
    assert len(fuse(cheap, calls, ["c"]).kernels) == 1


def test_what_takes_long_may_be_computed_again_where_loads_cost_nothing() -> None:
    assert len(fused_with("pow(x, 2.2f)", EAGER).kernels) == 1
