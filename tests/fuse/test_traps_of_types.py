"""Trap 10, for types behind names: what a typedef adds to a type, on PoCL."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.kernel_side import ELEMENTWISE, fused_and_same, fused_text, kernel_of, refusal

INDEX = "int i = get_global_id(0);"


# bool holds 0 or 1


@pytest.mark.parametrize(
    ("above", "declared", "index", "form"),
    [
        ("", "const bool k = 2;", "k", "1"),
        ("", "bool k = 0;", "k", "0"),
        ("", "", "(bool)2", "1"),
        ("", "", "(_Bool)-1", "1"),
        ("bool two(void) { return 2; }\n", "", "two()", "1"),
        ("typedef bool truth;\n", "const truth k = 256;", "k", "1"),
        ("int twice(bool k) { return 2 * k; }\n", "", "twice(4)", "2"),
        ("", "const bool k = n;", "k", "-"),
        ("", "const bool k = n; const bool m = k;", "m", "-"),
    ],
)
def test_value_of_a_bool(above: str, declared: str, index: str, form: str) -> None:
    text = f"{above}kernel void f(global float *y, int n) {{ {declared} y[{index}] = 1; }}\n"
    assert str(kernel_of(text).accesses[-1].form or "-") in (form, "" if form == "0" else form)


def test_index_of_a_bool_is_not_that_of_its_initialiser() -> None:
    source = (
        "kernel void f(global float *y, global const float *x)\n"
        f"{{ {INDEX} const bool k = 2; if (i < 60) y[i + k] = x[i]; }}\n"
        "kernel void g(global float *z, global const float *y)\n"
        f"{{ {INDEX} if (i < 60) z[i] = y[i + 2]; }}\n"
    )
    assert refusal(source, ["f(y, x)", "g(z, y)"]).code == "KF201"


# Qualifiers and attributes in typedefs


@pytest.mark.parametrize(
    "above",
    [
        "typedef const float real;",
        "typedef float const real;",
        "typedef float plain; typedef const plain real;",
    ],
)
def test_const_of_a_typedef_goes_where_another_stage_writes(above: str) -> None:
    source = (
        f"{above}\nkernel void f(global float *y, global real *x) {{ {INDEX} y[i] = x[i] + 1; }}\n"
        f"kernel void g(global float *x, global real *y)\n{{ {INDEX} x[i] += y[i]; x[i] *= 2; }}\n"
    )
    fused = fused_and_same(source, ["f(y, x)", "g(x, y)"], launches=1)
    assert "__global float *x, __global float *y" in fused_text(fused).replace("global", "__global")


def test_volatile_of_a_typedef() -> None:
    source = (
        f"typedef volatile float shaky;\n{ELEMENTWISE}"
        f"kernel void g(global float *x, global shaky *y) {{ {INDEX} x[i] = y[i]; }}\n"
    )
    cut = refusal(source, ["square(y, x)", "g(z, y)"])
    assert (cut.code, cut.message) == ("KF205", "g() has volatile memory: 'y'")


@pytest.mark.parametrize(
    "above",
    [
        "typedef float f4 __attribute__((ext_vector_type(4)));",
        "typedef __attribute__((ext_vector_type(4))) float f4;",
        "typedef float four __attribute__((ext_vector_type(4))); typedef four f4;",
        "typedef float f4 __attribute__((aligned(16)));",
    ],
)
def test_typedef_with_an_attribute_is_a_type_of_its_own(above: str) -> None:
    source = (
        f"{above}\nkernel void f(global f4 *y, global const f4 *x)\n"
        f"{{ {INDEX} if (i < 16) y[i] = x[i] * x[i]; }}\n"
        "kernel void g(global float *z, global const float *y)\n"
        f"{{ {INDEX} if (i < 16) z[i] = y[i]; }}\n"
    )
    cut = refusal(source, ["f(y, x)", "g(z, y)"])
    assert cut.code == "KF207"
    assert cut.message.startswith("'y' has elements of type f")


def test_variable_with_an_attribute_is_not_the_element_that_it_starts_with() -> None:
    source = (
        "typedef float f2 __attribute__((ext_vector_type(2)));\n"
        "kernel void f(global float *y, global const float *x)\n"
        f"{{ {INDEX} f2 v = x[i]; y[i] = v.y; }}\n"
        "kernel void g(global float *z, global const float *x, global const float *y)\n"
        f"{{ {INDEX} z[i] = y[i] * x[i]; }}\n"
    )
    data = {"x": np.linspace(1, 2, 64).astype(np.float32)}
    fused_and_same(source, ["f(y, x)", "g(z, x, y)"], launches=1, buffers=data)
