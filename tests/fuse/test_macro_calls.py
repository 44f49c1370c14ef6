"""Macros of all kinds inside kernels: what a fused kernel's text makes of them, run on PoCL."""

from __future__ import annotations

import numpy as np
import pytest

from kfusion.api import Fused, fuse
from kfusion.graph.model import LaunchRange
from tests.support.kernel_side import fused_text, random_data
from tests.support.pyopencl_run import Case, assert_same

CALLS = ["first(b, a, n)", "second(c, b, n)"]


def program(macros: str, first: str, second: str) -> str:
    begin = "    const size_t i = get_global_id(0);\n    if (i >= n)\n        return;\n"
    head = "(global float *{}, global const float *{}, const uint n)\n{{\n"
    return (
        f"{macros}\nkernel void first{head.format('b', 'a')}{begin}    {first}\n}}\n"
        f"kernel void second{head.format('c', 'b')}{begin}    {second}\n}}\n"
    )


def ran(source: str) -> Fused:
    fused = fuse(source, CALLS)
    case = Case(random_data(["a", "b", "c"]), {"n": np.uint32(50)}, (64,))
    assert_same(fused, source, case, ["b", "c"])
    return fused


@pytest.mark.parametrize(
    ("macros", "first", "second"),
    [
        (
            "#define TWICE(s) s; s",
            "float u = a[i];\n    TWICE(u = u * u + 0.5f);\n    b[i] = u;",
            "float v = b[i];\n    TWICE(v *= 2.0f);\n    c[i] = v;",
        ),
        (
            "#define TWICE(s) s; s\n#define POINTER(type) type *",
            "float u = a[i]; POINTER(private float) p = &u; TWICE(*p *= 2.0f); b[i] = u;",
            "TWICE(c[i] = b[i]);",
        ),
        (
            "#define TWICE(s) s; s\n#define NOTHING",
            "NOTHING float u = a[i];\n    TWICE(u NOTHING = u * 2.0f);\n    b[i] = u;",
            "NOTHING c[i] = b[i]; NOTHING",
        ),
        ("#define F sqrt\n#define OF() F", "b[i] = OF()(a[i]);", "c[i] = OF() (b[i]);"),
        ("#define PICK(x) x", "b[i] = PICK(sqrt)(a[i]);", "c[i] = PICK(fabs)(b[i]) + 1.0f;"),
        (
            "#define TWO(x, y) float x##0 = y, x##1 = x##0 * 2.0f; x##1",
            "TWO(u, a[i]) += 1.0f;\n    b[i] = u0 + u1;",
            "TWO(u, b[i]) *= 3.0f;\n    c[i] = u0 * u1;",
        ),
        (
            "#define WITH(declared, s) { declared; s; }",
            "WITH(float u = a[i], b[i] = u * 2.0f)",
            "WITH(float u = b[i], c[i] = u * 3.0f)",
        ),
        (
            "",
            "float t[2][4];\n    float (*p)[4] = t;\n    p[1][2] = a[i];\n    b[i] = t[1][2];",
            "float (k) = b[i];\n    c[i] = (k) + 1.0f;",
        ),
        (
            "#define item 3.0f\n#define items 5.0f\n#define b_i 4\n#define next 2.0f",
            "b[i] = a[i] * item;",
            "c[i] = b[i] + next * items;",
        ),
        ("#define OPEN (\n#define CLOSE )", "b[i] = sqrt OPEN a[i] CLOSE;", "c[i] = b[i];"),
        (
            "#define BLOCK(c) if (c) {\n#define END }",
            "b[i] = 0; BLOCK(a[i] > 1) b[i] = 1; END",
            "c[i] = b[i];",
        ),
    ],
)
def test_calls_keep_their_tokens(macros: str, first: str, second: str) -> None:
    assert len(ran(program(macros, first, second)).kernels) == 1


@pytest.mark.parametrize(
    ("macros", "first", "second"),
    [
        ("#define op_neg(x, y) -(x * y)", "b[i] = a[i];", "c[i] = OP(neg)(b[i], 3.0f);"),
        ("#define op_neg(x, y) -(x + y)", "b[i] = OP(neg)(i, a[i]);", "c[i] = b[i];"),
        ("#define op_at(p, k) p[k]", "b[i] = OP(at)(a, i);", "c[i] = OP(at)(b, i) * 2;"),
        ("#define X() Y\n#define Y(z) (z + 1)", "b[i] = a[i];", "c[i] = X()(b[i]) * 2;"),
    ],
)
def test_a_call_that_gives_the_name_of_a_macro_is_not_fused(
    macros: str, first: str, second: str
) -> None:
    fused = ran(program(f"#define OP(name) op_##name\n{macros}", first, second))
    assert len(fused.kernels) == 2
    assert "gives the name of a macro that is called" in fused.diagnostics[0].message


@pytest.mark.parametrize(
    ("macros", "first"),
    [
        ("#define CAT(a, b) a##b", "b[i] = CAT(convert_, int)(a[i]);"),
        ("#define OF(type) as_##type", "b[i] = OF(int) (a[i]) + OF(uint)(a[i]);"),
        ("#define TWICE(x) (x + x)\n#define ONCE(x) x", "b[i] = TWICE(ONCE(a[i])) * (a[i]);"),
    ],
)
def test_a_call_that_gives_the_name_of_a_function_is_fused(macros: str, first: str) -> None:
    assert len(ran(program(macros, first, "c[i] = b[i] * 2.0f;")).kernels) == 1


def test_a_call_that_would_lose_a_bracket_is_written_out() -> None:
    twice = "float u = a[i];\n    TWICE(u = u * u + 0.5f);\n    b[i] = u;"
    text = fused_text(fuse(program("#define TWICE(s) s; s", twice, "c[i] = b[i];"), CALLS))
    assert "    b_i = b_i * b_i + 0.5f;\n    b_i = b_i * b_i + 0.5f;\n" in text


HALF = (
    "static float half_of(float x) { return x * 0.5f; }\n#define half_of(x) half_of((x) + 0.5f)\n"
)


def test_what_gives_its_own_name_is_called_but_not_written_out() -> None:
    whole = program(HALF, "float u = a[i];\n    b[i] = half_of(u);", "c[i] = b[i];")
    assert len(ran(whole).kernels) == 1
    cut = "float u = a[i];\n    TWICE(u = half_of(u));\n    b[i] = u;"
    fused = ran(program(f"{HALF}#define TWICE(s) s; s", cut, "c[i] = b[i];"))
    assert len(fused.kernels) == 2
    assert "'half_of' in first() gives its own name" in fused.diagnostics[0].message


@pytest.mark.parametrize("word", ["__LINE__", "(__COUNTER__ + 1)", "HERE"])
def test_what_depends_on_its_place_is_not_moved(word: str) -> None:
    fused = ran(program("#define HERE __LINE__", f"b[i] = a[i] * {word};", "c[i] = b[i];"))
    assert len(fused.kernels) == 2
    assert fused.diagnostics[0].code == "KF216"


def test_address_spaces_stay_where_macros_are_written_out() -> None:
    source = """
#define TWICE(s) s; s
kernel void first(global float *b, global const float *a, global const float *w)
{
    local float t[3];
    const size_t i = get_global_id(0);
    event_t e = async_work_group_copy(t, w, 3, 0);
    wait_group_events(1, &e);
    float u = a[i];
    TWICE(u += t[1]);
    b[i] = u;
}
kernel void second(global float *c, global const float *b)
{
    const size_t i = get_global_id(0);
    c[i] = b[i];
}
"""
    ranges = [LaunchRange(1, "all", local="16")] * 2
    text = fused_text(fuse(source, ["first(b, a, w)", "second(c, b)"], ranges=ranges))
    assert "    local float t[3];" in text
    assert "    b_i += t[1];\n    b_i += t[1];" in text


def test_what_build_options_say_is_not_written_out() -> None:
    cut = "float u = a[i];\n    TWICE(u = (REAL)(u * u));\n    b[i] = u;"
    source = program("#define TWICE(s) s; s", cut, "c[i] = b[i];")
    fused = fuse(source, CALLS, defines=["REAL=float"])
    assert len(fused.kernels) == 2
    assert "'REAL' in first() depends on build options" in fused.diagnostics[0].message


def test_a_word_of_two_spellings_is_no_reason_to_write_a_macro_out() -> None:
    macros = "#define LOAD(p, k) (((__global const REAL *)(p))[k])"
    wide = "#ifdef WIDE\n#define REAL double\n#else\n#define REAL float\n#endif\n"
    for begin, defines in ((wide, ()), ("", ("REAL=float",))):
        source = program(begin + macros, "b[i] = a[i];", "c[i] = b[i] + LOAD(a, i);")
        source = source.replace(
            "second(global float *c,", "second(global float *c, global float *a,"
        )
        text = fused_text(fuse(source, [CALLS[0], "second(c, w, b, n)"], defines=defines))
        assert "LOAD(w, i)" in text
