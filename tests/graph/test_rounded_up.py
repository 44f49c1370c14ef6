"""Pitches that kernels round up: `(w + 15) / 16 * 16` is not less than `w`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kfusion.api import fuse
from kfusion.graph.bounds import Assumable, Assumed, Bounds, Ceiling, Nothing
from kfusion.graph.model import LaunchRange
from kfusion.graph.target import Target
from kfusion.kernel.forms import GLOBAL_ID, Comparison, Form, Id, Quotient, Value, form_of, number
from tests.stencils.running import EAGER, MARCH, STRIPS
from tests.support.kernel_side import random_data
from tests.support.pyopencl_run import Case, assert_same

X = form_of(Id(GLOBAL_ID, 0))
LAST = (1 << 32) - 1


class Anything(Assumable):
    def may(self, assumed: Assumed, *, implied: bool) -> bool:
        return isinstance(assumed, Ceiling)


def rounded(form: Form, type_: str) -> Form:
    return form_of(Quotient(form + number(15), number(16), type_)) * number(16)


def test_a_number_with_sign() -> None:
    """That an id is less than `w` says that `w` is positive."""
    w = form_of(Value("w", "int"))
    facts = [Comparison("<", X, w, "int")]
    goal = Comparison("<=", w, rounded(w, "int"), "int")
    assert Bounds(facts, Nothing()).implied(goal) is not None
    assert Bounds([], Nothing()).implied(goal) is None


def test_a_number_without_sign() -> None:
    """`w + 15` may be 3."""
    u = Value("u", "uint")
    left = rounded(form_of(u), "uint") - form_of(u)
    assert Bounds([], Nothing()).not_negative(left) is None
    found = Bounds([], Anything()).not_negative(left)
    assert found == frozenset({Ceiling(u, LAST - 15)})


def test_a_negative_divisor() -> None:
    """`(w + 7) / -8 * -8` is not more than `w + 7`."""
    w = form_of(Value("w", "int"))
    made = form_of(Quotient(w + number(7), number(-8), "int")) * number(-8)
    facts = [Comparison("<", X, w, "int")]
    goal = Comparison("<=", w + number(8), made, "int")
    assert Bounds(facts, Nothing()).implied(goal) is None


def test_a_conversion() -> None:
    """Of a sum that is 3, `(ulong)(u + 15)` is 3."""
    u = form_of(Value("u", "uint"))
    converted = form_of(Quotient(u + number(15), number(1), "ulong from uint"))
    goal = Comparison("<=", u, converted, "ulong")
    assert Bounds([], Nothing()).implied(goal) is None
    halved = form_of(Quotient(u, number(2), "uint"))
    converted = form_of(Quotient(halved * number(2), number(1), "ulong from uint"))
    goal = Comparison("<=", converted, u, "ulong")
    assert Bounds([], Nothing()).implied(goal) is not None


PLANES = """
{before}
kernel void twice(global float *t, global const float *a, const {type} w, const {type} h)
{{
    const {type} x = get_global_id(0), y = get_global_id(1);
    const {wide} p = {pitch};
    if (x < w && y < h)
        t[y * p + x] = 2.0f * a[y * p + x];
}}
kernel void around(global float *c, global const float *t, const {type} w, const {type} h)
{{
    const {type} x = get_global_id(0), y = get_global_id(1);
    const {wide} p = {pitch};
    if (x > 0 && y > 0 && x + 1 < w && y + 1 < h)
        c[y * p + x] = t[y * p + x - p] + t[(y + 1) * p + x] + t[y * p + x - 1] + t[y * p + x + 1];
}}
"""
OF = "inline int pitch_of(int w) { return (w + 7) / 8 * 8; }"
PITCHES = {
    "divided": ("int", "int", "(w + 7) / 8 * 8", ""),
    "masked": ("int", "int", "(w + 7) & ~7", ""),
    "remainder": ("int", "int", "(w + 7) - (w + 7) % 8", ""),
    "function": ("int", "int", "pitch_of(w)", OF),
    "without sign": ("uint", "uint", "(w + 7) & ~7u", ""),
    "shifted": ("uint", "uint", "(w + 7) >> 3 << 3", ""),
    "64 bits": ("int", "size_t", "(w + 7) / 8 * 8", ""),
    "64 bits without sign": ("uint", "ulong", "(w + 7) / 8 * 8", ""),
    "all 64 bits": ("ulong", "ulong", "(w + 7) & ~(ulong)7", ""),
}
NUMBERS = {"int": np.int32, "uint": np.uint32, "ulong": np.uint64}


@pytest.mark.parametrize("target", [EAGER, STRIPS, MARCH], ids=["inline", "strips", "march"])
@pytest.mark.parametrize("given", PITCHES.values(), ids=list(PITCHES))
def test_neighbours(given: tuple[str, str, str, str], target: Target) -> None:
    type_, wide, pitch, before = given
    source = PLANES.format(type=type_, wide=wide, pitch=pitch, before=before)
    ranges = [LaunchRange(2, "the plane")] * 2
    calls = ["twice(t, a, w, h)", "around(c, t, w, h)"]
    tiles = target is not EAGER
    fused = fuse(source, calls, ["c"], ranges=ranges, target=target, tiles=tiles)
    assert len(fused.kernels) == 1, [d.message for d in fused.diagnostics]
    for w, h in ((13, 9), (16, 3), (1, 1)):
        numbers: dict[str, Any] = {"w": NUMBERS[type_](w), "h": NUMBERS[type_](h)}
        assert_same(fused, source, Case(random_data("act", 256), numbers, (w + 2, h + 1)), ["c"])


def test_rounded_down() -> None:
    """Rows are longer than their pitch: two rows have elements in common."""
    source = PLANES.format(type="int", wide="int", pitch="w / 8 * 8", before="")
    ranges = [LaunchRange(2, "the plane")] * 2
    fused = fuse(source, ["twice(t, a, w, h)", "around(c, t, w, h)"], ["c"], ranges=ranges)
    assert len(fused.kernels) == 2
