"""Traps 11 and 23, for names: what a macro or another stage means by one, on PoCL."""

from __future__ import annotations

import numpy as np
import pytest

from kfusion.api import fuse
from tests.support.kernel_side import fused_and_same, fused_text, refusal

I = "int i = get_global_id(0);"  # noqa: E741
SCALARS = {"p": np.float32(0.5), "q": np.float32(-0.25)}


def f(body: str, more: str = "") -> str:
    return f"kernel void f(global float *t, global const float *a{more})\n{{\n    {I} {body}\n}}\n"


def g(body: str, more: str = "") -> str:
    return f"kernel void g(global float *o, global const float *t{more})\n{{\n    {I} {body}\n}}\n"


# Macros that mention a parameter or variable


def test_trap_23_macro_names_a_parameter_that_is_renamed() -> None:
    """`a` is x in one kernel and y in the other: one of them has its macro written out."""
    source = "#define AT a[i]\n" + f("t[i] = AT;") + g("o[i] = t[i] + AT;", ", global float *a")
    fused = fused_and_same(source, ["f(t, x)", "g(o, t, y)"], launches=1)
    assert "= AT;" in fused_text(fused)
    assert "+ a_buffer[i];" in fused_text(fused)


def test_trap_23_macro_names_an_index_variable_that_is_shared() -> None:
    source = (
        "#define AT a[i]\n"
        "kernel void f(global float *t, global const float *a)\n"
        "{ int gid = get_global_id(0); t[gid] = a[gid] * 2; }\n"
    ) + g("o[i] = AT + t[i];", ", global const float *a")
    fused = fused_and_same(source, ["f(t, x)", "g(o, t, y)"], launches=1)
    assert "a[gid] +" in fused_text(fused)


@pytest.mark.parametrize(
    ("first", "second", "calls"),
    [
        (f("t[i] = MIN_X(a[i]);", ", float x"), "float x", ["f(t, a, p)", "g(o, t, q)"]),
        (f("t[i] = MIN_X(a[i]);", ", float x"), "float x", ["f(t, a, p)", "g(o, t, p)"]),
        (f("float x = a[i] * 2; t[i] = MIN_X(a[i]);"), "float x", ["f(t, a)", "g(o, t, p)"]),
    ],
)
def test_trap_23_macro_names_a_scalar(first: str, second: str, calls: list[str]) -> None:
    source = "#define MIN_X(v) min(v, x)\n" + first + g("o[i] = MIN_X(t[i]) + x;", f", {second}")
    fused_and_same(source, calls, launches=1, scalars=SCALARS)


def test_trap_23_macro_of_the_command_line_names_a_parameter() -> None:
    """Another build may give it another meaning."""
    source = f("t[i] = a[i] OP;", ", float x") + g("o[i] = t[i] OP;", ", float x")
    fused = fuse(source, ["f(t, a, x)", "g(o, t, x)"], defines=["OP=*x"])
    assert len(fused.kernels) == 2
    assert fused.diagnostics[0].code == "KF216"
    assert fused.diagnostics[0].message == "the macro 'OP' in f() depends on build options"


def test_trap_23_macro_declares_what_its_argument_would_become() -> None:
    """The value of t[i] would be called t_i."""
    source = (
        "#define STEP(d, v) { float t_i = (v); d = t_i * t_i; }\n"
        + f("t[i] = a[i] * 2;")
        + g("STEP(o[i], t[i])")
    )
    fused_and_same(source, ["f(t, a)", "g(o, t)"], launches=1)


def test_trap_23_macro_pastes_a_name_that_is_renamed() -> None:
    source = (
        "#define V(n) n##_v\n"
        + f("float x_v = a[i] + 1; t[i] = V(x) * x_v;")
        + g("float x_v = t[i] + 2; o[i] = V(x) * x_v;")
    )
    fused_and_same(source, ["f(t, a)", "g(o, t)"], launches=1)


@pytest.mark.parametrize("last", ["p", "q"])
@pytest.mark.parametrize(
    ("above", "opening", "closing"),
    [
        ("#define SETUP int i = get_global_id(0); if (i >= n) return;\n", "{ SETUP", "}"),
        ("#define GUARDED int i = get_global_id(0); if (i < n)\n", "{ GUARDED", "}"),
        (
            "#define BEGIN { int i = get_global_id(0); if (i < n) {\n#define END } }\n",
            "BEGIN",
            "END",
        ),
    ],
)
def test_trap_23_macro_declares_the_index_and_guards(
    above: str, opening: str, closing: str, last: str
) -> None:
    """Of one macro the declaration is shared, and the guard is not if the bounds differ."""
    source = above + (
        f"kernel void f(global float *t, global const float *a, int n)\n"
        f"{opening} t[i] = a[i] * 2; {closing}\n"
        f"kernel void g(global float *o, global const float *t, int n)\n"
        f"{opening} o[i] = t[i] + 1; {closing}\n"
    )
    bounds = {"p": np.int32(50), "q": np.int32(30)}
    fused_and_same(source, ["f(t, a, p)", f"g(o, t, {last})"], launches=1, scalars=bounds)


@pytest.mark.parametrize("name", ["__LINE__", "__COUNTER__", "HERE"])
def test_trap_23_text_that_says_where_it_stands(name: str) -> None:
    source = "#define HERE __LINE__\n" + f(f"t[i] = a[i] + {name};") + g("o[i] = t[i];")
    cut = refusal(source, ["f(t, a)", "g(o, t)"])
    assert cut.code == "KF216"
    written = name.replace("HERE", "__LINE__")
    assert cut.message == f"'{written}' in f() has another value where a fused kernel would stand"


# Variables of one stage that hide what another stage means


@pytest.mark.parametrize(
    ("above", "name", "use"),
    [
        ("constant float k = 3.0f;", "k", "t[i] * k"),
        ("constant float k = 3.0f;\n#define BY_K(v) ((v) * k)", "k", "BY_K(t[i])"),
        ("enum { K = 3 };", "K", "t[i] * K"),
        ("float scale(float v) { return v * 3; }", "scale", "scale(t[i])"),
        ("float scale(float v) { return v * 3; }\n#define S scale", "scale", "S(t[i])"),
        ("typedef float real;", "real", "(real)t[i]"),
        ("", "fabs", "fabs(t[i])"),
    ],
)
def test_trap_11_variable_hides_what_another_stage_uses(above: str, name: str, use: str) -> None:
    source = f"{above}\n" + f(f"float {name} = a[i] + 1; t[i] = {name} * {name};")
    source += g(f"o[i] = {use} + 1;")
    fused = fused_and_same(source, ["f(t, a)", "g(o, t)"], launches=1)
    assert f"float {name}_2 = a[i] + 1;" in fused_text(fused)


def test_trap_11_index_variable_hides_a_function() -> None:
    source = (
        "kernel void f(global float *t, global const float *a)\n"
        "{ int max = get_global_id(0); t[max] = a[max]; }\n"
    ) + g("o[i] = max(t[i], 0.5f);")
    fused_and_same(source, ["f(t, a)", "g(o, t)"], launches=1)


@pytest.mark.parametrize("name", ["FLT_MAX", "INFINITY", "NULL", "true", "CL_DEVICE_NAME"])
def test_trap_11_arguments_named_like_constants(name: str) -> None:
    """A parameter is called after its argument, but not after a macro of the language."""
    source = f("t[i] = a[i] * x;", ", float x") + g("o[i] = t[i] + x;", ", float x")
    scalars = {name: np.float32(0.5), "q": np.float32(0.25)}
    fused_and_same(source, [f"f(t, a, {name})", "g(o, t, q)"], launches=1, scalars=scalars)


# Types that come through macros


UNSURE = "#ifndef REAL\n#define REAL float\n#endif\n"
PLAIN = "{ int i = get_global_id(0); o[i] = -a[i]; }\n"


@pytest.mark.parametrize(
    "above",
    [
        "#define KERNEL(n) kernel void n(global REAL *o, global const REAL *a)\n",
        "#define ARG(T) global T *\n#define KERNEL(n) kernel void n(ARG(REAL) o, ARG(REAL) a)\n",
    ],
)
def test_trap_26_kernels_of_a_macro_with_an_uncertain_type(above: str) -> None:
    """The fused kernel would say `float` where another build has another type."""
    source = f"{UNSURE}{above}KERNEL(f)\n{PLAIN}KERNEL(g)\n{PLAIN}"
    cut = refusal(source, ["f(t, a)", "g(o, t)"])
    assert cut.code == "KF216"
    assert cut.message == "the macro 'REAL' in f() depends on build options"


def test_trap_26_parameter_of_a_macro_with_an_uncertain_type() -> None:
    source = f"{UNSURE}#define ARG(T) global T *\n" + "".join(
        f"kernel void {name}(ARG(REAL) o, ARG(const REAL) a)\n{PLAIN}" for name in "fg"
    )
    assert refusal(source, ["f(t, a)", "g(o, t)"]).code == "KF216"


def test_trap_23_macro_that_is_written_out_and_has_an_uncertain_type() -> None:
    source = f"{UNSURE}#define BY_X(v) ((v) * (REAL)2.1 * x)\n" + "".join(
        f"kernel void {name}(global REAL *o, global const REAL *a, REAL x)\n"
        f"{{ {I} o[i] = BY_X(a[i]); }}\n"
        for name in "fg"
    )
    assert refusal(source, ["f(t, a, p)", "g(o, t, q)"]).code == "KF216"
    certain = source.replace(UNSURE, "#define REAL float\n")
    fused_and_same(certain, ["f(t, a, p)", "g(o, t, q)"], launches=1, scalars=SCALARS)


def test_trap_26_kernels_of_a_macro() -> None:
    source = (
        "#define UNARY(name, T, op) \\\nkernel void name(global T *o, global const T *a) \\\n"
        "{ int i = get_global_id(0); o[i] = op(a[i]); }\n"
        "UNARY(f, float, -)\nUNARY(g, float, fabs)\n"
    )
    fused_and_same(source, ["f(t, a)", "g(o, t)"], launches=1)
    cut = refusal(source.replace("g, float", "g, int"), ["f(t, a)", "g(o, t)"])
    assert cut.message == "'t' has elements of type float in f(), and of type int in g()"
    assert cut.help == "declare both parameters with one element type"


@pytest.mark.parametrize("above", ["", "typedef REAL real;\n"])
def test_trap_26_type_that_is_a_macro_in_one_kernel_only(above: str) -> None:
    type_ = "real" if above else "REAL"
    source = (
        f"#ifndef REAL\n#define REAL float\n#endif\n{above}"
        f"kernel void f(global {type_} *o, global const {type_} *a)\n{PLAIN}"
        f"kernel void g(global float *o, global const float *a)\n{PLAIN}"
    )
    cut = refusal(source, ["f(t, a)", "g(o, t)"])
    assert cut.code == "KF207"
    assert cut.message == "'t' has elements of type REAL in f(), and of type float in g()"
    assert cut.help == (
        "'REAL' is a macro, and no '#if' can tell what type it is: use it in both kernels, not "
        "inside of other macros, or in neither"
    )


def test_trap_23_element_in_the_arguments_of_a_nested_macro() -> None:
    """What is loaded is the element, not the inner call that it stands in."""
    source = "#define SQ(x) ((x) * (x))\n" + f(
        "t[i] = SQ(SQ(a[i] - p) - a[i]) + SQ(p);", ", float p"
    )
    source += g("o[i] = SQ(SQ(t[i]) - 1) * t[i];")
    calls = ["f(t, x, p)", "g(o, t)", "f(u, x, q)"]
    fused = fused_and_same(source, calls, launches=1, scalars=SCALARS)
    assert "= a[i];" in fused_text(fused).replace("x[i]", "a[i]")


def test_trap_23_macro_that_gives_its_argument_alone() -> None:
    """Nothing of the macro's own is among the tokens, but its name and brackets are written."""
    source = "#define ID(x) x\n" + f("ID(t[i]) = a[i] + ID(a[i]);") + g("ID(o[i] = t[i] + ID(2));")
    calls = ["f(t, x)", "g(o, t)", "f(u, o)"]
    text = fused_text(fused_and_same(source, calls, launches=1))
    assert "const float t_i = x_i + x_i;" in text
