"""Helper functions that compute an index are read like the text that they stand for."""

from __future__ import annotations

import numpy as np
import pyopencl as cl
import pytest

from kfusion.api import fuse
from tests.support.kernel_side import fused_and_same, kernel_of, refusal

XY = "int x = get_global_id(0), y = get_global_id(1);"


def index(above: str, body: str) -> str:
    """The form of the last access; "-" if it has none."""
    parameters = "global float *t, int w, int n"
    kernel = kernel_of(f"{above}\nkernel void f({parameters})\n{{ {XY} {body} }}\n")
    return str(kernel.accesses[-1].form or "-")


NESTED = """\
int row(int y, int w) { return y * w; }
int at(int x, int y, int w) { int r = row(y, w); return r + x; }
"""
OVERLOADED = """\
int __attribute__((overloadable)) at(int i) { return i; }
int __attribute__((overloadable)) at(uint i) { return i + 1; }
"""
AT_POINT = "static inline int at(int2 p, int w) { return p.y * w + p.x; }"
ROW = "get_global_id(1)*w + get_global_id(0)"
ITEM = "get_global_id(0)"
LESS = "(3 < get_global_id(0) ? 3 : get_global_id(0))"


@pytest.mark.parametrize(
    ("above", "body", "form"),
    [
        ("int at(int x, int y, int w) { return y * w + x; }", "t[at(x, y, w)] = 1;", ROW),
        (
            "static inline int at(const int x, int y, int w) { return y * w + x; }",
            "int i = at(x, y, w); t[i] = 1;",
            ROW,
        ),
        (
            "size_t at(size_t x, size_t y, size_t w) { return y * w + x; }",
            "t[at(x, y, w)] = 1;",
            ROW,
        ),
        # The names of the helper are its own.
        ("int at(int y, int w, int x) { return w * x + y; }", "t[at(x, y, w)] = 1;", ROW),
        (
            NESTED,
            "t[at(x, y, w)] = 1;",
            ROW,
        ),
        (
            "size_t at(int w) { return get_global_id(0) + w; }",
            "t[at(n)] = 1;",
            "get_global_id(0) + n",
        ),
        ("int item(void) { return get_global_id(0); }", "t[item()] = 1;", "get_global_id(0)"),
        ("int at(int i) { return i; }", "if (at(x) < n) t[at(x)] = 1;", "get_global_id(0)"),
        # Vectors.
        (AT_POINT, "t[at((int2)(x, y), w)] = 1;", ROW),
        (AT_POINT, "int2 p = (int2)(x, y); t[at(p, w)] = 1;", ROW),
        (AT_POINT, "int2 p = {x, y}; t[at(p, w)] = 1;", ROW),
        (AT_POINT, "int2 p = {x}; t[at(p, w)] = 1;", "-"),
        (AT_POINT, "t[at((int2)(x, y) + 1, w)] = 1;", f"{ROW} + w + 1"),
        (
            AT_POINT.replace("int2", "const uint2"),
            "t[at((uint2)(x, y), w)] = 1;",
            f"(int from uint)({ROW})",
        ),
        (
            "int at(int4 p) { const int2 q = (int2)(p.w, p.s0); return q.y; }",
            "t[at((int4)(x, y, y, y))] = 1;",
            "get_global_id(0)",
        ),
        (
            f"int2 turned(int2 p) {{ return (int2)(p.y, p.x); }}\n{AT_POINT}",
            "t[at(turned((int2)(y, x)), w)] = 1;",
            ROW,
        ),
        (AT_POINT, "int2 p = (int2)(x, y); p.x += 1; t[at(p, w)] = 1;", "-"),
        (AT_POINT, "int k = x; t[at((int2)(k++, y), w)] = 1;", "-"),
        # Not a part of the vector that is not known, and may come with an effect.
        ("int at(int2 p) { return p.x; }", "int k = x; t[at((int2)(y, k++))] = 1;", "-"),
        ("int at(int2 p) { return p.x++; }", "t[at((int2)(x, y))] = 1;", "-"),
        ("int at(int2 p) { p.x = 0; return p.x; }", "t[at((int2)(x, y))] = 1;", "-"),
        ("int at(int2 p) { p += 1; return p.x; }", "t[at((int2)(x, y))] = 1;", f"{ITEM} + 1"),
        ("int at(int2 p) { if (p.x > 3) p = 0; return p.x; }", "t[at((int2)(x, y))] = 1;", "-"),
        ("int at(int2 *p) { return p->x; }", "int2 p = (int2)(x, y); t[at(&p)] = 1;", "-"),
        ("int at(float2 p) { return p.x; }", "t[at((float2)(x, y))] = 1;", "-"),
        ("float2 at(int2 p) { return (float2)(0); }", "t[(int)at((int2)(x, y)).x] = 1;", "-"),
        ("int at(int i) { return i; }", "int k = x; k++; t[at(k)] = 1;", "get_global_id(0) + 1"),
        # An argument that changes, or that is not understood.
        ("int at(int i, int j) { return i; }", "int k = x; t[at(x, k++)] = 1;", "-"),
        # Conversions by parameters and results.
        ("uchar at(int i) { return i; }", "t[at(x)] = 1;", "-"),
        ("int at(uchar i) { return i; }", "t[at(x)] = 1;", "-"),
        ("float at(int i) { return i; }", "t[(int)at(x)] = 1;", "-"),
        (
            "int at(int i) { return i > 3 ? 3 : i; }",
            "t[at(x)] = 1;",
            "(3 < get_global_id(0) ? 3 : get_global_id(0))",
        ),
        # Variables that change, conditions, several returns.
        ("int at(int i) { i += 1; return i; }", "t[at(x)] = 1;", "get_global_id(0) + 1"),
        ("int at(int i) { if (i > 3) return 3; return i; }", "t[at(x)] = 1;", LESS),
        ("int at(int i) { if (i > 3) { return 3; } else { return i; } }", "t[at(x)] = 1;", LESS),
        ("int at(int i) { if (i > 3) i = 3; return i; }", "t[at(x)] = 1;", LESS),
        ("int at(int i) { int k; if (i > 3) k = 3; else k = i; return k; }", "t[at(x)] = 1;", LESS),
        ("int at(int i) { if (3 < i) ; else return i; return 3; }", "t[at(x)] = 1;", LESS),
        (
            "int at(int i, int k) { if (i < 0) i = 0; else if (i >= k) i = k - 1; return i; }",
            "t[at(x - 1, n)] = 1;",
            f"({ITEM} - 1 < 0 ? 0 : (n <= {ITEM} - 1 ? n - 1 : {ITEM} - 1))",
        ),
        ("int at(int i) { { i++; --i; } int k = i; i = 0; return k; }", "t[at(x)] = 1;", ITEM),
        # An int holds what a char does not.
        ("int at(int i) { char k = 0; k += i; return k; }", "t[at(x)] = 1;", "-"),
        ("int at(char i) { i += 1; return i; }", "t[at(3)] = 1;", "4"),
        # What need not have a value, and what may have an effect.
        ("int at(int i) { int k; if (i > 3) k = 3; return k; }", "t[at(x)] = 1;", "-"),
        ("int at(int i) { if (i > 3) return 3; }", "t[at(x)] = 1;", "-"),
        ("int at(int i) { if (i++ > 3) return 3; return i; }", "t[at(x)] = 1;", "-"),
        ("int at(int i) { int k = 0; k = i++; return k; }", "t[at(x)] = 1;", "-"),
        ("int at(int i) { int k = i; if (k = 3) return i; return 2; }", "t[at(x)] = 1;", "-"),
        ("int at(int i) { int *p = &i; *p = 3; return i; }", "t[at(x)] = 1;", "-"),
        ("int at(int i) { if (i++ > 3) ; return i; }", "t[at(x)] = 1;", "-"),
        ("int at(int i) { int k = 0; if ((k = i + 1) > 3) {} return k; }", "t[at(x)] = 1;", "-"),
        ("int at(int i) { if (i > 3) ; else if (i++) {} return i; }", "t[at(x)] = 1;", "-"),
        ("int at(int i) { if (i > 3 && i++) ; else ; return i; }", "t[at(x)] = 1;", "-"),
        ("int at(int i) { if (i > 3, i++) ; return i; }", "t[at(x)] = 1;", "-"),
        ("int at(int i) { if (i > 3) { if (i = 2) ; return i; } return 1; }", "t[at(x)] = 1;", "-"),
        ('int at(int i) { if (printf("%d", i)) ; return i; }', "t[at(x)] = 1;", "-"),
        ("int at(int i) { while (i > 3) i -= 3; return i; }", "t[at(x)] = 1;", "-"),
        ("int at(int i) { if (i > 3.5f) return 3; return i; }", "t[at(x)] = 1;", "-"),
        ("int at(int i) { if (i > 3) return at(i - 1); return i; }", "t[at(x)] = 1;", "-"),
        (
            f"int at(int i) {{ {'if (i > 3) i -= 3; ' * 7} return i; }}",
            "t[at(x)] = 1;",
            "-",
        ),
        # What is not as simple.
        ("int at(int i) { return i > 3.5f ? 3 : i; }", "t[at(x)] = 1;", "-"),
        ("int at(global float *p, int i) { return i; }", "t[at(t, x)] = 1;", "-"),
        (
            "global int *table;\nint at(int i) { return table[i]; }",
            "t[at(x)] = 1;",
            "-",
        ),
        (
            "constant int table[2] = {0, 1};\nint at(int i) { return table[i]; }",
            "t[at(x)] = 1;",
            f"table[{ITEM}]",
        ),
        (
            OVERLOADED,
            "t[at(x)] = 1;",
            "-",
        ),
    ],
)
def test_index(above: str, body: str, form: str) -> None:
    assert index(above, body) == form


AT = "static int at(int x, int y, int w) { return y * w + x; }\n"
PAIR = f"""\
kernel void f(global float *t, global const float *a, int w)
{{
    {XY}
    if (x < w)
        t[at(x, y, w)] = a[at(x, y, w)] * 2;
}}
kernel void g(global float *o, global const float *t, int w)
{{
    {XY}
    if (x < w)
        o[at(x, y, w)] = t[at(x, y, w)] + 1;
}}
"""
CALLS = ["f(t, a, n)", "g(o, t, n)"]


def test_kernels_with_an_index_helper_fuse() -> None:
    scalars = {"n": np.int32(7)}
    fused = fused_and_same(AT + PAIR, CALLS, ["o"], launches=1, scalars=scalars, size=(8, 8))
    assert fused.plan.groups[0].internalised == {"t"}


POINTS = """\
static inline size_t at(int2 p, int w) { return p.y * w + p.x; }
static bool within(int2 p, int2 size) { return p.x < size.x && p.y < size.y; }
kernel void f(global float *t, global const float *a, int2 size)
{
    const int2 p = (int2)(get_global_id(0), get_global_id(1));
    if (within(p, size))
        t[at(p, size.x)] = a[at(p, size.x)] * 2;
}
kernel void g(global float *o, global const float *t, int2 size)
{
    const int2 p = (int2)(get_global_id(0), get_global_id(1));
    if (!within(p, size))
        return;
    o[at(p, size.x)] = t[at(p, size.x)] + 1;
}
"""


def test_kernels_with_a_helper_for_points_fuse() -> None:
    scalars = {"n": np.array([(7, 6)], cl.cltypes.int2)[0]}
    fused = fused_and_same(POINTS, CALLS, ["o"], launches=1, scalars=scalars, size=(8, 8))
    assert fused.plan.groups[0].internalised == {"t"}


def test_helper_that_gives_two_points_one_element() -> None:
    above = POINTS.replace("p.y * w + p.x", "p.y * w + p.y")
    assert refusal(above, CALLS).code == "KF201"


INSIDE = "static bool inside(int x, int w) { return x >= 0 && x < w; }\n"


@pytest.mark.parametrize("guard", ["if (inside(x, w))", "if (!inside(x, w)) return;"])
def test_guards_in_a_helper(guard: str) -> None:
    source = INSIDE + AT + PAIR.replace("if (x < w)", guard)
    scalars = {"n": np.int32(7)}
    fused = fused_and_same(source, CALLS, ["o"], launches=1, scalars=scalars, size=(8, 8))
    assert fused.plan.groups[0].internalised == {"t"}


@pytest.mark.parametrize(
    "helper",
    [
        "static int inside(int x, int w) { return x < w ? 1 : 0; }\n",
        "static bool inside(char x, int w) { return x < w; }\n",
        "static bool inside(int x, int w) { w++; return x < w; }\n",
    ],
)
def test_guards_in_a_helper_that_prove_nothing(helper: str) -> None:
    source = helper + AT + PAIR.replace("if (x < w)", "if (inside(x, w))")
    assert refusal(source, CALLS).code == "KF201"


def test_helper_that_gives_two_items_one_element() -> None:
    """All columns but the first read what others write."""
    above = AT.replace("y * w + x", "y * w")
    assert refusal(above + PAIR, CALLS).code == "KF201"


@pytest.mark.parametrize(
    "helper",
    [
        "int at(int x, int y, int w) { STEP(x) return y * w + x; }",
        "int at(int x, int y, int w) { if (x < 0) x = FIRST; return y * w + x; }",
        "int at(int x, int y, int w) { if (x < 0) return FIRST; return y * w + x; }",
    ],
)
def test_what_build_options_may_change_in_a_helper(helper: str) -> None:
    above = "#ifndef STEP\n#define STEP(x)\n#endif\n#ifndef FIRST\n#define FIRST 0\n#endif\n"
    source = f"{above}{helper}\n{PAIR}"
    kernel = kernel_of(source)
    assert kernel.pins or any(access.form is None for access in kernel.accesses)


def test_what_the_helper_took_from_build_options_is_pinned() -> None:
    source = AT.replace("+ x", "+ x + PAD") + PAIR
    fused = fuse(source, CALLS, ["o"], defines=["PAD=0"])
    assert len(fused.kernels) == 1
    assert fused.fused[0].pins == ("PAD == 0",)


OVERLOADABLE = "__attribute__((overloadable)) "
VALUE = "__kernel void f(__global float *t, __global float *a)\n{ int i = get_global_id(0); "


@pytest.mark.parametrize("order", [1, -1], ids=["first", "last"])
@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        ('printf("%f", x); return x;', "KF222", "f() has printf: 'value()'"),
        (
            "return x + atomic_inc(x);",
            "KF205",
            "f() has an atomic operation: 'value()'",
        ),
        ("return other(x);", "KF217", "f() has a function that is not known: 'value()'"),
        ("mem_fence(2); return x;", "KF204", "f() has a barrier: 'value()'"),
    ],
)
def test_all_overloads_of_a_helper_count(body: str, code: str, message: str, order: int) -> None:
    """Which of them a call means is not known."""
    overloads = [
        f"{OVERLOADABLE}float value(float x) {{ {body} }}\n",
        f"{OVERLOADABLE}int value(int x) {{ return x; }}\n",
    ]
    source = f"{''.join(overloads[::order])}{VALUE}t[i] = value(a[i]); }}\n"
    cut = refusal(source, ["f(t, a)", "f(c, t)"])
    assert (cut.code, cut.message) == (code, message)


def test_pragma_in_an_overload_is_not_in_force_behind_it() -> None:
    above = (
        f"{OVERLOADABLE}float value(float x)\n{{\n#pragma OPENCL FP_CONTRACT OFF\nreturn x;\n}}\n"
        f"{OVERLOADABLE}int value(int x) {{ return x; }}\n"
    )
    fused_and_same(
        f"{above}{VALUE}t[i] = value(a[i]); }}\n", ["f(t, a)", "f(c, t)"], ["c"], launches=1
    )
    assert not kernel_of(f"{above}{VALUE} t[i] = a[i]; }}").pragmas.contract


def test_static_variable_of_a_helper_is_memory_of_all_items() -> None:
    above = "float value(float x) { static __global float last; last += x; return last; }\n"
    cut = refusal(f"{above}{VALUE}t[i] = value(a[i]); }}\n", ["f(t, a)", "f(c, t)"])
    assert cut.message == "f() has a pointer that is passed on or stored: 'value()'"


@pytest.mark.parametrize("call", ["get_local_id(0)", "(get_local_id)(0)"])
def test_brackets_around_a_name_hide_no_call(call: str) -> None:
    text = f"int at(int w) {{ if (w > 1) w = {call}; return w; }}\n"
    kernel = kernel_of(f"{text}kernel void f(global float *t) {{ t[at(2)] = 1; }}\n")
    assert kernel.local_ids is not None
