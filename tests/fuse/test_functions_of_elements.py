"""Neighbours that are read by a function: `at(t, x - 1, y, w, h)`, which returns `t[y * w + x]`, or
computes something of elements."""

from __future__ import annotations

import numpy as np
import pytest

from kfusion.api import Fused, fuse
from kfusion.graph.model import LaunchRange
from kfusion.graph.target import TARGETS, Target
from tests.stencils.running import EAGER, MARCH, STRIPS
from tests.support.kernel_side import fused_and_same, fused_text, random_data
from tests.support.pyopencl_run import Case, assert_same

CLAMPED = """
static int clampi(int v, int lo, int hi) { return v < lo ? lo : (v > hi ? hi : v); }
float at(global const float *f, int x, int y, int w, int h)
{
    return f[clampi(y, 0, h - 1) * w + clampi(x, 0, w - 1)];
}
"""
NAMED = """
#define IX(x, y) ((x) + (y) * w)
static inline float at(const global float *f, const int x, const int y, const int w, int h)
{
    const int p = clamp(x, 0, w - 1), q = min(max(y, 0), h - 1);
    return (f[IX(p, q)]);
}
#define AT(x, y) at(t, x, y, w, h)
"""
AROUND = """
float at(global const float *f, int x, int y, int w, int h)
{
    return f[(y + h) % h * w + (x + w) % w];
}
"""


def stencil(before: str, work: str, guard: str = "if (x >= w || y >= h) return;") -> str:
    return f"""
{before}
kernel void twice(global float *t, global const float *a, const int w, const int h)
{{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h)
        t[y * w + x] = 2.0f * a[y * w + x];
}}
kernel void cross(global float *c, global const float *t, const int w, const int h)
{{
    const int x = get_global_id(0), y = get_global_id(1);
    {guard}
    float s = 0;
    {work}
    c[y * w + x] = s;
}}
""".replace("void cross", "void around")


SUMS = {
    "clamped": stencil(
        CLAMPED,
        "s = at(t, x - 1, y, w, h) + at(t, x + 1, y, w, h) - at(t, x, y - 1, w, h)"
        " * at(t, x, y + 1, w, h);",
    ),
    "named": stencil(NAMED, "s = AT(x - 1, y) + AT(x + 1, y) - AT(x, y - 1) * AT(x, y + 1);"),
    "around": stencil(AROUND, "s = at(t, x - 1, y, w, h) - at(t, x, y + 1, w, h) * 3;"),
    "in a loop": stencil(
        CLAMPED, "for (int k = -1; k <= 1; k++) s += at(t, x + k, y - k, w, h) * (k + 2);"
    ),
    "under a condition": stencil(
        CLAMPED, "if (x > 0) s += at(t, x - 1, y, w, h); s -= t[y * w + x];"
    ),
    "of a function": stencil(
        CLAMPED + "float far(global const float *g, int i, int j, int w, int h)"
        "{ return at(g, i + 1, j + 1, w, h); }",
        "s = at(t, x - 1, y, w, h);",
    ),
}


CONVERTS = """
int at(global const float *f, int x, int y, int w, int h)
{
    return f[clamp(y, 0, h - 1) * w + clamp(x, 0, w - 1)];
}
"""
COMPUTES = CONVERTS.replace("int at", "float at").replace("return ", "return 2 * ")
CASTS = COMPUTES.replace("2 * f", "((global const int *)f)")
RETURNS = """
float at(global const float *f, int x, int y, int w, int h)
{
    if (x < 0)
        return 0;
    return f[clamp(y, 0, h - 1) * w + min(x, w - 1)];
}
"""
READS_TWO = """
float at(global const float *f, int x, int y, int w, int h)
{
    float v = f[0];
    return v - f[clamp(y, 0, h - 1) * w + clamp(x, 0, w - 1)];
}
"""
WIDE = """
float at(global const float *f, long x, int y, int w, int h)
{
    if (x < 0)
        x = 0;
    return f[clamp(y, 0, h - 1) * w + (x < w - 1 ? x : w - 1)];
}
"""
COUNTS = """
float at(global const float *f, int x, int y, int w, int h)
{
    float v = 0;
    for (int k = -1; k < 2; k += 2) {
        int p = x + k;
        v += f[clamp(y, 0, h - 1) * w + clamp(p, 0, w - 1)];
    }
    return v;
}
"""
CALLS = "s = at(t, x - 1, y, w, h) - at(t, x, y + 1, w, h) * 3;"
SUMS |= {
    "it converts": stencil(CONVERTS, CALLS),
    "it computes": stencil(COMPUTES, CALLS),
    "it may return something else": stencil(RETURNS, CALLS),
    "it reads two": stencil(READS_TWO, CALLS),
    "its parameters have other types, and change": stencil(WIDE, CALLS),
    "it counts": stencil(COUNTS, CALLS),
    "a member has the name of a variable": stencil(
        "float at(global const float *f, int i, int j, int w, int h)"
        "{ float2 v = (float2)(f[clamp(j, 0, h - 1) * w + clamp(i, 0, w - 1)], i); v.x += v.y;"
        " return v.x; }",
        CALLS,
    ),
    "it computes under a condition": stencil(
        COMPUTES, "for (int k = 0; k < 2; k++) if (x > k) s += at(t, x - 1, y + k, w, h);"
    ),
    "it computes in a condition": stencil(
        COMPUTES, "if (at(t, x + 1, y, w, h) > 0) s = 1; else s = at(t, x - 1, y, w, h);"
    ),
    "it computes for another one": stencil(
        COMPUTES + "float far(global const float *g, int i, int j, int w, int h)"
        "{ return at(g, i + 1, j, w, h) - at(g, i - 1, j, w, h); }",
        "s = fabs(far(t, x, y, w, h)) + far(t, x, min(y + 1, h - 1), w, h);",
    ),
}


def fused_with(source: str, target: Target) -> Fused:
    calls, ranges = ["twice(t, a, w, h)", "around(c, t, w, h)"], [LaunchRange(2, "plane")] * 2
    tiles = target.strip > 0 or target.march > 0
    return fuse(source, calls, ["c"], ranges=ranges, target=target, tiles=tiles)


@pytest.mark.parametrize(
    "target", [EAGER, STRIPS, MARCH, TARGETS["cpu"]], ids=["inline", "strips", "march", "cpu"]
)
@pytest.mark.parametrize("source", SUMS.values(), ids=list(SUMS))
def test_neighbours(source: str, target: Target) -> None:
    fused = fused_with(source, target)
    assert target.name == "cpu" or len(fused.kernels) == 1
    for w, h in ((29, 13), (1, 1), (2, 3)):
        numbers = {"w": np.int32(w), "h": np.int32(h)}
        case = Case(random_data("act", 32 * 32), dict(numbers), (w + 2, h + 1))
        assert_same(fused, source, case, ["c"])


LAP = """
float lap(global const float *u, int i, int j, int w, int h)
{
    const int l = max(i - 1, 0), r = min(i + 1, w - 1);
    BEFORE
    return u[j * w + l] + u[j * w + r] * 3 - u[j * w + i];
}
"""
LAP_OF = "s = lap(t, x, y, w, h);"


def lap(before: str = "", **changes: str) -> str:
    text = LAP.replace("BEFORE", before)
    for old, new in changes.items():
        text = text.replace(old.replace("_", " "), new)
    return text


# Written out thoughtlessly, these mean something else, or nothing.
ODD = {
    "a macro of the result type changes": stencil(
        "#define REAL int" + lap(float_lap="REAL lap") + "#undef REAL\n#define REAL float\n", LAP_OF
    ),
    "a macro of the result type is const": stencil(
        "#define REAL const float" + lap("if (i > 3) return 0;", float_lap="REAL lap"), LAP_OF
    ),
    "a macro changes in the kernel": stencil(
        "#define K 3\n" + lap().replace("* 3", "* K"), f"\n#undef K\n#define K 5\n{LAP_OF}"
    ),
    "a macro for a name of the function comes later": stencil(
        lap() + "#define l 2\n#define u(x) 3\n", LAP_OF
    ),
    "what a macro calls has the value's name": stencil(
        "float lap_t(float x) { return x + 1; }\n#define FETCH(x) lap_t(x)\n"
        + lap().replace("return ", "return FETCH(2.0f) + "),
        LAP_OF,
    ),
    "the size of a pointer": stencil(
        "float lap(global const float *u, const float *k, int i, int j, int w)"
        "{ return u[j * w + min(i + 1, w - 1)] * k[1] + sizeof(k); }",
        "float k[3] = {1, 2, 3}; s = lap(t, k, x, y, w);",
    ),
    "a directive in front of the statement": stencil(
        lap(), f"if (x > 2)\n#if 1\n    {LAP_OF}\n#else\n    s = 1;\n#endif\n"
    ),
    "a directive in the statement": stencil(
        lap(), "s =\n#if 1\n    lap(t, x, y, w, h)\n#else\n    2\n#endif\n;"
    ),
    "a line that goes on": stencil(lap(), f"if (x > 2) \\\n    {LAP_OF}"),
    "a comment in front of the statement": stencil(lap(), f"if (x > 2) // {{\n    {LAP_OF}"),
    "a macro that returns": stencil(
        "#define DONE(v) return (v)"
        + lap(return_u="DONE(u").replace("u[j * w + i];", "u[j * w + i]);"),
        LAP_OF,
    ),
    "numbers that are no int": stencil(
        lap().replace("int h", "int m").replace("return", "return m / 16 +"),
        "s = lap(t, x, y, w, 0xFFFFFFF0) + lap(t, x, y, w, 4294967280);",
    ),
    "parameters of a macro": stencil(
        "#define AT int i, int j" + lap(int_i__int_j="AT").replace("int i, int j", "AT"), LAP_OF
    ),
    "a macro with the end of another statement": stencil(
        "#define NEXT k++; s +=" + lap(), "int k = x; NEXT lap(t, min(k, w - 1), y, w, h);"
    ),
    "a macro with a loop": stencil(
        "#define AGAIN while (k++ < 3) s +=" + lap(),
        "int k = 0; AGAIN lap(t, min(k, w - 1), y, w, h);",
    ),
    "a macro of two arguments": stencil(
        "#define XY x, y\nfloat lap(global const float *u, int i, int j, int w)"
        "{ return u[j * w + i] + u[i]; }",
        "s = lap(t, XY, w);",
    ),
    "a macro of two statements": stencil(
        "#define TWO z += l; z *= 3;" + lap("float z = 0; TWO").replace("return", "return z +"),
        LAP_OF,
    ),
    "a macro of one statement and a half": stencil(
        "#define SET(a, b) a += l; b = a"
        + lap("float z = 0, q = 1; SET(z, q);").replace("return", "return q +"),
        LAP_OF,
    ),
}


@pytest.mark.parametrize("source", ODD.values(), ids=list(ODD))
def test_texts_that_are_no_statements(source: str) -> None:
    fused = fused_with(source, EAGER)
    numbers = {"w": np.int32(29), "h": np.int32(13)}
    case = Case(random_data("act", 32 * 32), dict(numbers), (31, 14))
    assert_same(fused, source, case, ["c"])


APART = {
    "it casts": stencil(CASTS, "s = at(t, x - 1, y, w, h);"),
    "a value decides whether it is called": stencil(
        COMPUTES, "s = x > 2 ? at(t, x - 1, y, w, h) : 1;"
    ),
    "a value may be in the way": stencil(COMPUTES, "s = x > 2 && at(t, x - 1, y, w, h) > 1;"),
    "it is called for each round": stencil(
        COMPUTES, "for (int k = 0; k < at(t, x - 1, y, w, h); k++) s += k;"
    ),
}


@pytest.mark.parametrize("source", APART.values(), ids=list(APART))
def test_calls_that_stay(source: str) -> None:
    fused = fused_with(source, EAGER)
    assert len(fused.kernels) == 2
    assert any(each.code == "KF239" for each in fused.diagnostics)


def test_a_call_that_changes_something() -> None:
    source = stencil(CLAMPED, "int k = x; s = at(t, k++, y, w, h); s += k;")
    assert len(fused_with(source, EAGER).kernels) == 2


ELEMENTS = """
float first(global const float *p, int i) { return p[i]; }
float next(uint *state) { *state = *state * 1664525u + 1013904223u; return *state >> 8; }
float sum(global const float *p, int i, int n)
{
    float s = 0;
    for (int k = 0; k < 3; k++)
        s += p[(i + k) % n];
    return s;
}
kernel void make(global float *t, global const float *a, const int n)
{
    const int i = get_global_id(0);
    uint state = i + 7;
    if (i < n)
        t[i] = VALUE;
}
kernel void use(global float *c, global const float *t, const int n)
{
    const int i = get_global_id(0);
    if (i < n)
        c[i] = 3.0f * first(t, i) + t[i];
}
"""


@pytest.mark.parametrize("value", ["first(a, i)", "sum(a, i, n) * 2", "next(&state)", "a[i]"])
def test_an_element_that_a_function_makes(value: str) -> None:
    source = ELEMENTS.replace("VALUE", value)
    calls = ["make(t, a, n)", "use(c, t, n)"]
    fused = fused_and_same(source, calls, ["c"], launches=1, scalars={"n": np.int32(60)})
    assert fused.plan.groups[0].internalised == {"t"}
    assert "first(t" not in fused_text(fused)


@pytest.mark.parametrize("name", ["put", "vload_put", "prefetch_put"])
def test_a_function_that_stores_is_called(name: str) -> None:
    """Also where what it returns is overwritten, and whatever it is called."""
    source = f"""
float {name}(global float *u, int i) {{ u[i] = i; return 2.0f; }}
kernel void make(global float *t, global float *u, const int n)
{{
    const int i = get_global_id(0);
    if (i < n)
        t[i] = {name}(u, i);
}}
kernel void use(global float *t, global const float *a, const int n)
{{
    const int i = get_global_id(0);
    if (i < n)
        t[i] = a[i];
}}
"""
    fused = fuse(source, ["make(t, u, n)", "use(t, a, n)"], ["t", "u"])
    case = Case(random_data("atu"), {"n": np.int32(60)}, (64,))
    assert_same(fused, source, case, ["t", "u"])
