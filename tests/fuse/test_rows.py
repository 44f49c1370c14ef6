"""Rows, columns and planes: what each item has for itself, and near misses, on PoCL."""

from __future__ import annotations

import numpy as np
import pytest

from kfusion.api import CheckError
from tests.support.kernel_side import fused_and_same, fused_text

XY = "const int x = get_global_id(0), y = get_global_id(1);"
ITEM = "const int i = get_global_id(0);"
ROW = "const int j = get_global_id(0); if (j >= h) return;"
SCALARS = {"w": np.int32(6), "h": np.int32(5), "n": np.int32(15)}
INSIDE = "if (x > 0 && x < w - 1 && y > 0 && y < h - 1)"
WHOLE = "if (x < w && y < h)"
EACH = "for (int k = 0; k < w; k++)"
HALO = "(y + 1) * (w + 2) + x + 1"
THREE = "o[i] = t[i] - t[i + n] * t[i + 2 * n];"


def program(first: str, second: str, types: str = "int") -> str:
    scalars = f"{types} w, {types} h, {types} n"
    return (
        f"kernel void f(global float *t, global const float *a, {scalars})\n{{ {first} }}\n"
        f"kernel void g(global float *o, global float *t, {scalars})\n{{ {second} }}\n"
    )


CALLS = ["f(t, a, w, h, n)", "g(o, t, w, h, n)"]


@pytest.mark.parametrize(
    ("first", "second", "launches"),
    [
        # What is inside of a border
        (f"{INSIDE} t[y*w + x] = 2*a[y*w + x];", f"{INSIDE} o[y*w + x] = t[y*w + x] + 1;", 1),
        (f"{INSIDE} t[y*w + x] = 2*a[y*w + x];", f"{WHOLE} o[y*w + x] = t[y*w + x] + 1;", 1),
        (f"{INSIDE} t[y*w + x] = 2*a[y*w + x];", f"{INSIDE} o[y*w + x] = t[y*w + x + 1];", 2),
        (
            "if (x < w - 1 && y < h - 1) t[y*w + x] = a[y*w + x];",
            "if (x <= w - 1 && y < h) o[y*w + x] = t[y*w + x];",
            1,
        ),
        ("if (x <= w && y < h) t[y*w + x] = a[x];", f"{WHOLE} o[y*w + x] = t[y*w + x];", 2),
        # A border around
        (f"{WHOLE} t[{HALO}] = a[y*w + x];", f"{WHOLE} o[y*w + x] = t[{HALO}];", 1),
        (f"{WHOLE} t[{HALO}] = a[y*w + x];", f"{WHOLE} o[y*w + x] = t[{HALO} - 1];", 2),
        (
            f"if (x < w + 3 && y < h) t[{HALO}] = a[y*w + x];",
            f"{WHOLE} o[y*w + x] = t[{HALO}];",
            2,
        ),
        # From the other end
        (f"{WHOLE} t[y*w + w-1-x] = a[y*w + x];", f"{WHOLE} o[y*w + x] = t[y*w + w-1-x];", 1),
        (f"{WHOLE} t[y*w + w-1-x] = a[y*w + x];", f"{WHOLE} o[y*w + x] = t[y*w + x];", 2),
        (f"{WHOLE} t[(h-1-y)*w + x] = a[y*w + x];", f"{WHOLE} t[(h-1-y)*w + x] += a_(x);", 1),
        # One row is another one, or the same
        ("if (x < w && y == 0) t[(h-1)*w + x] = a[x];", "if (x < w && y == 0) t[x] += 1;", 1),
        # Columns
        (f"{WHOLE} t[x*h + y] = a[y*w + x];", f"{WHOLE} o[y*w + x] = t[x*h + y];", 1),
        (f"{WHOLE} t[x*h + y] = a[y*w + x];", f"{WHOLE} o[y*w + x] = t[y*w + x];", 2),
        # Pitches that are made of numbers
        (
            "if (x < n >> 1 && y < h) t[y*(n >> 1) + x] = a[y*w + x];",
            "if (x < n >> 1 && y < h) o[y*w + x] = t[y*(n >> 1) + x];",
            1,
        ),
        (
            "if (x < (n >> 1) && y < h) t[y*(n >> 1) + x] = a[y*w + x];",
            "if (x < n / 2 && y < h) o[y*w + x] = t[y*(n / 2) + x];",
            1,  # the numbers differ only where n is negative, and no item is inside
        ),
        (
            "if (x < (w & ~3) && y < h) t[y*(w & ~3) + x] = a[y*w + x];",
            "if (x < (w & ~3) && y < h) o[y*w + x] = t[(w & ~3) * y + x];",
            1,
        ),
        (
            "if (x < (w & ~3) && y < h) t[y*(w & ~3) + x] = a[y*w + x];",
            "if (x < (w & ~3) && y < h) o[y*w + x] = t[(w & ~1) * y + x];",
            2,
        ),
        # Conditions that have a name
        (
            "const bool inside = x < w && y < h; if (!inside) return; t[y*w + x] = a[x];",
            "bool outside = x >= w || y >= h; if (!outside) o[y*w + x] = t[y*w + x];",
            1,
        ),
        (
            "if ((x >= w) | (y >= h)) return; t[y*w + x] = a[x];",
            "if ((x < w) & (y < h)) o[y*w + x] = t[y*w + x];",
            1,
        ),
        (
            "if ((x >= w) & (y >= h)) return; t[y*w + x] = a[x];",
            f"{WHOLE} o[y*w + x] = t[y*w + x];",
            2,
        ),
        ("if (w & (x < w)) t[y*w + x] = a[x];", f"{WHOLE} o[y*w + x] = t[y*w + x];", 2),
        (
            "const int inside = x < w || y < h; if (!inside) return; t[y*w + x] = a[x];",
            f"{WHOLE} o[y*w + x] = t[y*w + x];",
            2,
        ),
        (
            (
                "const int2 at = (int2)(x, y), size = (int2)(w, h);"
                " if (any(at >= size)) return; t[at.y * size.x + at.x] = a[x];"
            ),
            (
                "const int2 at = (int2)(x, y);"
                " if (all(at < (int2)(w, h))) o[at.y*w + at.x] = t[at.y*w + at.x];"
            ),
            1,
        ),
        (
            (
                "const int2 at = (int2)(x, y), size = (int2)(w, h);"
                " if (all(at >= size)) return; t[at.y * size.x + at.x] = a[x];"
            ),
            f"{WHOLE} o[y*w + x] = t[y*w + x];",
            2,
        ),
    ],
)
def test_two_dimensions(first: str, second: str, launches: int) -> None:
    source = "#define a_(x) (x + 0.5f)\n" + program(f"{XY} {first}", f"{XY} {second}")
    # Items behind the end of a row store to the next one, if nothing keeps them from it.
    size = (8, 6) if launches == 1 else (SCALARS["w"].item(), 6)
    fused_and_same(source, CALLS, launches=launches, scalars=SCALARS, size=size)


@pytest.mark.parametrize(
    ("first", "second", "launches"),
    [
        # Structures of arrays
        (
            f"{ITEM} if (i < n) {{ t[i] = a[i]; t[i + n] = 2; t[i + 2*n] = a[i] - 1; }}",
            f"{ITEM} if (i < n) {THREE}",
            1,
        ),
        (
            f"{ITEM} if (i < n) {{ t[i] = a[i]; t[i + n] = 2; t[i + 2*n] = a[i] - 1; }}",
            f"{ITEM} if (i <= n) {THREE}",
            2,
        ),
        (
            f"{ITEM} if (i < n) for (int k = 0; k < 3; k++) t[i + k*n] = a[i] + k;",
            f"{ITEM} if (i < n) {THREE}",
            1,
        ),
        # Where `w` items read is not known to be behind where `n` items write
        (f"{ITEM} if (i < n) t[i] = a[i];", f"{ITEM} if (i < n) o[i] = t[i + w];", 2),
        # Rows in loops, as solvers of tridiagonal systems have them
        (
            f"{ROW} for (int k = 1; k < w; k++) t[j*w + k] = a[j*w + k - 1] - t[j*w + k - 1];",
            f"{ROW} t[j*w + (w - 1)] = t[j*w + (w - 1)] / 3;",
            1,
        ),
        (
            f"{ROW} t[j*w + (w - 1)] = a[j];",
            (
                f"{ROW} for (int k = 0; k < w - 2; k++)"
                " t[j*w + (w - k - 2)] = t[j*w + (w - 2 - k)] - t[j*w + (w - 2 - k - 1)];"
            ),
            1,
        ),
        (
            f"{ROW} {EACH} t[j*w + k] = a[j*w + k];",
            f"{ROW} for (int k = 0; k <= w; k++) o[j] += t[j*w + k];",
            2,
        ),
        (f"{ROW} {EACH} t[j*w + k] = a[j*w + k];", f"{ROW} {EACH} o[k*h + j] = t[k*h + j];", 2),
        # Numbers that are taken apart
        (
            f"{ITEM} if (i >= n) return; const int y = i / w, x = i % w; t[y*w + x] = a[x];",
            f"{ITEM} if (i < n) o[i] = t[i];",
            1,
        ),
        (
            (
                "int i = get_global_id(0); if (i >= n) return; const int x = i % w; i /= w;"
                " t[i*w + x] = a[x];"
            ),
            f"{ITEM} if (i < n) o[i] = t[i];",
            1,
        ),
        (
            f"{ITEM} if (i >= n) return; const int y = i / w, x = i % h; t[y*w + x] = a[x];",
            f"{ITEM} if (i < n) o[i] = t[i];",
            2,
        ),
        (
            f"{ITEM} const int r = i >> 2, k = i & 3; t[(r << 2) + k] = a[i];",
            f"{ITEM} o[i] = t[i];",
            1,
        ),
        (f"{ITEM} const int r = i >> 2, k = i & 1; t[4*r + k] = a[r];", f"{ITEM} o[i] = t[i];", 2),
        # Of negative numbers
        (f"{ITEM} t[i] = a[i];", f"{ITEM} o[i] = t[2*((i - 4) >> 1) + ((i - 4) & 1) + 4];", 1),
        (f"{ITEM} t[i] = a[i];", f"{ITEM} o[i] = t[2*((i - 4) / 2) + ((i - 4) & 1) + 4];", 2),
        (f"{ITEM} t[i] = a[i];", f"{ITEM} o[i] = t[((i - 4) & ~1) + ((i - 4) & 1) + 4];", 1),
        (f"{ITEM} t[i] = a[i];", f"{ITEM} o[i] = t[((i + 4u) & ~3u) + ((i + 4u) & 3u) - 4u];", 1),
        (f"{ITEM} t[2*i] = a[i]; t[2*i | 1] = 1;", f"{ITEM} o[i] = t[2*i] + t[2*i + 1];", 1),
        (f"{ITEM} t[2*i] = a[i]; t[2*i | 1] = 1;", f"{ITEM} o[i] = t[2*i] + t[2*i + 2];", 2),
    ],
)
def test_one_dimension(first: str, second: str, launches: int) -> None:
    fused_and_same(program(first, second), CALLS, launches=launches, scalars=SCALARS, size=(20,))


def test_planes_are_kept_in_variables() -> None:
    """No plane is another one where there are items at all."""
    first = f"{ITEM} if (i < n) {{ t[i] = a[i]; t[i + n] = 2 * a[i]; t[i + 2*n] = a[i] - 1; }}"
    source = program(first, f"{ITEM} if (i < n) {THREE}")
    made = fused_and_same(source, CALLS, ["o"], launches=1, scalars=SCALARS, size=(20,))
    assert made.plan.groups[0].internalised == {"t"}
    assert "t[" not in fused_text(made)


def test_sizes_in_a_structure() -> None:
    head = "typedef struct { int pad[2]; int size[2]; } Shape;\n"
    source = head + "".join(
        f"kernel void {name}(global float *{to}, global const float *{of}, Shape s)\n"
        f"{{ {XY} if (x >= s.size[0] || y >= s.size[1]) return;\n"
        f"  {to}[y * s.size[{pitch}] + x] = {of}[y * s.size[{pitch}] + x] + 1; }}\n"
        for name, to, of, pitch in [("f", "t", "a", 0), ("g", "o", "t", 0), ("h", "o", "t", 1)]
    )
    shape = np.array([0, 0, 6, 5], np.int32).view([("pad", "<i4", 2), ("size", "<i4", 2)])
    scalars = {"s": shape[0]}
    for second, launches in [("g", 1), ("h", 2)]:
        calls = ["f(t, a, s)", f"{second}(o, t, s)"]
        fused_and_same(source, calls, launches=launches, scalars=scalars, size=(8, 6))


@pytest.mark.parametrize(("types", "item"), [("int", ITEM), ("uint", ITEM.replace("int", "uint"))])
def test_planes_without_a_guard(types: str, item: str) -> None:
    """They are as long as the range, or items would meet in the first kernel already."""
    buffers = {name: np.zeros(64, np.float32) for name in "tao"}
    for plane in ("n", "15"):
        first = f"{item} t[i] = a[i]; t[i + {plane}] = 2 * a[i]; t[i + 2*{plane}] = a[i] - 1;"
        second = f"{item} o[i] = t[i] - t[i + {plane}] * t[i + 2*{plane}];"
        source = program(first, second, types)
        made = fused_and_same(source, CALLS, launches=1, scalars=SCALARS, size=(15,))
        made.check({**buffers, "n": 15}, [(15,)] * 2)
        with pytest.raises(CheckError):
            made.check({**buffers, "n": 15}, [(16,)] * 2)
        fused_and_same(
            program(first.split(" t[i + ", maxsplit=1)[0], second, types),
            CALLS,
            launches=2,
            scalars=SCALARS,
            size=(15,),
        )


@pytest.mark.parametrize(("types", "item"), [("int", ITEM), ("uint", ITEM.replace("int", "uint"))])
def test_planes_that_a_loop_goes_through(types: str, item: str) -> None:
    buffers = {name: np.zeros(64, np.float32) for name in "tao"}
    for plane, other in (("n", "w"), ("15", "14")):
        rounds = f"for (int k = 0; k < 3; k++) {{ t[k * {plane} + i] = a[i] * k; }}"
        read = f"o[i] = t[i + {plane}] - t[i + 2*{plane}];"
        source = program(f"{item} {rounds}", f"{item} {read}", types)
        made = fused_and_same(source, CALLS, launches=1, scalars=SCALARS, size=(15,))
        made.check({**buffers, "n": 15}, [(15,)] * 2)
        with pytest.raises(CheckError):
            made.check({**buffers, "n": 15}, [(16,)] * 2)
        source = program(f"{item} {rounds}", f"{item} {read.replace(plane, other)}", types)
        fused_and_same(source, CALLS, launches=2, scalars=SCALARS, size=(5,))


def test_index_without_sign_that_each_round_counts_on() -> None:
    head = "const uint i = get_global_id(0); uint k = 3 * i; if (i < n)"
    first = f"{head} for (int j = 0; j < 3; j++) {{ t[k] = a[i] + j; k++; }}"
    for rounds, launches in ((3, 1), (4, 2)):
        loop = f"for (int j = 0; j < {rounds}; j++) {{ o[i] += t[k]; k++; }}"
        source = program(first, f"{head} {loop}", "uint")
        fused_and_same(source, CALLS, launches=launches, scalars=SCALARS, size=(20,))


def test_planes_that_are_too_many_for_32_bits() -> None:
    first = f"{ITEM} if (i < n) {{ t[i] = a[i]; t[i + n] = 2 * a[i]; t[i + 2*n] = a[i] - 1; }}"
    source = program(first, f"{ITEM} if (i < n) {THREE}", "uint").replace("const int i", "uint i")
    made = fused_and_same(source, CALLS, launches=1, scalars=SCALARS, size=(20,))
    buffers = {name: np.zeros(64, np.float32) for name in "tao"}
    made.check({**buffers, "n": 1 << 28}, [(15,)] * 2)
    with pytest.raises(CheckError):
        made.check({**buffers, "n": 1 << 31}, [(15,)] * 2)


def test_rows_without_a_guard() -> None:
    """They are as long as the range, or items would meet in the first kernel already."""
    source = program(f"{XY} t[y*w + x] = a[y*w + x];", f"{XY} o[y*w + x] = 2 * t[y*w + x];")
    made = fused_and_same(source, CALLS, launches=1, scalars=SCALARS, size=(6, 5))
    buffers = {name: np.zeros(64, np.float32) for name in "tao"}
    made.check({**buffers, "w": 6}, [(6, 5)] * 2)
    with pytest.raises(CheckError):
        made.check({**buffers, "w": 5}, [(6, 5)] * 2)


def test_mirrored_index_beside_several_parts_of_an_element() -> None:
    """`31 - i` and `4*i + 3`: taking them apart comes to an end."""
    ids = f"{ITEM} if (i < n)"
    first = f"{ids} {{ t[4*i + 3] = a[31 - i]; }}"
    second = f"{ids} {{ o[i] = t[31 - i]; for (int j = 0; j < 4; j++) o[i] += t[4*i + j]; }}"
    fused_and_same(program(first, second), CALLS, launches=2, scalars=SCALARS, size=(8,))


@pytest.mark.parametrize(
    ("one", "other"),
    [("struct A { int w, h; };", "struct B { int h, w; };"), ("", "struct B { int s1, s0; };")],
    ids=["members", "vector"],
)
def test_one_argument_of_two_types(one: str, other: str) -> None:
    """Members of one name lie in two places."""
    type_, w, h = ("struct A", "s.w", "s.h") if one else ("int2", "s.s0", "s.s1")
    names = ("s.w", "s.h") if one else ("s.s0", "s.s1")
    first = f"if (x < {w} && y < {h}) t[y*{w} + x] = a[y*{w} + x] + 1;"
    second = f"if (x < {names[0]} && y < {names[1]}) o[y*{names[0]} + x] = t[y*{names[0]} + x];"
    source = (
        f"{one} {other}\n"
        f"kernel void f(global float *t, global const float *a, {type_} s) {{ {XY} {first} }}\n"
        f"kernel void g(global float *o, global float *t, struct B s) {{ {XY} {second} }}\n"
    )
    sizes = np.array([(6, 5)], dtype=[("w", np.int32), ("h", np.int32)])[0]
    fused_and_same(
        source, ["f(t, a, s)", "g(o, t, s)"], launches=2, scalars={"s": sizes}, size=(8, 8)
    )
