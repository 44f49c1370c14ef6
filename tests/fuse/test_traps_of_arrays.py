"""What an array or a pointer that is handed on may write, on PoCL."""

from __future__ import annotations

import numpy as np
import pytest

from kfusion.api import fuse
from tests.support.kernel_side import fused_and_same, fused_text, kernel_of, refusal

FILL = "float fill(float *t, float x) { t[0] = x; return 2 * x; }\n"
FILL_ROW = "typedef float row[2];\nfloat fill(row t, float x) { t[0] = x; return 2 * x; }\n"
FILL_MEMBER = (
    "typedef struct { float *at; } place;\n"
    "float fill(place t, float x) { t.at[0] = x; return 2 * x; }\n"
)
FILL_OVERLOADED = (
    "float __attribute__((overloadable)) fill(float *t, float x) { t[0] = x; return 2 * x; }\n"
    "float __attribute__((overloadable)) fill(int t, float x) { return x; }\n"
)


def f(body: str) -> str:
    return f"kernel void f(global float *y, global const float *x)\n{{ {INDEX} {body} }}\n"


def g(body: str) -> str:
    return f"kernel void g(global float *z, global float *w, global const float *y)\n{body}\n"


INDEX = "int i = get_global_id(0);"
CALLS = ["f(y, x)", "g(z, w, y)"]


# A call that fills an array is needed, whoever needs what it returns


@pytest.mark.parametrize(
    ("above", "before", "call", "after"),
    [
        (FILL, "float t[1];", "fill(t, y[i])", "t[0]"),
        (FILL, "float t[2];", "fill(t + 1, y[i])", "t[1]"),
        (FILL, "float t[2][1];", "fill(t[1], y[i])", "t[1][0]"),
        (FILL, "float t[1]; float *p = t;", "fill(p, y[i])", "t[0]"),
        (FILL_ROW, "row t;", "fill(t, y[i])", "t[0]"),
        (FILL_MEMBER, "float t[1]; place p; p.at = t;", "fill(p, y[i])", "t[0]"),
        (FILL_OVERLOADED, "float t[1];", "fill(t, y[i])", "t[0]"),
        ("", "float t[1];", "sincos(y[i], t)", "t[0]"),
        ("", "float t[1];", "modf(y[i], t)", "t[0]"),
        ("", "float t[1];", "fract(y[i], t)", "t[0]"),
        ("", "int t[1];", "frexp(y[i], t)", "t[0]"),
        ("", "int t[1];", "lgamma_r(y[i], t)", "t[0]"),
        ("", "int t[1];", "remquo(y[i], 0.25f, t)", "t[0]"),
    ],
)
def test_call_that_fills_an_array_stays(above: str, before: str, call: str, after: str) -> None:
    body = f"{{ {INDEX} {before} float s = {call}; w[i] = s; z[i] = {after}; }}"
    source = above + f("y[i] = x[i] * x[i];") + g(body)
    fused = fused_and_same(source, CALLS, ["z"], launches=1)
    assert fused.plan.groups[0].internalised >= {"y"}


@pytest.mark.parametrize(
    "above",
    [
        "float twice(float x) { return 2 * x; }\n",
        "#define REAL float\nREAL twice(const REAL x) { return 2 * x; }\n",
        """\
typedef struct { float a[2]; int b; } pair;
float first(pair p) { return p.a[0]; }
float twice(float x) { pair p = {{x, x}, 1}; return first(p) + first(p); }
""",
    ],
)
def test_call_that_only_returns_a_value_goes_with_it(above: str) -> None:
    body = f"{{ {INDEX} float s = twice(y[i]); w[i] = s; z[i] = y[i]; }}"
    fused = fused_and_same(above + f("y[i] = x[i] * x[i];") + g(body), CALLS, ["z"], launches=1)
    assert "twice" not in fused_text(fused)


@pytest.mark.parametrize(
    "prelude",
    [
        "float t[1]; float s = sincos(0.5f * i, t); if (i >= 60) return;",
        "float t[1]; float s; s = sincos(0.5f * i, t); if (i >= 60) return;",
        "float t[1], s = modf(0.3f * i, t); if (i >= 60) return;",
    ],
)
def test_call_that_fills_an_array_stays_in_front_of_a_guard(prelude: str) -> None:
    body = f"{{ {INDEX} {prelude} z[i] = y[i] + t[0]; }}"
    fused_and_same(f("y[i] = x[i] * x[i];") + g(body), CALLS, ["z"], launches=1)


# A part of an element that becomes a pointer

BODIES = """\
typedef float vector[2];
typedef struct { float pos[2]; float m[2][2]; vector v; union { float u[2]; int k; }; } body;
void put(global float *p, float v) { p[0] = v; }
float get(global const float *p) { return p[0]; }
"""


@pytest.mark.parametrize(
    "statement",
    [
        "put(y[63 - i].pos, x[i]);",
        "put(y[63 - i].m[1], x[i]);",
        "put(y[63 - i].v, x[i]);",
        "put(y[63 - i].u, x[i]);",
        "global float *p = y[63 - i].pos; p[0] = x[i];",
        "*y[63 - i].pos = x[i];",
        "*(y[63 - i].pos + 1) = x[i];",
        "put(y[63 - i].pos + 1, x[i]);",
        "int k = 1; k[y[63 - i].pos] = x[i];",
        "*(i < 3 ? y[63 - i].pos : y[i].pos) = x[i];",
        "put(&y[63 - i].pos[1], x[i]);",
    ],
)
def test_member_that_becomes_a_pointer_escapes(statement: str) -> None:
    source = (
        f"{BODIES}kernel void f(global body *y, global const float *x) {{ {INDEX} {statement} }}\n"
        "kernel void g(global float *z, global const float *x, global const body *y)\n"
        f"{{ {INDEX} z[i] = y[i].pos[0]; }}\n"
    )
    cut = refusal(source, ["f(y, x)", "g(z, x, y)"])
    assert (cut.code, cut.message) == (
        "KF205",
        (
            "f() passes on, copies or casts a pointer into 'y', so any element may be written, and "
            "g() reads it too"
        ),
    )


def test_elements_of_member_arrays_stay_accesses() -> None:
    body = "y[i].pos[0] = x[i]; y[i].m[1][0] = y[i].v[1]; y[i].u[1]++;"
    kernel = kernel_of(
        f"{BODIES}kernel void f(global body *y, global const float *x) {{ {INDEX} {body} }}\n"
    )
    assert not kernel.features
    assert [a.text for a in kernel.accesses if a.mode.writes] == ["y[i]", "y[i]", "y[i]"]


def test_copy_of_an_element_that_is_filled_through_a_member_is_a_copy() -> None:
    source = (
        "typedef struct { float pos[1]; } body;\n"
        "void put(float *p, float v) { p[0] = v; }\n"
        "kernel void f(global float *z, global const body *y)\n"
        f"{{ {INDEX} body s = y[i]; put(s.pos, 3); z[i] = s.pos[0]; }}\n"
        "kernel void g(global float *w, global const body *y)\n"
        f"{{ {INDEX} body s = y[i]; w[i] = s.pos[0]; }}\n"
    )
    fused_and_same(source, ["f(z, y)", "g(w, y)"], launches=1)


# Pointers that hide


@pytest.mark.parametrize(
    "statement",
    [
        "global float *q = y; global float **r = &q; (*r)[63 - i] = x[i];",
        "global float **r = &y; (*r)[63 - i] = x[i];",
        "global float *q = y, **r; r = &q; (*r)[63 - i] = x[i];",
    ],
)
def test_address_of_a_pointer_lets_it_escape(statement: str) -> None:
    source = f(statement) + g(f"{{ {INDEX} z[i] = y[i]; }}")
    cut = refusal(source, CALLS)
    assert cut.code == "KF205"
    assert cut.message.startswith("f() passes on, copies or casts a pointer into 'y', so any ")


@pytest.mark.parametrize(
    ("above", "parameter"),
    [
        ("typedef float row[1];", "global row *y"),
        ("typedef float row[1]; typedef row line;", "global line *y"),
        ("typedef float row[1] __attribute__((aligned(4)));", "global row *y"),
        ("", "global float (*y)[1]"),
        ("", "global float y[][1]"),
    ],
)
def test_buffer_of_arrays_is_cut(above: str, parameter: str) -> None:
    source = (
        f"{above}\nkernel void f({parameter}, global const float *x)\n"
        f"{{ {INDEX} global float *p = y[63 - i]; p[0] = x[i]; }}\n"
        f"kernel void g(global float *z, {parameter})\n{{ {INDEX} z[i] = y[i][0]; }}\n"
    )
    cut = refusal(source, ["f(y, x)", "g(z, y)"])
    assert (cut.code, cut.message) == (
        "KF205",
        "f() has a parameter that points to arrays or pointers: 'y'",
    )


@pytest.mark.parametrize(
    "above",
    [
        "typedef __global const float *there;",
        "typedef const float real; typedef __global real *pointer; typedef pointer there;",
        "typedef __global const float there[];",
    ],
)
def test_pointer_behind_a_name_is_cut(above: str) -> None:
    source = (
        f"{above}\n{f('y[i] = x[i] * x[i];')}"
        "kernel void g(global float *z, there x, there y)\n"
        f"{{ {INDEX} z[i] = x[i] + y[63 - i]; }}\n"
    )
    fused = fused_and_same(source, ["f(y, x)", "g(z, x, y)"], launches=2)
    hidden = "g() has a parameter whose type is a name for a pointer: 'x'"
    assert ("KF205", hidden) in [(d.code, d.message) for d in fused.diagnostics]


def test_memory_behind_a_named_pointer_is_read() -> None:
    """The kernel is cut, and what the one before stores is not taken to be of no interest."""
    source = (
        f"typedef __global const float *there;\n{f('y[i] = x[i] * x[i];')}"
        f"kernel void g(global float *z, there y)\n{{ {INDEX} z[i] = y[63 - i]; }}\n"
        f"kernel void h(global float *z, global const float *y)\n{{ {INDEX} z[i] += y[i]; }}\n"
    )
    fused = fused_and_same(source, ["f(y, x)", "h(v, y)", "g(z, y)"], ["v", "z"], launches=2)
    assert fused.plan.groups[0].stored == {"y", "v"}


def test_named_pointer_into_local_memory() -> None:
    source = (
        f"typedef __local float *cache;\n{f('y[i] = x[i] * x[i];')}"
        f"kernel void g(global float *z, cache c)\n{{ {INDEX} c[i] = z[i]; }}\n"
    )
    fused = fuse(source, ["f(y, x)", "g(y, c)"])
    assert fused.diagnostics[0].message == (
        "g() has a parameter whose type is a name for a pointer: 'c'"
    )


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ("float v[2] = {[1] = 2};", "v[1]"),
        ("pair v = {.b = 2, .a = 3};", "v.a - v.b"),
        ("pair a = {.b = x[i], .a = y[i]};", "a.a * a.b"),
        ("pair v = (pair){.b = y[i]};", "v.b"),
        ("float v[4] = {1, [2] = 2, 3};", "v[3]"),
    ],
)
def test_designated_initialisers(statement: str, value: str) -> None:
    """A designator is no variable: `a` and `b` may be names of the kernel, too."""
    source = (
        f"typedef struct {{ float a, b; }} pair;\n{f('y[i] = x[i] * x[i];')}"
        "kernel void g(global float *z, global const float *x, global const float *y, float b)\n"
        f"{{ {INDEX} {statement} z[i] = y[i] + b * {value}; }}\n"
    )
    scalars = {"s": np.float32(1.5)}
    fused_and_same(source, ["f(y, x)", "g(z, x, y, s)"], ["z"], launches=1, scalars=scalars)
