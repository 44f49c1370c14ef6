"""Stencils as people write them: over pictures of several sizes, the smallest ones too."""

from __future__ import annotations

import numpy as np
import pytest

from tests.stencils.running import EAGER
from tests.support.kernel_side import fused_and_same

SIZES = [(5, 7), (1, 1), (2, 3), (3, 2)]
COUNT = 100
XY = "const int x = get_global_id(0), y = get_global_id(1);"
ALL = f"{XY} if (x >= w || y >= h) return; const int i = y*w + x;"
CORE = f"{XY} if (x > 0 && x < w - 1 && y > 0 && y < h - 1)"
PLANE = f"{XY} if (x < w && y < h) t[y*w + x] = a[y*w + x] + 1.5f;"
LEFT = f"{ALL} o[i] = t[y*w + max(x - 1, 0)] + t[i];"


def kernel(name: str, buffers: str, body: str, scalars: str = "int w, int h") -> str:
    to, of = buffers.split()
    given = f"global float *{to}, global const float *{of}, {scalars}"
    return f"kernel void {name}({given})\n{{\n    {body}\n}}\n"


def check(f: str, g: str, launches: int, scalars: str = "int w, int h", before: str = "") -> None:
    """What `f` makes of `a`, `t`, is what `g` makes `o` of."""
    source = before + kernel("f", "t a", f, scalars) + kernel("g", "o t", g, scalars)
    given = ", ".join(each.split()[-1] for each in scalars.split(", "))
    calls = [f"f(t, a, {given})", f"g(o, t, {given})"]
    data = np.random.default_rng(3)
    buffers = {name: (data.random(COUNT) * 4 - 2).astype(np.float32) for name in "ato"}
    types: dict[str, type[np.integer]] = {
        "int": np.int32,
        "uint": np.uint32,
        "size_t": np.uint64,
        "ulong": np.uint64,
    }
    for w, h in SIZES[: 4 if launches == 1 else 1]:
        extents = {"w": w, "h": h}
        values: dict[str, np.generic] = {
            name: types[type_](extents.get(name, w))
            for type_, name in (each.split() for each in scalars.split(", "))
        }
        size = (w + 2, h + 1)  # a few items more than elements
        fused_and_same(
            source,
            calls,
            ["o"],
            launches=launches,
            scalars=values,
            buffers=buffers,
            size=size,
            target=EAGER,
        )


ROW = "global const float *row = t + y*w;"
POINTERS = {
    "row": (PLANE, f"{ALL} {ROW} o[i] = row[max(x - 1, 0)] + row[x] + row[min(x + 1, w - 1)];"),
    "rows above and below": (
        PLANE,
        (
            f"{CORE} {{ {ROW} global const float *up = row - w, *down = &row[w]; "
            "o[y*w + x] = up[x] + row[x - 1] + row[x + 1] + down[x]; }"
        ),
    ),
    "clamped row": (
        PLANE,
        (
            f"{ALL} global const float *up = t + max(y - 1, 0)*w, *down = &t[min(y + 1, h - 1)*w]; "
            "o[i] = up[x] - down[x];"
        ),
    ),
    "centre": (
        PLANE,
        (
            f"{CORE} {{ global const float *p = t; p += y*w + x; "
            "o[y*w + x] = p[-1] + p[-w] + p[1] + *(p + w) - *p; }"
        ),
    ),
    "rows of a loop": (
        PLANE,
        (
            f"{ALL} float s = 0; for (int j = -1; j <= 1; j++) "
            "{ global const float *row = t + clamp(y + j, 0, h - 1)*w; "
            "for (int k = -1; k <= 1; k++) s += row[clamp(x + k, 0, w - 1)]; } o[i] = s;"
        ),
    ),
    "row and the whole": (PLANE, f"{ALL} {ROW} o[i] = row[max(x - 1, 0)] + t[i];"),
    "made in a row": (f"{ALL} global float *row = t + y*w; row[x] = a[i] + 1.5f;", LEFT),
    "made in a row, where it is inside": (
        f"{CORE} {{ const float v = a[y*w + x]; global float *row = t + y*w; row[x] = v; }}",
        LEFT,
    ),
    "made at an index that the work declares": (
        f"{CORE} {{ const float v = a[y*w + x]; const int i = y*w + x; t[i] = v; }}",
        LEFT,
    ),
    "step": (PLANE, f"{ALL} {ROW} row += max(x - 1, 0); o[i] = *row;"),
}
NO_POINTERS = {
    "out of the row": (PLANE, f"{ALL} {ROW} o[i] = row[x + 1];"),
    "stepped once more": (PLANE, f"{ALL} {ROW} row++; o[i] = row[min(x + 1, w - 1)];"),
    "stepped in a loop": (
        PLANE,
        (
            f"{ALL} float s = 0; if (x < 1 || x >= w - 1) return; "
            "global const float *p = t + i - 1; for (int k = 0; k < 3; k++, p++) s += *p; o[i] = s;"
        ),
    ),
    "one of two": (PLANE, f"{ALL} {ROW} if (t[i] > 0) row += w; o[i] = row[0];"),
    "of another type": (
        PLANE,
        f"{ALL} global const int *row = (global const int *)(t + y*w); o[i] = row[max(x - 1, 0)];",
    ),
}


@pytest.mark.parametrize("name", POINTERS)
def test_rows_by_pointers(name: str) -> None:
    check(*POINTERS[name], launches=1)


@pytest.mark.parametrize("name", NO_POINTERS)
def test_rows_by_pointers_that_stay(name: str) -> None:
    check(*NO_POINTERS[name], launches=2)
