"""Offsets of neighbours in arrays of numbers, `t[(y + dy[k]) * w + x + dx[k]]`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from kfusion.api import Fused, fuse
from kfusion.graph.model import LaunchRange
from kfusion.graph.target import TARGETS, Target
from tests.stencils.running import EAGER, MARCH, STRIPS
from tests.support.kernel_side import fused_text, random_data, refusal
from tests.support.pyopencl_run import Case, assert_same

WIDTH, HEIGHT = 29, 13
SPACE = LaunchRange(2, "the plane")
CALLS = ["twice(t, a, w, h)", "sum(c, t, w, h)"]
TWICE = """
kernel void twice(global float *t, global const float *a, const int w, const int h)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h)
        t[y * w + x] = 2.0f * a[y * w + x];
}
"""
INSIDE = "if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;"
ALL = "if (x >= w || y >= h) return;"
FOUR = "constant int dx[4] = {-1, 1, 0, 0}, dy[] = {0, 0, -1, 1};"
EIGHT = """
constant int dx[8] = {-1, 0, 1, -1, 1, -1, 0, 1};
constant int dy[8] = {-1, -1, -1, 0, 0, 1, 1, 1};
"""
NINE = """
__constant char ex[] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
__constant char ey[] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
"""


def summing(guard: str, body: str, before: str = "", rounds: int = 4) -> str:
    return f"""
{before}{TWICE}
kernel void sum(global float *c, global const float *t, const int w, const int h)
{{
    const int x = get_global_id(0), y = get_global_id(1);
    {guard}
    float s = 0;
    for (int k = 0; k < {rounds}; k++) {{ {body} }}
    c[y * w + x] = s;
}}
"""


NEAR = "s += t[(y + dy[k]) * w + x + dx[k]];"
SUMS = {
    "of the file": summing(INSIDE, NEAR, FOUR),
    "of the kernel": summing(
        f"{INSIDE} const int dx[4] = {{-1, 1, 0, 0}}; int dy[4] = {{0, 0, -1, 1}};", NEAR
    ),
    "with a rest that is 0": summing(
        f"{INSIDE} const int dx[6] = {{-1, 1}}; int dy[6] = {{0, 0, -1, 1}};", NEAR, rounds=6
    ),
    "clamped": summing(
        ALL,
        "const int p = clamp(x + dx[k], 0, w - 1); s += t[clamp(y + dy[k], 0, h - 1) * w + p];",
        FOUR,
    ),
    "vectors": summing(
        INSIDE,
        "s = 0.5f * s + t[(y + d[k].y) * w + x + d[k].x];",
        "constant int2 d[3] = {(int2)(-1, 0), (int2)(1, 1), (int2)(0, -1)};",
        3,
    ),
    "if they are inside": summing(
        ALL,
        "const int p = x + dx[k], q = y + dy[k];"
        "if (p >= 0 && p < w && q >= 0 && q < h) s += t[q * w + p];",
        EIGHT,
        8,
    ),
    "around": summing(
        ALL, "s += t[(y + ey[k] + h) % h * w + (x + ex[k] + w) % w] * (k + 1);", NINE, 9
    ),
    "of a number": summing(
        INSIDE, "s += t[(y + dy[3]) * w + x + dx[k]] - t[(y + dy[k]) * w + x + dx[1]];", FOUR
    ),
    "of two rounds": summing(INSIDE, "s += t[(y + dy[3 - k]) * w + x + dx[k]];", FOUR),
    "vectors of one number": summing(
        INSIDE,
        "s += t[(y + d[k].y) * w + x + d[k].x];",
        "constant int2 d[3] = {(int2)(-1, 0), 1, -1};",
        3,
    ),
}


def fused_with(source: str, target: Target) -> Fused:
    tiles = target.strip > 0 or target.march > 0
    return fuse(source, CALLS, ["c"], ranges=[SPACE] * 2, target=target, tiles=tiles)


LARGE = ((WIDTH, HEIGHT),)


def same(fused: Fused, source: str, sizes: Sequence[tuple[int, int]] = ()) -> None:
    data = random_data("act", 32 * 32)
    for w, h in sizes or (*LARGE, (1, 1), (2, 3)):
        numbers = {"w": np.int32(w), "h": np.int32(h)}
        assert_same(fused, source, Case(data, numbers, (w + 2, h + 1)), ["c"])


@pytest.mark.parametrize(
    "target",
    [EAGER, STRIPS, MARCH, TARGETS["cpu"]],
    ids=["inline", "strips", "march", "cpu"],
)
@pytest.mark.parametrize("source", SUMS.values(), ids=list(SUMS))
def test_offsets(source: str, target: Target) -> None:
    fused = fused_with(source, target)
    assert target.name == "cpu" or len(fused.kernels) == 1
    same(fused, source)


# Where a guard compares with an element: all items that it lets through are computed.
GUARDS = {
    "an end": "x >= lim[y & 1]",
    "a mask": "lim[x & 1] <= 5",
    "one item of a row": "x != lim[y & 1]",
}
LIMITS = "constant int lim[2] = {9, 5};"


@pytest.mark.parametrize(
    "target", [EAGER, STRIPS, MARCH, TARGETS["cpu"]], ids=["inline", "strips", "march", "cpu"]
)
@pytest.mark.parametrize("guard", GUARDS.values(), ids=list(GUARDS))
def test_guards(guard: str, target: Target) -> None:
    load = "s += t[max(y + k - 1, 0) * w + x];"
    source = summing(f"if (x >= w || y >= h || {guard}) return;", load, LIMITS, 2)
    same(fused_with(source, target), source, LARGE)
    source = summing(ALL, load, LIMITS, 2).replace("y < h)", f"y < h && !({guard}))")
    same(fused_with(source, target), source, LARGE)


def test_text_of_what_is_computed_again() -> None:
    fused = fused_with(SUMS["of the file"], EAGER)
    assert "s += t_at(x + dx[k], y + dy[k], a, w);" in fused_text(fused)
    fused = fused_with(SUMS["of the kernel"], EAGER)
    assert "t_at(x + (k < 2 ? (k < 1 ? -1 : 1) : 0)," in fused_text(fused)


def test_a_local_variable_of_another_kernel_with_the_arrays_name() -> None:
    source = SUMS["of the file"].replace(
        "t[y * w + x] = 2.0f * a[y * w + x];",
        "{ float dx = 2.0f, k = a[y * w + x]; t[y * w + x] = dx * k; }",
    )
    named = source.replace("const int x = get", "const float dy = 3.0f; const int x = get", 1)
    named = named.replace("dx * k", "dx * k + dy")
    for each in (source, named):
        fused = fused_with(each, EAGER)
        assert len(fused.kernels) == 1
        same(fused, each)


def test_a_local_array_that_hides_the_files() -> None:
    source = summing(f"{INSIDE} const int dx[4] = {{0, 0, 1, -1}};", NEAR, FOUR)
    fused = fused_with(source, EAGER)
    assert len(fused.kernels) == 1
    same(fused, source)


OFF = f"{FOUR}\nint off(int k) {{ return dx[k]; }}\n"
HIDDEN = {
    "by a local array": summing(
        f"{INSIDE} int dx[4] = {{0, 0, 0, 0}}; dx[w & 3] = 0;",
        "s += dx[k] + t[(y + dy[k]) * w + x + off(k)];",
        OFF,
    ),
    "by a variable": summing(
        f"{INSIDE} float dx = 3.0f;", "s += dx * t[(y + dy[k]) * w + x + off(k)];", OFF
    ),
    "in an inner block": summing(
        INSIDE,
        "const int p = x + dx[k]; { int dx[4] = {0, 0, 0, 0}; dx[w & 3] = 0;"
        "s += dx[k] + t[(y + dy[k]) * w + p]; }",
        FOUR,
    ),
    "by a macro behind the kernels": summing(
        INSIDE,
        "s += t[y * w + x + off(k)];",
        f"{OFF}constant int other[4] = {{0, 0, 0, 0}};\n",
    )
    + "\n#define dx other\n",
}


@pytest.mark.parametrize("target", [EAGER, STRIPS], ids=["inline", "strips"])
@pytest.mark.parametrize("source", HIDDEN.values(), ids=list(HIDDEN))
def test_name_that_is_hidden_where_it_would_be_written(source: str, target: Target) -> None:
    fused = fused_with(source, target)
    assert len(fused.kernels) == 1
    same(fused, source)


@pytest.mark.parametrize("type_", ["char", "uchar", "uint", "long", "ulong", "size_t"])
def test_numbers_of_other_types(type_: str) -> None:
    """They are written as an `int`, beside ids and the arguments of min and max."""
    before = f"constant {type_} dx[4] = {{0, 1, 2, 0}};\n"
    around = "int p = x - 1 + (int)dx[k]; p = p < 0 ? p + w : p; p = p >= w ? p - w : p;"
    clamped = "const int p = clamp(x - 1 + (int)dx[k], 0, w - 1);"
    alone = "const int d = dx[k]; const int p = min(max(d, 0) + x, w - 1);"
    for index in (around, clamped, alone):
        source = summing(ALL, f"{index} s += t[y * w + p];", before)
        fused = fused_with(source, EAGER)
        assert len(fused.kernels) == 1
        same(fused, source)


CHANGED = {
    "an element is stored": "int dx[4] = {-1, 1, 0, 0}; dx[w & 3] = 1;",
    "it becomes a pointer": "int dx[4] = {-1, 1, 0, 0}; int *p = dx; p[w & 3] = 1;",
    "the pointer is taken of an element": "int dx[4] = {-1, 1, 0, 0}; *(&dx[1] + 1) = 1;",
    "a function changes it": "int dx[4] = {-1, 1, 0, 0}; change(dx);",
    "it steps": "int dx[4] = {-1, 1, 0, 0}; dx[0]++;",
    "its type is an array's": "four dx = {-1, 1, 0, 0}; int *p = dx; p[w & 3] = 1;",
}


@pytest.mark.parametrize("declared", CHANGED.values(), ids=list(CHANGED))
def test_numbers_that_change(declared: str) -> None:
    before = "typedef int four[4];\nvoid change(int *p) { p[2] = 1; }\n"
    before += "constant int dy[4] = {0, 0, -1, 1};\n"
    source = summing(f"{INSIDE} {declared}", NEAR, before)
    assert len(fused_with(source, EAGER).kernels) == 2


OTHER_NUMBERS = {
    "condition": "#ifdef OTHER\nconstant int dx[4] = {1, -1, 0, 0};\n#else\n"
    "constant int dx[4] = {-1, 1, 0, 0};\n#endif\n",
    "macro": "#ifndef LEFT\n#define LEFT -1\n#endif\nconstant int dx[4] = {LEFT, 1, 0, 0};\n",
    "condition within": "constant int dx[4] = {\n#ifdef OTHER\n1\n#else\n-1\n#endif\n, 1, 0, 0};\n",
    "type": "#ifdef OTHER\ntypedef uchar num;\n#else\ntypedef char num;\n#endif\n"
    "constant num dx[4] = {-1, 1, 0, 0};\n",
    "not all are numbers": "constant int dx[4] = {-1, 1, 0, (int)0.5f};\n",
    "designators": "constant int dx[4] = {[1] = 1, [0] = -1};\n",
    "two dimensions": "constant int dx[2][4] = {{-1, 1, 0, 0}, {0, 0, 0, 0}};\n",
}


@pytest.mark.parametrize("before", OTHER_NUMBERS.values(), ids=list(OTHER_NUMBERS))
def test_numbers_that_are_not_known(before: str) -> None:
    near = NEAR.replace("dx[k]", "dx[0][k]") if "[2][4]" in before else NEAR
    source = summing(INSIDE, near, before + "constant int dy[4] = {0, 0, -1, 1};\n")
    message = refusal(source, CALLS, ["c"])
    assert message.code in ("KF203", "KF201")
    assert len(fused_with(source, EAGER).kernels) == 2


def test_stores_at_offsets_meet() -> None:
    source = (
        f"{FOUR}{TWICE}"
        """
kernel void sum(global float *c, global const float *t, const int w, const int h)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
        return;
    for (int k = 0; k < 4; k++)
        c[(4 * y + k) * w + x + dx[k]] = t[y * w + x];
}
kernel void last(global float *d, global const float *c, const int w, const int h)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h)
        d[y * w + x] = c[4 * y * w + x];
}
"""
    )
    calls = [*CALLS, "last(d, c, w, h)"]
    fused = fuse(source, calls, ["d"], ranges=[SPACE] * 3, target=EAGER)
    assert all({1, 2} - set(kernel.calls) for kernel in fused.kernels)
