"""Stencils as people write them: over pictures of several sizes, the smallest ones too."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest

from kfusion.api import Fused, fuse
from kfusion.graph.model import UpTo
from kfusion.notation import Agreement
from tests.stencils.running import EAGER
from tests.support.kernel_side import fused_and_same
from tests.support.pyopencl_run import Case, assert_same

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


def check(
    f: str,
    g: str,
    launches: int,
    scalars: str = "int w, int h",
    before: str = "",
    sizes: Sequence[tuple[int, int]] = SIZES,
) -> Fused:
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
    fused = fuse(source, calls, ["o"], target=EAGER)
    assert len(fused.kernels) == launches, [d.message for d in fused.diagnostics]
    for w, h in sizes if launches == 1 else []:
        extents = {"w": w, "h": h}
        values: dict[str, np.generic] = {
            name: types[type_](extents.get(name, w))
            for type_, name in (each.split() for each in scalars.split(", "))
        }
        items = (w + 2, h + 1)[: fused.plan.invocations[0].range.dimensions]  # and a few more
        assert_same(fused, source, Case(buffers, values, items), ["o"])
    return fused


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


# Ids and widths of several types. What widths must be for it is compared in a C program.

TYPES = [("size_t", "int"), ("size_t", "uint"), ("uint", "uint"), ("uint", "int"), ("int", "uint")]
IDS = "const T x = get_global_id(0), y = get_global_id(1);"
OF_ALL = f"{IDS} if (x >= w || y >= h) return; const T i = y*w + x;"
OF_CORE = f"{IDS} if (x > 0 && x < w - 1 && y > 0 && y < h - 1)"
MADE = f"{IDS} if (x < w && y < h) t[y*w + x] = a[y*w + x] + 1.5f;"
MADE_AT = f"{OF_ALL} t[i] = a[i] + 1.5f;"
MADE_INSIDE = f"{OF_CORE} t[y*w + x] = a[y*w + x] + 1.5f;"
UNSIGNED = {
    "guards": (
        MADE,
        f"{OF_CORE} o[y*w + x] = t[y*w + x - 1] + t[y*w + x + 1] - t[(y - 1)*w + x];",
    ),
    "guards that are met early": (
        MADE_AT,
        (
            f"{OF_ALL} if (x == 0 || y == 0 || x == w - 1 || y + 1 == h) return; "
            "o[i] = t[i - 1] + t[i + 1] - t[i - w] + t[i + w];"
        ),
    ),
    "to the left": (
        MADE_AT,
        (
            f"{OF_ALL} o[i] = t[y*w + (x == 0 ? 0 : x - 1)] + t[(y > 0 ? y - 1 : y)*w + x] - "
            "t[y*w + (x != 0 ? x - 1 : x)] + t[(y < 1 ? 0 : y - 1)*w + x];"
        ),
    ),
    "to the right": (
        MADE,
        (
            f"{OF_ALL} o[i] = t[y*w + (x < w - 1 ? x + 1 : x)] + t[(y + 1 == h ? y : y + 1)*w + x]"
            " - t[y*w + (x == w - 1 ? x : x + 1)] + t[(y + 1 < h ? y + 1 : h - 1)*w + x];"
        ),
    ),
    "around": (
        MADE,
        f"{OF_ALL} o[i] = t[y*w + (x == 0 ? w - 1 : x - 1)] + t[(y == h - 1 ? 0 : y + 1)*w + x];",
    ),
    "converted": (
        MADE,
        (
            f"{OF_ALL} const int l = max((int)x - 1, 0), r = min((int)x + 1, (int)w - 1); "
            "o[i] = t[y*w + l] - t[y*w + r];"
        ),
    ),
    "made inside": (
        MADE_INSIDE,
        f"{OF_ALL} o[i] = t[y*w + (x > 0 ? x - 1 : 0)] + t[(y + 1 < h ? y + 1 : y)*w + x];",
    ),
    "sums cut to 32 bits": (
        f"{IDS} if (x < w && y < h) {{ const int i = y*w + x; t[i] = a[i] + 1.5f; }}",
        f"{OF_CORE} {{ const int i = y*w + x; o[i] = t[i - 1] + t[i + 1] + t[y*w + x - w]; }}",
    ),
    "sums cut to 32 bits without sign": (
        f"{IDS} if (x < w && y < h) {{ const uint i = y*w + x; t[i] = a[i] + 1.5f; }}",
        f"{OF_CORE} {{ const uint i = y*w + x; o[i] = t[i - 1] + t[i + 1]; }}",
    ),
}
MINIMA = f"{OF_ALL} o[i] = t[y*w + min(x + 1, (T)w - 1)] + t[min(y + 1, (T)(h - 1))*w + x];"
NOT_SO = {
    "minimum that is too large": (MADE, f"{OF_ALL} o[i] = t[y*w + min(x + 1, (T)w)];"),
    "to the wrong side": (MADE, f"{OF_ALL} o[i] = t[y*w + (x == 0 ? 0 : x + 1)];"),
    "left of 0": (MADE, f"{OF_ALL} if (x == 1) return; o[i] = t[y*w + x - 1];"),
    "behind the row": (MADE, f"{OF_ALL} if (x == w - 2) return; o[i] = t[y*w + x + 1];"),
    "one too far": (MADE, f"{OF_ALL} if (x == 0) return; o[i] = t[y*w + x - 2];"),
}


@pytest.fixture
def comparing(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a C program, whose run time compares: the sizes here are large enough."""
    monkeypatch.setattr(Agreement, "at_least", lambda _, __, least: least <= 1)


def of_types(sources: tuple[str, str], ids: str, widths: str) -> tuple[str, str, str]:
    f, g = (re.sub(r"\bT\b", ids, source) for source in sources)
    return f, g, f"{widths} w, {widths} h"


@pytest.mark.parametrize(("ids", "widths"), TYPES)
@pytest.mark.parametrize("name", UNSIGNED)
@pytest.mark.usefixtures("comparing")
def test_without_sign(name: str, ids: str, widths: str) -> None:
    f, g, scalars = of_types(UNSIGNED[name], ids, widths)
    check(f, g, 1, scalars, sizes=[(5, 7), (1, 1)])


@pytest.mark.parametrize(("ids", "widths"), TYPES[:-1])
@pytest.mark.usefixtures("comparing")
def test_minima_without_sign(ids: str, widths: str) -> None:
    f, g, scalars = of_types((MADE, MINIMA), ids, widths)
    check(f, g, 1, scalars)


@pytest.mark.parametrize(("ids", "widths"), TYPES[:3])
@pytest.mark.parametrize("name", NOT_SO)
@pytest.mark.usefixtures("comparing")
def test_without_sign_that_stays(name: str, ids: str, widths: str) -> None:
    f, g, scalars = of_types(NOT_SO[name], ids, widths)
    check(f, g, 2, scalars)


def test_width_of_which_nothing_is_known() -> None:
    """`w - 1` without sign is a large number where `w` is 0."""
    f, g, scalars = of_types(UNSIGNED["guards"], "size_t", "uint")
    check(f, g, 2, scalars)


@pytest.mark.usefixtures("comparing")
@pytest.mark.parametrize("name", ["made inside", "sums cut to 32 bits"])
def test_extents_of_which_an_index_would_start_again(name: str) -> None:
    f, g, scalars = of_types(UNSIGNED[name], "uint", "uint")
    plan = check(f, g, 1, scalars, sizes=[]).plan
    assert any(isinstance(each, UpTo) for each in plan.groups[0].assumptions)


MACROS = """\
#define ID get_global_id(0)
#define X get_global_id(0)
#define Y get_global_id(1)
#define IDX(x, y) ((y)*w + (x))
#define AT(b, x, y) b[(y)*w + (x)]
#define CLIP(v, n) ((v) < 0 ? 0 : (v) >= (n) ? (n) - 1 : (v))
#define INSIDE (X < w && Y < h)
#define ITEM const int x = X, y = Y; if (!INSIDE) return;
"""
BY_MACROS = {
    "id": (
        "if (ID < w) t[ID] = a[ID];",
        "if (ID > 0 && ID < w - 1) o[ID] = t[ID - 1] + t[ID + 1];",
    ),
    "variable of the id": (
        "const int i = ID; if (i < w) t[i] = a[i] + ID;",
        "if (ID < w) o[ID] = t[max((int)ID - 1, 0)];",
    ),
    "ids": (
        "if (X < w && Y < h) t[Y*w + X] = a[Y*w + X];",
        "if (X > 0 && X < w && Y + 1 < h) o[Y*w + X] = t[Y*w + X - 1] + t[(Y + 1)*w + X];",
    ),
    "index": (
        f"{XY} if (x < w && y < h) t[IDX(x, y)] = a[IDX(x, y)] + 1.5f;",
        f"{CORE} {{ const int i = IDX(x, y); o[i] = t[IDX(x - 1, y)] + t[IDX(x, y + 1)] + t[i]; }}",
    ),
    "element": (
        "if (INSIDE) AT(t, X, Y) = AT(a, X, Y) + 1.5f;",
        "if (INSIDE && X > 0) AT(o, X, Y) = AT(t, X - 1, Y);",
    ),
    "all": (
        "ITEM AT(t, x, y) = AT(a, x, y) + 1.5f;",
        "ITEM AT(o, x, y) = AT(t, CLIP(x - 1, w), y) + AT(t, x, CLIP(y + 1, h));",
    ),
}
NOT_BY_MACROS = {
    "of another item": (
        "if (X < w) t[X] = a[X] + get_local_id(0);",
        "if (X < w) o[X] = t[X > 0 ? X - 1 : 0];",
    ),
    "clipped too late": (
        "ITEM AT(t, x, y) = AT(a, x, y) + 1.5f;",
        "ITEM AT(o, x, y) = AT(t, CLIP(x + 1, w + 1), y);",
    ),
    "backwards": ("if (X < w) t[get_global_size(0) - 1 - X] = a[X];", "if (X < w) o[X] = t[X];"),
}


@pytest.mark.parametrize("name", BY_MACROS)
@pytest.mark.usefixtures("comparing")
def test_macros(name: str) -> None:
    check(*BY_MACROS[name], launches=1, before=MACROS)


@pytest.mark.parametrize("name", NOT_BY_MACROS)
@pytest.mark.usefixtures("comparing")
def test_macros_of_what_stays(name: str) -> None:
    check(*NOT_BY_MACROS[name], launches=2, before=MACROS)


def test_macro_of_an_id_that_a_build_may_change() -> None:
    """Each build has a text of its own, or none."""
    before = (
        "#ifdef BACKWARDS\n#define ID (w - 1 - get_global_id(0))\n"
        "#else\n#define ID get_global_id(0)\n#endif\n"
    )
    f, g = "if (ID < w) t[ID] = a[ID];", "if (ID < w) o[ID] = t[max((int)ID - 1, 0)];"
    fused = check(f, g, 1, before=before)
    assert "#if !defined(BACKWARDS)" in fused.fused[0].text


BORDER = "x == 0 || y == 0 || x == w - 1 || y == h - 1"
WAYS = {
    "early return": f"{ALL} if ({BORDER}) {{ t[i] = 0; return; }} t[i] = a[i - 1] + a[i + w];",
    "else": f"{ALL} if ({BORDER}) t[i] = a[i]; else {{ float s = a[i - 1]; t[i] = s + a[i + 1]; }}",
    "three ways": f"{ALL} if (x == 0) t[i] = 1; else if (y == 0) t[i] = 2; else t[i] = a[i];",
    "in a guard": f"{XY} if (x < w && y < h) {{ if (x) t[y*w + x] = 2; else t[y*w + x] = 3; }}",
    "once more": f"{ALL} t[i] = a[i]; if ({BORDER}) return; t[i] = a[i - 1] + a[i + 1];",
    "inside": f"{CORE} {{ const int i = y*w + x; if (a[i] > 0) t[i] = a[i]; else t[i] = a[0]; }}",
    "row": f"{ALL} global float *p = t + y*w; if (x == 0) {{ p[x] = 0; return; }} p[x] = a[i - 1];",
}
NOT_ALL_WAYS = {
    "no else": f"{ALL} if (x == 0) t[i] = a[i]; else if (a[i] > 0) t[i] = 2;",
    "return without": f"{ALL} if (a[i] > 0) {{ if (x > 1) t[i] = 0; return; }} t[i] = a[i];",
    "updated": f"{ALL} if (x == 0) t[i] = a[i]; else t[i] += 1;",
    "in a loop": f"{ALL} for (int k = 0; k < h - 4; k++) t[i] = a[i] + k;",
    "in a switch": f"{ALL} switch (x) {{ case 0: t[i] = 1; break; case 1: t[i] = 2; }}",
    "of another element": f"{ALL} if (x == w - 1) t[i] = 0; else t[i + 1] = a[i];",
}


@pytest.mark.parametrize("reads", [LEFT, LEFT.replace(" + t[i]", "")])
@pytest.mark.parametrize("name", WAYS)
def test_stored_on_all_ways(name: str, reads: str) -> None:
    check(WAYS[name], reads, 1)


@pytest.mark.parametrize("name", NOT_ALL_WAYS)
def test_not_stored_on_all_ways(name: str) -> None:
    check(NOT_ALL_WAYS[name], LEFT, 2)


def test_stage_before_that_ends_early() -> None:
    early = f"{ALL} t[i] = a[i]; if (x > 2) {{ t[i] = 1; return; }} t[i] += 2;"
    source = kernel("e", "u a", early.replace("t[", "u["))
    source += kernel("f", "t u", WAYS["early return"].replace("a[", "u["))
    source = source.replace("u[i - 1] + u[i + w]", "u[i]") + kernel("g", "o t", LEFT)
    fused_and_same(
        source,
        ["e(u, a, w, h)", "f(t, u, w, h)", "g(o, t, w, h)"],
        ["o"],
        launches=1,
        scalars={"w": np.int32(5), "h": np.int32(7)},
        size=(8, 8),
        target=EAGER,
    )


def test_stored_on_all_ways_and_observed() -> None:
    source = kernel("f", "t a", WAYS["else"]) + kernel("g", "o t", LEFT)
    fused_and_same(
        source,
        ["f(t, a, w, h)", "g(o, t, w, h)"],
        launches=1,
        scalars={"w": np.int32(5), "h": np.int32(7)},
        size=(8, 8),
        target=EAGER,
    )


def test_rounded_on_all_ways() -> None:
    """With `exact`, however the function ends."""
    source = kernel("f", "t a", WAYS["early return"]) + kernel("g", "o t", LEFT)
    calls = ["f(t, a, w, h)", "g(o, t, w, h)"]
    text = fuse(source, calls, ["o"], target=EAGER, exact=True).fused[0].text
    assert "f_done:;\n    if (get_work_dim() > 3) t_i = 0; /* never */\n    return t_i;" in text
