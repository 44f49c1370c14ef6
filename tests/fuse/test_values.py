"""Indices that are one of several values: `min(i, n - 1)`, `i < n ? i : 0`, `if (i > n) i = n;`."""

from __future__ import annotations

import numpy as np
import pytest

from kfusion.graph.model import AtLeast
from tests.support.kernel_side import fused_and_same, refusal

CALLS = ["f(t, a, w, n)", "g(o, t, w, n)"]
SCALARS = {"w": np.int32(6), "n": np.int32(15)}
INSIDE = "if (i >= n) return;"
FILL = f"{INSIDE} t[i] = 2 * a[i];"


def program(first: str, second: str, types: str = "int") -> str:
    head = f"const {types} i = get_global_id(0);"
    return (
        f"kernel void f(global float *t, global const float *a, {types} w, {types} n)\n"
        f"{{ {head} {first} }}\n"
        f"kernel void g(global float *o, global float *t, {types} w, {types} n)\n"
        f"{{ {head} {second} }}\n"
    )


OWN = [
    "o[i] = t[min(i, n - 1)];",
    "o[i] = t[max(i, 0)];",
    "o[i] = t[clamp(i, 0, n - 1)];",
    "o[i] = t[i < n ? i : n - 1];",
    "o[i] = t[i >= n ? 0 : i];",
    "int k = i; if (k > n - 1) k = n - 1; o[i] = t[k];",
    "int k = i; if (k < 0) k = 0; else if (k >= n) k = n - 1; o[i] = t[k];",
    "int k; if (i < n && i >= 0) k = i; else k = 0; o[i] = t[k];",
    "int k = i; if (i < 0 || i >= n) k = n - 1; o[i] = t[k];",
    "int k = abs(i); o[i] = t[k];",
    "int k = w > 3 ? i : i; o[i] = t[k];",
    "int k = min(i + 1, n); o[i] = t[k - 1];",
]
OTHERS = [
    "o[i] = t[min(i + 1, n - 1)];",
    "o[i] = t[max(i - 1, 0)];",
    "o[i] = t[clamp(i - 1, 0, n - 1)];",
    "o[i] = t[min(i, w - 1)];",
    "o[i] = t[i < w ? i : w - 1];",
    "o[i] = t[i >= 1 ? 0 : i];",
    "int k = i; if (k > n - 2) k = n - 2; o[i] = t[k];",
    "int k = i; if (k < 2) k = 2; else if (k >= n) k = n - 1; o[i] = t[k];",
    "int k; if (i < n && t[i] > 1) k = i; else k = 0; o[i] = t[k];",
    "int k; if (i < n && i >= 3) k = i; else k = 0; o[i] = t[k];",
    "int k = i; if (i < 0 || i >= w) k = w - 1; o[i] = t[k];",
    "int k = abs(i - 1); o[i] = t[k];",
    "int k = w > 3 ? i : 0; o[i] = t[k];",
    "int k = min(i + 1, n - 1); o[i] = t[k - 1];",
]


@pytest.mark.parametrize("work", OWN)
def test_own_element(work: str) -> None:
    source = program(FILL, f"{INSIDE} {work}")
    fused_and_same(source, CALLS, launches=1, scalars=SCALARS, size=(20,))


@pytest.mark.parametrize("work", OTHERS)
def test_element_of_another_item(work: str) -> None:
    source = program(FILL, f"{INSIDE} {work}")
    fused_and_same(source, CALLS, launches=2, scalars=SCALARS, size=(20,))


def test_own_element_in_rows_numbered_from_a_value_that_is_certain() -> None:
    """An int holds a number of items, and so much more a row."""
    row = "int y = 3; if (get_global_size(1) > 0) y = get_global_id(1);"
    source = program(
        "int k = get_global_id(1) * get_global_size(0) + i; t[k] = 2 * a[k];",
        f"{row} int k = y * get_global_size(0) + i; o[k] = t[k];",
    )
    fused_and_same(source, CALLS, launches=1, scalars=SCALARS, size=(5, 4))


def test_own_element_need_not_be_stored() -> None:
    source = program(FILL, f"{INSIDE} o[i] = t[clamp(i, 0, n - 1)] + t[i];")
    made = fused_and_same(source, CALLS, ["o"], launches=1, scalars=SCALARS, size=(20,))
    assert made.plan.groups[0].internalised == {"t"}


STORES = [
    ("t[min(i, n - 1)] += 1;", 1),
    ("if (i < w) t[min(i, w - 1)] = a_(i);", 1),
    (
        "t[i] += 1; if (i < w) t[min(i, w - 1)] = 5;",
        1,
    ),  # outside of the condition it is another one
    ("if (i > 0) t[i - 1 < n - 1 ? i - 1 : n - 1] = 5;", 2),
    ("if (i > 0) { int k = i; if (k < n) k--; t[k] = 5; }", 2),
]


@pytest.mark.parametrize(("work", "launches"), STORES)
def test_element_that_is_stored(work: str, launches: int) -> None:
    source = "#define a_(x) (x + 0.5f)\n" + program(FILL, f"{INSIDE} {work} o[i] = t[i];")
    fused_and_same(source, CALLS, launches=launches, scalars=SCALARS, size=(20,))


# Without a sign, 1 less than 0 is a large number.
UNSIGNED = [
    ("o[i] = t[min(i, n - 1)];", 1),
    ("o[i] = t[i - 1 < n - 1 ? i : 0];", 2),
    ("o[i] = t[min(i - 1, n - 1)];", 2),
    ("o[i] = t[min(max(i - 1, 0u), n - 1)];", 2),
    ("o[i] = t[i > 0 ? i - 1 : 0];", 2),
    ("if (i < w - 1) o[i] = t[i < w ? i : 0];", 2),  # where w is 0
    ("if (w < 9) o[i] = t[w - 9 > i ? i : i - i % 2];", 2),
    ("if (w < 9) o[i] = t[w - 9 > i ? i - i % 2 : i];", 2),
]


@pytest.mark.parametrize("types", ["uint", "ulong"])
@pytest.mark.parametrize(("work", "launches"), UNSIGNED)
def test_without_sign(work: str, launches: int, types: str) -> None:
    work = work.replace("0u", f"({types})0")
    scalars = {
        name: (np.uint32 if types == "uint" else np.uint64)(v) for name, v in SCALARS.items()
    }
    source = program(FILL, f"{INSIDE} {work}", types)
    fused_and_same(source, CALLS, launches=launches, scalars=scalars, size=(20,))


def test_condition_without_sign_about_a_width_that_has_one() -> None:
    """For a negative `w` each `i` is below it."""
    source = program(FILL, "if ((size_t)i < w) o[i] = t[i < w ? i : 0];")
    for calls in (CALLS, [call.replace("w", "6") for call in CALLS]):
        scalars = {**SCALARS, "6": SCALARS["w"]}
        fused = fused_and_same(source, calls, launches=1, scalars=scalars, size=(15,))
        assert (AtLeast("w", 0, "int") in fused.plan.groups[0].assumptions) == (calls == CALLS)


def test_sum_without_sign_that_starts_again() -> None:
    """`n + 3` is less than `n` where that is large."""
    for index, launches in [
        ("i < n + 3 ? i : 0", 2),
        ("i <= n ? i : 0", 1),
        ("i + 3 < n ? i : i", 1),
    ]:
        source = program(FILL, f"{INSIDE} o[i] = t[{index}];", "uint")
        scalars = {name: np.uint32(value) for name, value in SCALARS.items()}
        fused_and_same(source, CALLS, launches=launches, scalars=scalars, size=(20,))


def test_rows_that_are_clamped() -> None:
    scalars = {"w": np.int32(6), "n": np.int32(5)}
    xy = "const int x = get_global_id(0), y = get_global_id(1); if (x >= w || y >= n) return;"
    for at, launches in [
        ("clamp(y, 0, n - 1) * w + clamp(x, 0, w - 1)", 1),
        ("clamp(y, 0, n - 1) * w + clamp(x + 1, 0, w - 1)", 2),
        ("min(y * w + x, w * n - 1)", 2),
    ]:
        source = program(f"{xy} t[y * w + x] = a[y * w + x];", f"{xy} o[y * w + x] = t[{at}];")
        fused_and_same(source, CALLS, launches=launches, scalars=scalars, size=(8, 6))


def test_rounds_of_a_loop_that_ends_at_the_least_of_two_widths() -> None:
    first = f"{INSIDE} for (int k = 0; k < min(w, 4); k++) t[4 * i + k] = a[i] + k;"
    for end, launches in [("min(w, 4)", 1), ("max(w, 4)", 2), ("(w < 4 ? w : 4)", 1)]:
        second = f"{INSIDE} for (int k = 0; k < {end}; k++) o[i] += t[4 * i + k];"
        source = program(first, second)
        fused_and_same(source, CALLS, launches=launches, scalars=SCALARS, size=(9,))


def test_group_arithmetic_in_a_value() -> None:
    """Where groups are full it is the global id."""
    head = "const int g = get_group_id(0) * get_local_size(0) + get_local_id(0);"
    for at, launches in [("min(g, n - 1)", 1), ("min(g, w - 1)", 2)]:
        source = program(FILL, f"{head} {INSIDE} o[i] = t[{at}];")
        fused_and_same(source, CALLS, launches=launches, scalars=SCALARS, size=(24,), local=(8,))


def test_more_values_than_are_followed() -> None:
    last = "k = k < n ? k : n - 1;"
    source = program(FILL, f"{INSIDE} int k = i; {last * 5} o[i] = t[k];")
    fused_and_same(source, CALLS, launches=2, scalars=SCALARS, size=(20,))


@pytest.mark.parametrize(
    ("index", "code", "message"),
    [
        ("min(i + 1, n - 1)", "KF201", "elements of 't' that neighbouring items of f() write"),
        ("max(i - 1, 0)", "KF201", "elements of 't' that neighbouring items of f() write"),
        ("min(i, w - 1)", "KF201", "elements of 't' that other items of f() write as 't[i]'"),
        ("a_(i) > 1 ? i : 0", "KF203", "is not understood, and f() writes 't' too"),
    ],
)
def test_what_is_said(index: str, code: str, message: str) -> None:
    source = "#define a_(x) (x + 0.5f)\n" + program(FILL, f"{INSIDE} o[i] = t[{index}];")
    found = refusal(source, CALLS)
    assert found.code == code
    assert message in found.message
