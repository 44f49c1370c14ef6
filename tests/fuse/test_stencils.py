"""Kernels that read what other items of an earlier one make: each item computes it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from kfusion.api import Fused, fuse
from kfusion.graph.model import Marching
from kfusion.graph.target import Target
from tests.stencils.running import EAGER, MARCH, STRIPS
from tests.support.kernel_side import fused_and_same, fused_text
from tests.support.pyopencl_run import Case, assert_same

EXTENTS = {"w": 13, "h": 7, "d": 3, "r": 2, "n": 1}
SCALARS = {name: np.int32(number) for name, number in EXTENTS.items()}
LARGE = {**SCALARS, "w": np.int32(29), "h": np.int32(13)}  # for groups that march
SIZES = {1: (16,), 2: (16, 8), 3: (16, 8, 4)}  # a few items more than elements
COUNT = 32 * 17 * 2  # what is read behind the last row is there

X = "const int x = get_global_id(0);"
XY = f"{X} const int y = get_global_id(1);"
XYZ = f"{XY} const int z = get_global_id(2);"
ALL = f"{XY} if (x >= w || y >= h) return; const int i = y*w + x;"
CORE = f"{XY} if (x > 0 && x < w - 1 && y > 0 && y < h - 1)"
ROW = f"{X} if (x < w) t[x] = a[x] + 1.5f;"
INNER_ROW = f"{X} if (x > 0 && x < w - 1) t[x] = a[x] + 1.5f;"
PLANE = f"{XY} if (x < w && y < h) t[y*w + x] = a[y*w + x] + 1.5f;"
INNER = f"{CORE} t[y*w + x] = a[y*w + x] + 1.5f;"
SPACE = f"{XYZ} if (x < w && y < h && z < d) t[(z*h + y)*w + x] = a[(z*h + y)*w + x] + 1.5f;"
SIDES = f"{X} if (x > 0 && x < w - 1) o[x] = t[x - 1] + t[x + 1];"
ABOVE = f"{ALL} if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return; o[i] = t[i - w];"
RIGHT = f"{ALL} o[i] = t[y*w + min(x + 1, w - 1)] + t[i];"
LONG = "const size_t x = get_global_id(0), y = get_global_id(1);"
UINT = "const uint x = get_global_id(0), y = get_global_id(1);"

PAD = f"{XY} if (x < w && y < h) t[(y + 1)*(w + 2) + x + 1] = a[y*w + x] + 1.5f;"
PADDED = (
    f"{ALL} const int j = (y + 1)*(w + 2) + x + 1; "
    "o[i] = t[j] + t[j - 1] + t[j + 1] + t[j - (w + 2)] + t[j + w + 2];"
)

# How the first kernel makes `t`, and what the second one reads of it.
FUSE = {
    "row": (ROW, f"{X} if (x > 0 && x < w - 1) o[x] = t[x - 1] + t[x] + t[x + 1];"),
    "plane": (
        PLANE,
        f"{CORE} o[y*w + x] = t[y*w + x - 1] + t[(y + 1)*w + x] + t[(y - 1)*w + x + 1];",
    ),
    "space": (
        SPACE,
        (
            f"{XYZ} if (x > 0 && x < w && y < h - 1 && z > 0 && z < d) o[(z*h + y)*w + x] = "
            "t[(z*h + y)*w + x - 1] + t[(z*h + y + 1)*w + x] + t[((z - 1)*h + y)*w + x];"
        ),
    ),
    "clamp": (
        PLANE,
        f"{ALL} o[i] = t[y*w + clamp(x - 1, 0, w - 1)] + t[clamp(y + 1, 0, h - 1)*w + x];",
    ),
    "min and max": (PLANE, f"{ALL} o[i] = t[y*w + max(x - 1, 0)] + t[min(y + 1, h - 1)*w + x];"),
    "ternary": (
        PLANE,
        f"{ALL} o[i] = t[y*w + (x > 0 ? x - 1 : 0)] + t[(y + 1 < h ? y + 1 : y)*w + x];",
    ),
    "first and last": (
        PLANE,
        f"{ALL} o[i] = (x == 0 ? 0 : t[i - 1]) + (y != h - 1 ? t[i + w] : 0);",
    ),
    "first without sign": (
        ROW,
        "const size_t x = get_global_id(0); if (x < w) o[x] = x == 0 ? t[x] : t[x - 1];",
    ),
    "if": (PLANE, f"{ALL} int k = x; if (x < w - 1) k = x + 1; o[i] = t[y*w + k];"),
    "named": (
        PLANE,
        (
            f"{ALL} const int l = max(x - 1, 0), b = min(y + 1, h - 1); "
            "o[i] = t[y*w + l] + t[b*w + x] + t[b*w + l];"
        ),
    ),
    "whole indices": (
        PLANE,
        f"{ALL} int up = y > 0 ? i - w : i; int to = x < w - 1 ? i + 1 : i; o[i] = t[up] + t[to];",
    ),
    "wrap": (PLANE, f"{ALL} o[i] = t[y*w + (x + 1) % w] + t[(y + h - 1) % h * w + x];"),
    "mirror": (
        PLANE,
        (
            f"{ALL} if (w < 2) return; "
            "o[i] = t[y*w + (x > 0 ? x - 1 : 1)] + t[y*w + (x < w - 1 ? x + 1 : w - 2)];"
        ),
    ),
    "reflect": (PLANE, f"{ALL} const int l = x - 1; o[i] = t[y*w + (l < 0 ? -1 - l : l)];"),
    "other end": (PLANE, f"{ALL} o[i] = t[y*w + w - 1 - x];"),
    "constant": (PLANE, f"{ALL} o[i] = (x > 0 ? t[i - 1] : 0.5f) + (y < h - 1 ? t[i + w] : 0.5f);"),
    "inner elements read": (PLANE, f"{CORE} o[y*w + x] = t[(y - 1)*w + x + 1];"),
    "early return": (
        PLANE,
        ABOVE,
    ),
    "padded": (PAD, PADDED),
    "padded, ids from 1": (
        (
            "const int x = get_global_id(0) + 1, y = get_global_id(1) + 1; "
            "if (x > w || y > h) return; t[y*(w + 2) + x] = a[(y - 1)*w + x - 1] + 1.5f;"
        ),
        PADDED,
    ),
    "padded behind": (
        f"{XY} if (x < w && y < h) t[y*(w + 1) + x] = a[y*w + x] + 1.5f;",
        f"{ALL} o[i] = t[y*(w + 1) + x] + t[y*(w + 1) + x + 1];",
    ),
    "padded row": (
        f"{X} if (x < w) t[x + 2] = a[x] + 1.5f;",
        f"{X} if (x < w) o[x] = t[x] + t[x + 1] + t[x + 2] + t[x + 3] + t[x + 4];",
    ),
    "padded space": (
        (
            f"{XYZ} if (x < w && y < h && z < d) t[((z + 1)*(h + 2) + y + 1)*(w + 2) + x + 1] = "
            "a[(z*h + y)*w + x] + 1.5f;"
        ),
        (
            f"{XYZ} if (x >= w || y >= h || z >= d) return; "
            "const int j = ((z + 1)*(h + 2) + y + 1)*(w + 2) + x + 1; o[(z*h + y)*w + x] = "
            "t[j] + t[j - 1] + t[j + w + 2] + t[j - (w + 2)*(h + 2)];"
        ),
    ),
    "window": (
        PLANE,
        (
            f"{ALL} float s = 0; for (int k = -2; k <= 2; k++) "
            "s += t[y*w + clamp(x + k, 0, w - 1)]; "
            "o[i] = s;"
        ),
    ),
    "window of a scalar": (
        PLANE,
        (
            f"{ALL} float s = 0; for (int k = -r; k <= r; k++) "
            "s += t[y*w + clamp(x + k, 0, w - 1)]; "
            "o[i] = s;"
        ),
    ),
    "weights": (
        PLANE,
        (
            f"{ALL} const float m[3] = {{1, 2, 4}}; float s = 0; for (int j = -1; j <= 1; j++) "
            "for (int k = -1; k <= 1; k++) { const float v = t[clamp(y + j, 0, h - 1)*w + "
            "clamp(x + k, 0, w - 1)]; s += m[j + 1]; s *= v; } o[i] = s;"
        ),
    ),
    "far, on one side": (PLANE, f"{ALL} o[i] = t[min(y + 2, h - 1)*w + max(x - 5, 0)];"),
    "a scalar away": (PLANE, f"{ALL} o[i] = t[y*w + clamp(x + n, 0, w - 1)];"),
    "size_t and int": (
        f"{LONG} if (x < w && y < h) t[y*w + x] = a[y*w + x] + 1.5f;",
        f"{ALL} o[i] = t[y*w + max(x - 1, 0)];",
    ),
    "two size_t and int": (
        f"{LONG} if (x < w && y < h) t[y*w + x] = a[y*w + x] + 1.5f;",
        f"{LONG} if (x >= w || y >= h) return; o[y*w + x] = t[y*w + (x > 0 ? x - 1 : 0)];",
    ),
    "size_t": (
        "const size_t x = get_global_id(0); if (x < w) t[x] = a[x] + 1.5f;",
        "const size_t x = get_global_id(0); if (x < w) o[x] = t[x > 0 ? x - 1 : 0];",
    ),
    # Where no item has stored, an element is as it was.
    "behind the row": (ROW, f"{X} if (x < w) o[x] = t[x + 1];"),
    "behind the plane": (PLANE, f"{ALL} o[i] = t[min(y + 1, h)*w + x];"),
    "inner elements made": (
        INNER,
        f"{ALL} o[i] = t[y*w + max(x - 1, 0)] + t[min(y + 1, h - 1)*w + x];",
    ),
    "inner elements made and read": (
        INNER,
        ABOVE,
    ),
}
STAY = {
    "padded rows that run into the next": (
        f"{XY} if (x < w + 2 && y < h) t[(y + 1)*(w + 2) + x + 1] = 1.5f;",
        PADDED,
    ),
    "padded rows, read two behind": (
        PAD,
        f"{ALL} o[i] = t[(y + 1)*(w + 2) + x + 3];",
    ),
    "padded rows, read two before": (
        PAD,
        f"{ALL} o[i] = t[(y + 1)*(w + 2) + x - 1];",
    ),
    "next row": (PLANE, f"{ALL} o[i] = t[i + 1];"),
    "clamped too late": (PLANE, f"{ALL} o[i] = t[y*w + clamp(x + 1, 0, w)];"),
    "other condition": (PLANE, f"{ALL} o[i] = t[y*w + (x >= 0 ? x + 1 : 0)];"),
    "unlike the second": (PLANE, f"{ALL} o[i] = x != 1 ? t[i - 1] : 0;"),
    "unlike what is behind the row": (PLANE, f"{ALL} o[i] = x != w ? t[i + 1] : 0;"),
    "unlike 0 from both sides": (PLANE, f"{ALL} int l = x - 1; o[i] = l != 0 ? t[y*w + l] : 0;"),
    "if not": (PLANE, f"{ALL} int k = x; if (x < w) k = x + 1; o[i] = t[y*w + k];"),
    "name changed": (PLANE, f"{ALL} int l = max(x - 1, 0); l--; o[i] = t[y*w + l + 1 + x];"),
    "index changed": (PLANE, f"{ALL} int up = y > 0 ? i - w : i; up++; o[i] = t[up];"),
    "wrapped too late": (PLANE, f"{ALL} o[i] = t[y*w + (x + 1) % (w + 1)];"),
    "wrapped below 0": (PLANE, f"{ALL} o[i] = t[1 + y*w + (x - 1) % w];"),
    "mirror of a single element": (PLANE, f"{ALL} o[i] = t[y*w + (x > 0 ? x - 1 : 1)];"),
    "other end, one late": (PLANE, f"{ALL} o[i] = t[y*w + w - x];"),
    "constant where it is not needed": (PLANE, f"{ALL} o[i] = x >= 0 ? t[i + 1] : 0.5f;"),
    "window that leaves the row": (
        PLANE,
        f"{ALL} float s = 0; for (int k = -2; k <= 2; k++) s += t[y*w + max(x + k, 0)]; o[i] = s;",
    ),
    "place from memory": (PLANE, f"{ALL} o[i] = t[y*w + clamp((int)t[i], 0, w - 1)];"),
    "before the launch": (ROW, f"{X} if (x < w) o[x + 9] = t[9 + x - n];"),
    "behind the launch": (f"{X} t[x] = a[x] + 1.5f;", f"{X} o[x] = t[x + 1];"),
    "made by an item of the row above": (
        f"{XY} if (x > 0 && x <= w && y < h) t[y*w + x] = a[y*w + x] + 1.5f;",
        f"{ALL} o[i] = t[y*w + max(x - 1, 0)];",
    ),
    "made under a condition": (f"{X} if (x < w) {{ if (a[x] > 0) t[x] = a[x]; }}", SIDES),
    "made in groups": (f"{X} if (x < w) t[x] = a[x] + get_local_id(0);", SIDES),
    "made of the number of items": (f"{X} if (x < w) t[x] = a[x] + get_global_size(0);", SIDES),
    "made in two places": (f"{X} if (x < w) {{ t[x] = a[x]; t[x + 1] = a[x]; }}", SIDES),
    "made in every second place": (f"{X} if (2*x < w) t[2*x] = a[x];", SIDES),
    # These could be computed again, but are not.
    "-1 without sign": (
        PLANE,
        f"{UINT} if (x >= w || y >= h) return; o[y*w + x] = t[y*w + min(x - 1, (uint)w - 1)];",
    ),
}


def kernel(name: str, buffers: str, body: str, type_: str = "float") -> str:
    to, *of = buffers.split()
    parameters = [f"global {type_} *{to}", *(f"global const {type_} *{each}" for each in of)]
    scalars = ", ".join(f"int {name}" for name in EXTENTS)
    return f"kernel void {name}({', '.join(parameters)}, {scalars})\n{{\n    {body}\n}}\n"


def pair(f: str, g: str, type_: str = "float") -> str:
    return kernel("f", "t a", f, type_) + kernel("g", "o t", g, type_)


def call(name: str, *buffers: str) -> str:
    return f"{name}({', '.join([*buffers, *EXTENTS])})"


F, G = call("f", "t", "a"), call("g", "o", "t")


def check(
    source: str,
    launches: int,
    calls: Sequence[str] = (F, G),
    out: Sequence[str] | None = ("o",),
    elements: int = 1,
    *,
    exact: bool = False,
    target: Target = EAGER,
) -> Fused:
    data = np.random.default_rng(3)
    dimensions = max(d + 1 for d in range(3) if f"get_global_id({d})" in source)
    large = target.march > 0 and dimensions == 2
    return fused_and_same(
        source,
        calls,
        out,
        launches=launches,
        scalars=LARGE if large else SCALARS,
        buffers={
            name: (data.random(COUNT * elements) * 4 - 2).astype(np.float32) for name in "abctuo"
        },
        size=(32, 16) if large else SIZES[dimensions],
        target=target,
        exact=exact,
    )


@pytest.mark.parametrize("name", FUSE)
def test_computed_again(name: str) -> None:
    check(pair(*FUSE[name]), 1)


# Of an index that may be outside, and of how many elements there are.
BORDERS = {
    "returns": "if (k < 0) return 0; if (k >= n) return n - 1; return k;",
    "assignments": "if (k < 0) k = 0; else if (k > n - 1) k = n - 1; return k;",
    "mirror": "if (n < 3) return 0; if (k < 0) return -k; if (k < n) return k; return 2*n - 2 - k;",
    "reflect": "int l = k; if (l < 0) { l = -1 - l; } if (l >= n) { l = 2*n - 1 - l; } return l;",
    "wrap": "if (k < 0) k += n; if (k >= n) k -= n; return k;",
    "none on one side": "if (k < 0) return 0; return k;",
    "one too far": "if (k < 0) return 0; if (k > n) return n; return k;",
    "mirror of a single element": "if (k < 0) return -k; if (k >= n) return 2*n - 2 - k; return k;",
}


@pytest.mark.parametrize(("border", "launches"), [*zip(BORDERS, [1] * 5 + [2] * 3, strict=True)])
def test_borders_by_functions(border: str, launches: int) -> None:
    at = f"static int at(int k, const int n) {{ {BORDERS[border]} }}\n"
    read = f"{ALL} o[i] = t[y*w + at(x - 1, w)] + t[at(y + 1, h)*w + at(x + 1, w)];"
    for target in (EAGER, MARCH):
        fused = check(at + pair(PLANE, read), launches, target=target)
        assert marches(fused) == (launches == 1 and target is MARCH)


# Nobody knows how far away what they read is.
NO_ROWS = ("other end", "window of a scalar", "a scalar away")
PLANES = [name for name, (f, _) in FUSE.items() if "(1)" in f and "(2)" not in f]


@pytest.mark.parametrize("name", PLANES)
def test_marching(name: str) -> None:
    fused = check(pair(*FUSE[name]), 1, target=MARCH)
    assert marches(fused) == (name not in NO_ROWS)


def marches(fused: Fused) -> bool:
    return any(isinstance(launch.tiles, Marching) for launch in fused.kernels)


# What the kernel in the middle does with what it reads of its neighbours, which may be anything
# where nothing is stored.
ANYTHING = {
    "o[i] = t[y*w + max(x - 1, 0)] / 2 + fmax(t[i], 0.5f);": True,
    "float s = t[y*w + max(x - 1, 0)]; if (s < 1) s = -s; o[i] = s > 2 ? 2.0f : s;": True,
    "float s = 0; for (int j = 0; j < 3; j++) { float v = t[min(y + j, h - 1)*w + x]; s += v; } "
    "o[i] = s;": True,
    "float m[3]; for (int j = 0; j < 3; j++) m[j] = t[min(y + j, h - 1)*w + x]; o[i] = m[1];": True,
    "const int j = t[y*w + max(x - 1, 0)]; o[i] = a[i] + j;": False,
    "o[i] = a[(int)t[y*w + max(x - 1, 0)] & 3];": False,
    "float s = t[y*w + max(x - 1, 0)]; for (; s > 1; s *= 0.5f) {} o[i] = s;": False,
    "float s = t[y*w + max(x - 1, 0)]; while (s > 1) s *= 0.5f; o[i] = s;": False,
    "o[i] = t[y*w + max(x - 1, 0)] < 4 ? a[i] : 0;": False,
    "float s = 1; if (t[y*w + max(x - 1, 0)] < 4) s = a[i]; o[i] = s;": False,
    "int j = 1; if (t[y*w + max(x - 1, 0)] < 4) j++; o[i] = a[i] / j;": False,
    "int j = 1; if (t[y*w + max(x - 1, 0)] < 4) j = 2; o[i] = a[i] / j;": False,
    "o[i] = 8 / (t[y*w + max(x - 1, 0)] < 4 ? n : 2);": False,
    "o[i] = a[i] + 8 / (t[y*w + max(x - 1, 0)] < 4);": False,
    "o[i] = a[i] + ilogb(t[y*w + max(x - 1, 0)]);": False,
}


@pytest.mark.parametrize(("body", "may"), ANYTHING.items())
def test_what_may_be_computed_of_anything(body: str, may: bool) -> None:
    source = kernel("f", "t a", PLANE) + kernel("g", "o t a", f"{ALL} {body}")
    fused = fuse(
        source + kernel("k", "o t", RIGHT),
        [F, call("g", "u", "t", "a"), call("k", "o", "u")],
        ["o"],
        target=MARCH,
        tiles=True,
    )
    assert marches(fused) == may


# What a kernel loads, and whether groups that march load a row of it ahead: the first and the last
# row, from a column of each item's own or one before it to one behind, are loaded by all items.
LOADED = {
    "star": ("{t} = a[(y - 1)*w + x] + a[y*w + x - 1] + a[(y + 1)*w + x];", True),
    "both sides": ("{t} = a[(y - 1)*w + x + 1] + a[(y - 1)*w + x - 1] + a[y*w + x];", True),
    "loop": ("{{ float s = 0; for (int j = -1; j < 2; j++) s += a[y*w + x + j]; {t} = s; }}", True),
    "one side above": ("{t} = a[(y - 1)*w + x + 1] + a[y*w + x];", False),
    "one side below": ("{t} = a[(y - 1)*w + x] + a[y*w + x - 1];", False),
    "one side": ("{t} = a[y*w + x + 1];", False),
    "choice": ("{t} = a[y*w + x] + (n > 0 ? a[(y - 1)*w + x] : 0);", False),
    "condition": (
        "{{ float s = a[y*w + x]; if (n > 0) s += a[(y + 1)*w + x]; {t} = s; }}",
        False,
    ),
    "break": (
        (
            "{{ float s = 0; for (int j = -1; j < 2; j++) {{ if (j == n) break; "
            "s += a[(y + j)*w + x]; }} {t} = s; }}"
        ),
        False,
    ),
    "another end": (
        "{{ float s = 0; for (int j = -1; j < 2 && j < n; j++) s += a[(y + j)*w + x]; {t} = s; }}",
        False,
    ),
    "steps of two": (
        "{{ float s = 0; for (int j = -1; j < 2; j += 2) s += a[(y + j)*w + x]; {t} = s; }}",
        False,
    ),
    "diagonal": (
        "{{ float s = 0; for (int j = -1; j < 2; j++) s += a[(y + j)*w + x + j]; {t} = s; }}",
        False,
    ),
    "an index that is read": ("{t} = a[(int)a[y*w + x] & 3];", False),
}


@pytest.mark.parametrize("name", LOADED)
def test_what_is_loaded_ahead(name: str) -> None:
    body, ahead = LOADED[name]
    body = f"{CORE} {body.format(t='t[y*w + x]')}"
    fused = check(kernel("f", "t a", body) + kernel("g", "o t", RIGHT), 1, target=MARCH)
    assert marches(fused)
    assert ("loaded a row ahead" in fused.source) == ahead


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (3, 2), (7, 11), (23, 5), (31, 1), (1, 31)])
def test_marching_in_any_size(size: tuple[int, int]) -> None:
    """Whatever part of it has constant offsets, and how many groups are left for the rest."""
    window = FUSE["window"][1].replace("k", "j")
    source = pair(PLANE, window) + kernel("k", "o t", RIGHT)
    fused = fuse(
        source, [F, call("g", "u", "t"), call("k", "o", "u")], ["o"], target=MARCH, tiles=True
    )
    assert marches(fused)
    scalars = {**SCALARS, "w": np.int32(size[0]), "h": np.int32(size[1])}
    data = {name: np.random.default_rng(3).random(COUNT, dtype=np.float32) for name in "atuo"}
    assert_same(fused, source, Case(data, scalars, size), ["o"])


_COLUMNS = "clamp(x + k, 0, w - 1)"
_ROWS = "clamp(y + j, 0, h - 1)"
_AROUND_X, _AROUND_Y = (f"for (int {k} = -8; {k} <= 8; {k}++)" for k in "kj")
WIDE = {  # what is kept of columns of other items, too, has to have room in registers
    "a cross": (
        f"{_AROUND_X} s += t[y*w + {_COLUMNS}]; {_AROUND_Y} s += t[{_ROWS}*w + x];",
        True,
    ),
    "a square": (
        f"{_AROUND_Y} {_AROUND_X} s += t[{_ROWS}*w + {_COLUMNS}];",
        False,
    ),
}


@pytest.mark.parametrize("name", WIDE)
def test_columns_of_other_items_in_registers(name: str) -> None:
    loops, may = WIDE[name]
    body = f"{ALL} float s = 0; {loops} o[i] = s;"
    target = replace(MARCH, march=16, marchers=16)
    assert marches(check(pair(PLANE, body), 1, target=target)) == may


def test_little_local_memory() -> None:
    fused = check(pair(*FUSE["plane"]), 1, target=replace(MARCH, local_bytes=1024))
    assert not marches(fused)


@pytest.mark.parametrize("name", STAY)
def test_not_computed_again(name: str) -> None:
    check(pair(*STAY[name]), 2)


# More than two kernels, or not only buffers of floats

CLAMPED = f"{ALL} o[i] = t[y*w + max(x - 1, 0)] + t[min(y + 1, h - 1)*w + x];"
AGAIN = kernel("g", "o t", CLAMPED) + kernel("k", "o t", RIGHT)
UPDATE = f"kernel void e(global float *t, int w, int h) {{ {ALL} t[i] *= 3.0f; }}"
TWO = f"""
kernel void f(global float *t, global float *u, global const float *a, int w, int h)
{{ {ALL} float s = a[i] + 1.5f; t[i] = s; u[i] = s - 4.0f; }}
kernel void g(global float *o, global const float *t, global const float *u, int w, int h)
{{ {ALL} o[i] = t[y*w + max(x - 1, 0)] + u[min(y + 1, h - 1)*w + x]; }}
"""
UP = f"{ALL} o[i] = t[max(y - 1, 0)*w + x] + t[i];"
PROGRAMS: dict[str, tuple[str, list[str]]] = {
    "rows above, of three levels": (
        kernel("g", "o t", UP) + kernel("k", "o t", RIGHT),
        [call("g", "t", "a"), call("g", "u", "t"), call("k", "o", "u")],
    ),
    "three levels": (
        pair(PLANE, CLAMPED) + kernel("k", "o t", RIGHT),
        [F, call("g", "u", "t"), call("k", "o", "u")],
    ),
    "an own element, and others of two levels": (
        pair(PLANE, CLAMPED)
        + kernel(
            "k", "o t a", f"{ALL} o[i] = t[y*w + min(x + 1, w - 1)] + a[max(y - 1, 0)*w + x];"
        ),
        [F, call("g", "u", "t"), call("k", "o", "u", "t")],
    ),
    "temporaries that take turns": (
        AGAIN + kernel("f", "t a", PLANE),
        [F, call("g", "u", "t"), call("k", "t", "u"), call("g", "u", "t"), call("k", "o", "u")],
    ),
    "changed in place before it is read": (pair(PLANE, CLAMPED) + UPDATE, [F, "e(t, w, h)", G]),
    "changed in place between two reads": (
        pair(PLANE, CLAMPED) + UPDATE + kernel("k", "o t", RIGHT),
        [F, call("g", "u", "t"), "e(t, w, h)", call("k", "o", "t")],
    ),
    "every second element changed in place by its neighbour": (
        kernel("f", "t a", ROW)
        + f"kernel void e(global float *t, int w) {{ {X} if (x > 0 && x < w && x % 2) "
        "t[x] += t[x - 1]; }" + kernel("c", "o t", f"{X} if (x < w) o[x] = t[x];"),
        [F, "e(t, w)", call("c", "o", "t")],
    ),
    "two outputs": (TWO, ["f(t, u, a, w, h)", "g(o, t, u, w, h)"]),
    "a function of the file": (
        "int clip(int v, int n) { return v < 0 ? 0 : v >= n ? n - 1 : v; }\n"
        "float grown(float v) { return v + 1.5f; }\n"
        + pair(
            f"{ALL} t[i] = grown(a[i]);",
            f"{ALL} o[i] = t[y*w + clip(x - 1, w)] + t[clip(y + 1, h)*w + x];",
        ),
        [F, G],
    ),
    "made of what was there, and not stored": (
        pair(f"{X} if (x < w) t[x] = t[x] + a[x];", SIDES),
        [F, G],
    ),
    "a variable with the name that a function would have": (
        pair(ROW, f"{X} if (x > 0 && x < w) {{ float t_at = 2; o[x] = t[x - 1] + t_at; }}"),
        [F, G],
    ),
    "a macro for the access": (
        "#define AT(b, y, x) b[(y)*w + (x)]\n#define CLIP(v, n) min(max(v, 0), (n) - 1)\n"
        + pair(
            f"{XY} if (x < w && y < h) AT(t, y, x) = AT(a, y, x) + 1.5f;",
            f"{ALL} AT(o, y, x) = AT(t, y, CLIP(x - 1, w)) + AT(t, CLIP(y + 1, h), x);",
        ),
        [F, G],
    ),
    "an element as it was": (pair(INNER_ROW, SIDES), [F, G]),
    "vectors": (pair(PLANE, CLAMPED, "float4"), [F, G]),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("target", [EAGER, MARCH], ids=["alone", "marching"])
def test_program(name: str, target: Target) -> None:
    source, calls = PROGRAMS[name]
    fused = check(source, 1, calls, elements=4, target=target)
    planes = "get_global_id(1)" in source
    assert marches(fused) == (target == MARCH and planes)


@pytest.mark.parametrize("name", ["three levels", "two outputs", "an element as it was"])
def test_program_all_of_which_is_observed(name: str) -> None:
    source, calls = PROGRAMS[name]
    check(source, 1, calls, out=None)


def test_nobody_wants_what_is_made_of_neighbours() -> None:
    """Then there is no function for it, either."""
    source = pair(PLANE, CLAMPED) + kernel("k", "o t", RIGHT)
    calls = [F, call("g", "u", "t"), call("k", "b", "u"), call("f", "o", "a")]
    assert [each.functions for each in check(source, 1, calls).fused] == [()]
    fused = check(source, 1, [*calls, call("g", "c", "o")], out=["o", "c"])
    assert [each.functions for each in fused.fused] == [("o_at",)]


# What neighbours make is read for a result that nobody wants.
ALSO_READ = f"""
kernel void g(global float *o, global float *u, global const float *t, int w, int h)
{{ {ALL} o[i] = t[y*w + max(x - 1, 0)] + t[y*w + min(x + 1, w - 1)]; u[i] = t[i]; }}
"""
HALF_WANTED = f"""
kernel void f(global float *t, global float *u, global const float *a, int w, int h)
{{ {ALL} t[i] = a[i] * 2.0f; u[i] = a[i] + 1.0f; }}
kernel void g(global float *b, global float *o, global const float *t, global const float *u,
              int w, int h)
{{ {ALL} b[i] = t[y*w + max(x - 1, 0)]; o[i] = u[y*w + max(x - 1, 0)]; }}
"""


@pytest.mark.parametrize("target", [EAGER, MARCH, STRIPS], ids=["alone", "marching", "strips"])
def test_what_is_read_for_a_dead_result(target: Target) -> None:
    also_read = ["g(b, u, a, w, h)", "g(c, u, b, w, h)", "g(o, u, c, w, h)"]
    check(ALSO_READ, 1, also_read, out=("o", "u"), target=target)
    half_wanted = ["f(t, u, a, w, h)", "g(b, o, t, u, w, h)"]
    check(HALF_WANTED, 1, half_wanted, target=target)
    check(HALF_WANTED, 1, half_wanted, out=("b", "o"), target=target)


STAYING: dict[str, tuple[str, list[str], list[str]]] = {
    "overwrites what is read again": (pair(ROW, SIDES), [F, call("g", "a", "t")], ["a"]),
    "overwritten in between, and read once more": (
        pair(ROW, SIDES) + kernel("k", "a o", ROW.replace("t[x] = a[x]", "a[x] = o[x]")),
        [F, call("k", "a", "o"), G],
        ["o", "a"],
    ),
    "stores to its neighbour's element": (
        pair(ROW, f"{X} if (x < w) o[x + 1] = t[x] + 1;"),
        [F, call("g", "a", "t")],
        ["a"],
    ),
    "what is as it was is overwritten later": (
        pair(INNER_ROW, SIDES) + kernel("k", "t b", f"{X} if (x < w) t[x] = b[x];"),
        [F, G, call("k", "t", "b")],
        ["o", "t"],
    ),
    "an item would compute what no item has: of a[-1]": (
        kernel("f", "t a", f"{X} if (x > 0 && x < w) t[x] = a[x - 1];")
        + kernel("m", "u t", f"{X} if (x < w) u[x] = x > 0 ? t[x] : 0.5f;")
        + kernel("g", "o t", SIDES),
        [F, call("m", "u", "t"), call("g", "o", "u")],
        ["o"],
    ),
    "a function of the file asks for the id": (
        "int me(void) { return get_global_id(0); }\n"
        + pair(f"{X} if (x < w) t[x] = a[x] + me();", SIDES),
        [F, G],
        ["o"],
    ),
    "made of what was there, and stored": (
        pair(f"{X} if (x < w) t[x] = t[x] + a[x];", SIDES),
        [F, G],
        ["o", "t"],
    ),
}


@pytest.mark.parametrize("name", STAYING)
def test_program_that_stays(name: str) -> None:
    source, calls, out = STAYING[name]
    check(source, 2, calls, out)


SQUARES = f"{ALL} t[i] = a[i] * a[i];"


@pytest.mark.parametrize(
    ("calls", "rounded"),
    [
        ([F, G], ["t_i"]),
        ([F, call("g", "u", "t"), call("k", "o", "u")], ["t_i", "u_i"]),
    ],
    ids=["two", "three"],
)
def test_exact(calls: list[str], rounded: list[str]) -> None:
    """What a function returns is rounded there, as a store would."""
    source = pair(SQUARES, CLAMPED) + kernel("k", "o t", RIGHT)
    text = fused_text(check(source, 1, calls, exact=True))
    for name in rounded:
        assert f"if (get_work_dim() > 3) {name} = 0; /* never */" in text
