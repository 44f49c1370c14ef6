"""Colours of an image in planes of one buffer: `t[k * p * h + y * p + x]` are elements apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kfusion.api import fuse
from kfusion.graph.model import LaunchRange
from tests.support.kernel_side import random_data
from tests.support.pyopencl_run import Case, assert_same

W, H, PITCH = 7, 5, 9


def source(type_: str, pitch: str, guard: str = "if (x >= w || y >= h) return;") -> str:
    return f"""
kernel void split(global float *t, global const float *a, const {type_} w, const {type_} h,
                  const {type_} p)
{{
    const {type_} x = get_global_id(0), y = get_global_id(1);
    {guard}
    t[y * {pitch} + x] = a[y * {pitch} + x] * 2.0f;
    t[{pitch} * h + y * {pitch} + x] = a[y * {pitch} + x] + 1.0f;
    t[2 * {pitch} * h + y * {pitch} + x] = a[y * {pitch} + x] - 1.0f;
}}
kernel void join(global float *c, global const float *t, const {type_} w, const {type_} h,
                 const {type_} p)
{{
    const {type_} x = get_global_id(0), y = get_global_id(1);
    {guard}
    const {type_} i = y * {pitch} + x, plane = {pitch} * h;
    c[i] = t[i] * t[i + plane] - t[i + 2 * plane];
}}
"""


CALLS = ["split(t, a, w, h, p)", "join(c, t, w, h, p)"]
NUMBERS = {"int": np.int32, "uint": np.uint32, "long": np.int64}


def fused_with(text: str, type_: str) -> frozenset[str]:
    fused = fuse(text, CALLS, ["c"], ranges=[LaunchRange(2, "plane")] * 2)
    assert len(fused.kernels) == 1, [d.message for d in fused.diagnostics]
    for w, h, p in ((W, H, PITCH), (1, 1, 1), (PITCH, 2, PITCH)):
        number = NUMBERS[type_]
        numbers: dict[str, Any] = {"w": number(w), "h": number(h), "p": number(p)}
        assert_same(fused, text, Case(random_data("act", 200), numbers, (w + 2, h + 1)), ["c"])
    return fused.plan.groups[0].internalised


@pytest.mark.parametrize("pitch", ["p", "w"])
def test_planes_are_apart(pitch: str) -> None:
    assert fused_with(source("int", pitch), "int") == {"t"}


def test_rows_from_a_guard_around_the_work() -> None:
    text = source("int", "p", "if (x < w && y < h) {").replace(";\n}", ";\n}}")
    assert fused_with(text, "int") == {"t"}


@pytest.mark.parametrize(
    ("type_", "guard"),
    [
        ("uint", "if (x >= w || y >= h) return;"),  # a plane may have 2^32 elements, and so none
        ("int", "if (x >= w) return;"),  # it may have no rows
        ("int", "if (y >= h || p == 0) return;"),
    ],
)
def test_planes_that_may_be_one(type_: str, guard: str) -> None:
    text = source(type_, "p", guard)
    fused = fuse(text, CALLS, ["c"], ranges=[LaunchRange(2, "plane")] * 2)
    assert not any("t" in group.internalised for group in fused.plan.groups)
