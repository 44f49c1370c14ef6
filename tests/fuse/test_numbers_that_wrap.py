"""Indices, numbers of items and conditions of 64 bits without sign, which start again at 0; and
values that helper functions give on two ways."""

from __future__ import annotations

import numpy as np
import pytest

from kfusion.api import CheckError, fuse
from kfusion.graph.model import LaunchRange
from kfusion.graph.target import TARGETS
from tests.stencils.running import EAGER
from tests.support.pyopencl_run import Case, assert_same

ITEMS, REFUSED = 24, 0
# What makes the element `t[...]`, what reads it, and how many kernels there are; REFUSED: one,
# which `Fused.check` does not let be launched with such numbers.
PROGRAMS: dict[str, tuple[str, str, int]] = {
    "a remainder of a huge number": (
        "const size_t i = get_global_id(0); if (i < n) t[i] = 2 * a[i];",
        "const size_t i = get_global_id(0); if (i < n) c[i] = t[(i - n) % n];",
        2,
    ),
    "a remainder of a number that is not": (
        "const size_t i = get_global_id(0); if (i < n) t[i] = 2 * a[i];",
        "const size_t i = get_global_id(0); if (i < n) c[i] = t[(i + n) % n];",
        1,
    ),
    "a constant that takes 1 away": (
        "const size_t i = get_global_id(0); if (i < n) t[i] = 2 * a[i];",
        "const size_t i = get_global_id(0); if (i < n) c[i] = t[n + 0xFFFFFFFFFFFFFFFFul];",
        2,
    ),
    "a difference that takes 1 away": (
        "const size_t i = get_global_id(0); if (i < n) t[i] = 2 * a[i];",
        "const size_t i = get_global_id(0); if (i < n) c[i] = t[((i - 1) - i) + n];",
        2,
    ),
    "an element behind the item's, by a huge number": (
        "const int i = get_global_id(0); if (i < s) t[i - m] = 2 * a[i];",
        "const int i = get_global_id(0); c[i] = t[i];",
        2,
    ),
    "a loop that counts from a huge number on": (
        "const int i = get_global_id(0); if (i < s - 2) t[i + 2] = 2 * a[i];",
        (
            "const int i = get_global_id(0); float v = 0;"
            " if (i >= 2) { for (ulong k = m; k < e; k++) v += t[i + k]; c[i] = v; }"
        ),
        2,
    ),
    "a loop of three rounds in 64 bits": (
        "const int i = get_global_id(0); if (i < s - 2) t[i + 2] = 2 * a[i];",
        (
            "const int i = get_global_id(0); float v = 0;"
            " if (i + 2 < n) { for (size_t k = 0; k < 3; k++) v += t[i + k]; c[i] = v; }"
        ),
        1,
    ),
    "a counter that goes back by 0xFFFFFFFF": (
        "const int i = get_global_id(0); if (i < (int)n) t[i] = 2 * a[i];",
        (
            "const int i = get_global_id(0); float v = 0; for (int k = 3; k > -3; k += "
            "0xFFFFFFFFu) if (k - 3 < (int)n) v += t[k + 18]; c[i] = v;"
        ),
        2,
    ),
    "a counter of 64 bits that goes back by 2^64 - 1": (
        "const size_t i = get_global_id(0); if (i < u) t[i] = 2 * a[i];",
        (
            "const size_t i = get_global_id(0); float v = 0; int r = 0;"
            " for (size_t k = i; r < 3; k += 0xFFFFFFFFFFFFFFFFul)"
            " { r++; if (k + 2 < u) v += t[k + u]; } c[i] = v;"
        ),
        2,
    ),
    "steps of 2^61 and 1": (
        "const int i = get_global_id(0); if (i < (int)n) t[i] = 2 * a[i];",
        (
            "const size_t i = get_global_id(0); float v = 0; size_t j = i; for (int r = 0; "
            "r < 16; r++) { if (j < n) v += t[j]; j += 0x2000000000000001ul; } c[i] = v;"
        ),
        2,
    ),
    "a factor of 2^61 and 1": (
        "const size_t i = get_global_id(0); if (i < u) t[i] = 2 * a[i];",
        (
            "const size_t i = get_global_id(0);"
            " if (i + 8 < u) c[i] = t[i + 0x2000000000000001ul * f];"
        ),
        2,
    ),
    "a number with sign, four times, in an index without": (
        "const size_t i = get_global_id(0); if (i < h) t[i] = 2 * a[i];",
        (
            "const int i = get_global_id(0); float v = 0;"
            " for (int k = 0; k < 8; k++) if (k < h) v += t[4ul * h + k]; c[i] = v;"
        ),
        REFUSED,
    ),
    "a counter with sign and a step without": (
        "const int i = get_global_id(0); if (i < 8) t[i + 4] = 2 * a[i];",
        (
            "const int i = get_global_id(0); float v = 0;"
            " for (int k = 3; k < 8; k += 0x7fffffffu) if (k > 0) v += t[k + 1]; c[i] = v;"
        ),
        2,
    ),
    "a counter with sign and a step of 64 bits": (
        "const int i = get_global_id(0); if (i < 8) t[i + 4] = 2 * a[i];",
        (
            "const int i = get_global_id(0); float v = 0;"
            " for (int k = 3; k < 8; k += 0x7fffffffl) if (k > 0) v += t[k + 1]; c[i] = v;"
        ),
        2,
    ),
    "a counter with sign and a step of as many as there are items": (
        "const int i = get_global_id(0); if (i < 8) t[i + 4] = 2 * a[i];",
        (
            "const int i = get_global_id(0); float v = 0;"
            " for (int k = 3; k < f; k += get_global_size(0)) if (k > 0 && k < 8) v += t[k + 1];"
            " c[i] = v;"
        ),
        2,
    ),
    "an element behind the item's, by a number that no int is": (
        "const size_t i = get_global_id(0); if (i >= 24) t[i + 0xfffffff8] = 2 * a[i];",
        "const size_t i = get_global_id(0); c[i] = t[0];",
        2,
    ),
    "the bits that a shift loses": (
        "const int i = get_global_id(0); if (i < (int)n) t[i] = 2 * a[i];",
        ("const int i = get_global_id(0); if (i + 2 < (int)n) c[i] = t[2 + ((i << 30) >> 30)];"),
        REFUSED,
    ),
    "a comparison in 64 bits": (
        "const int i = get_global_id(0); if (i < (int)n) t[i] = 2 * a[i];",
        (
            "const int i = get_global_id(0); if (i > 0 && i < (int)n) c[i] = t[(long)x + 1 "
            "== y ? i - 1 : i];"
        ),
        1,
    ),
    "a helper that gives one number on both ways": (
        "const int i = get_global_id(0); t[i] = 2 * a[i];",
        "const int i = get_global_id(0); c[i] = t[either(i, (int)n)];",
        1,
    ),
    "a helper that changes a number on both ways, and before": (
        "const int i = get_global_id(0); t[i] = 2 * a[i];",
        "const int i = get_global_id(0); c[i] = t[later(i, (int)n)];",
        2,
    ),
    **{
        f"from a multiple of {by} on": (
            "const int i = get_global_id(0); if (i < (int)n) t[i] = 2 * a[i];",
            (
                f"const int i = get_global_id(0), b = i / {by} * {by};"
                " if (i < (int)n) c[i] = b + 2 < (int)n ? t[b + 2] : 0;"
            ),
            1,
        )
        for by in ("f", "y")
    },
    **{
        f"a loop over the range, in {type_}": (
            "const uint i = get_global_id(0); if (i < n) t[i] = 2 * a[i];",
            f"for ({type_} i = get_global_id(0); i < n; i += get_global_size(0)) c[i] = t[i] + 1;",
            1,
        )
        for type_ in ("int", "uint", "size_t", "long")
    },
}
SOURCE = """
int either(int k, int n) { if (k == n) k = 0; else k = 0; return k; }
int later(int k, int n) { if (k < 0) k = 0; if (k == n) k = n; else k = n; return k; }
kernel void make(global float *t, global const float *a, const ulong n, const ulong m,
                 const int s, const uint u, const long h)
{
    MAKE
}
kernel void read(global float *c, global const float *t, const ulong n, const ulong m,
                 const ulong e, const long h, const int x, const int y,
                 const uint u, const int f)
{
    READ
}
"""


@pytest.mark.parametrize("target", ["any", "cpu", "eager"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_numbers(name: str, target: str) -> None:
    make, read, kernels = PROGRAMS[name]
    source = SOURCE.replace("MAKE", make).replace("READ", read)
    calls = ["make(t, a, n, m, s, u, h)", "read(c, t, n, l, e, h, x, y, u, f)"]
    ranges = [LaunchRange(1, "space")] * 2
    targets = {**TARGETS, "eager": EAGER}
    fused = fuse(source, calls, ["c"], ranges=ranges, target=targets[target])
    assert len(fused.kernels) == (kernels or 1)
    dice = np.random.default_rng(2)
    data = {name: dice.random(ITEMS + 1).astype(np.float32) for name in "tac"}
    scalars: dict[str, np.generic] = {
        "n": np.uint64(ITEMS - 3),
        "m": np.uint64((1 << 64) - 1),
        "l": np.uint64((1 << 64) - 2),
        "e": np.uint64((1 << 64) - 1),
        "s": np.int32(ITEMS),
        "h": np.int64(1 << 62),
        "x": np.int32((1 << 31) - 1),
        "y": np.int32(-(1 << 31)),
        "u": np.uint32(10),
        "f": np.int32(8),
    }
    if kernels == REFUSED:
        with pytest.raises(CheckError, match=r"more than|behind 2"):
            fused.check({**data, **scalars}, [ITEMS, ITEMS])
        return
    fused.check({**data, **scalars}, [ITEMS, ITEMS])
    assert_same(fused, source, Case(data, scalars, (ITEMS,)), ["c"])


# An index of which items 0 and 8 have one element, and numbers with which it is so.
PITCHES: dict[str, tuple[str, str, dict[str, np.generic]]] = {
    "a product of two": (
        "i * p * q",
        "const uint p, const uint q",
        {"p": np.uint32(1 << 31), "q": np.uint32(1 << 30)},
    ),
    "a product of two with sign": (
        "i * p * q",
        "const int p, const int q",
        {"p": np.int32(-(1 << 31)), "q": np.int32(1 << 30)},
    ),
    "a product with a number": (
        "i * p * 0x40000000ul",
        "const ulong p",
        {"p": np.uint64(1 << 31)},
    ),
    "64 bits": ("i * p", "const ulong p", {"p": np.uint64(1 << 61)}),
    "64 bits with sign": ("i * p", "const long p", {"p": np.int64(-(1 << 61))}),
    "32 bits, and a number": (
        "i * p * 0x40000000ul",
        "const uint p",
        {"p": np.uint32(1 << 31)},
    ),
}


@pytest.mark.parametrize(
    ("name", "conditions"),
    [
        *((name, ("", "")) for name in PITCHES),
        # What is made under a condition on data is not computed again.
        ("a product with a number", (" && p >= 1 && a[i] >= 0", " && p >= 1")),
        ("32 bits, and a number", (" && p >= 1 && a[i] >= 0", " && p >= 1")),
    ],
)
def test_an_index_that_starts_again(name: str, conditions: tuple[str, str]) -> None:
    """Item 8 stores what item 0 of the next kernel loads; with small numbers it does not."""
    index, parameters, scalars = PITCHES[name]
    source = f"""
kernel void make(global float *t, global const float *a, {parameters})
{{
    const size_t i = get_global_id(0);
    if (i >= 8 && i < 9{conditions[0]}) t[{index}] = 2 * a[i];
}}
kernel void read(global float *c, global const float *t, {parameters})
{{
    const size_t i = get_global_id(0);
    if (i < 1{conditions[1]}) c[i] = t[{index}];
}}
"""
    names = ", ".join(scalars)
    calls = [f"make(t, a, {names})", f"read(c, t, {names})"]
    fused = fuse(source, calls, ["c"], ranges=[LaunchRange(1, "space")] * 2)
    assert len(fused.kernels) == 1
    data = {name: np.ones(1, np.float32) for name in "tac"}
    with pytest.raises(CheckError, match=r"more than|less than"):
        fused.check({**data, **scalars}, [ITEMS, ITEMS])
    fused.check({**data, **dict.fromkeys(scalars, 2)}, [ITEMS, ITEMS])


def test_rows_and_planes_that_start_again() -> None:
    for type_ in ("ulong", "long"):
        source = f"""
kernel void make(global float *t, global const float *a, const {type_} w, const {type_} h)
{{
    const size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x < w && y < h && z >= 8) t[(z * h + y) * w + x] = 2 * a[x + z];
}}
kernel void read(global float *c, global const float *t, const {type_} w, const {type_} h)
{{
    const size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x < w && y < h && z < 1) c[x] = t[(z * h + y) * w + x];
}}
"""
        calls = ["make(t, a, w, h)", "read(c, t, w, h)"]
        fused = fuse(source, calls, ["c"], ranges=[LaunchRange(3, "space")] * 2)
        assert len(fused.kernels) == 1
        data, size = {name: np.ones(1, np.float32) for name in "tac"}, (2, 1, 9)
        fused.check({**data, "w": 1000, "h": 1000}, [size, size])
        with pytest.raises(CheckError, match="more than"):
            fused.check({**data, "w": 1 << 31, "h": 1 << 30}, [size, size])
