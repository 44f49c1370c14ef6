"""Attributes: hints say nothing of what is computed, and are kept where they stand."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.kernel_side import fused_and_same, fused_text, refusal

SQUARE = """\
kernel void square(global float *y, global const float *x)
{
    int i = get_global_id(0);
    y[i] = x[i] * x[i];
}
"""
CALLS = ["square(y, x)", "f(z, y)"]


def f(body: str, above: str = "", more: str = "") -> str:
    head = f"kernel {above} void f(global float *z, global const float *y{more})"
    return f"{SQUARE}{head}\n{{\n    int i = get_global_id(0);\n    {body}\n}}\n"


@pytest.mark.parametrize(
    "attribute",
    [
        "work_group_size_hint(64, 1, 1)",
        "vec_type_hint(REAL)",
        "vec_type_hint(float4), work_group_size_hint(8, 8, 1)",
        "always_inline",
        "__noinline__",
        "unused",
    ],
)
def test_hint_of_a_kernel(attribute: str) -> None:
    source = "#define REAL float\n" + f("z[i] = y[i] + 1;", f"__attribute__(({attribute}))")
    fused_and_same(source, CALLS, launches=1)


@pytest.mark.parametrize(
    ("attribute", "name"),
    [
        ("intel_reqd_sub_group_size(16)", "intel_reqd_sub_group_size"),
        ("vec_type_hint(float4), num_simd_work_items(4)", "num_simd_work_items"),
        ("max_global_work_dim(0)", "max_global_work_dim"),
    ],
)
def test_attribute_that_a_launch_or_device_must_meet(attribute: str, name: str) -> None:
    source = f("z[i] = y[i] + 1;", f"__attribute__(({attribute}))")
    told = refusal(source, CALLS)
    assert (told.code, told.message) == (
        "KF221",
        f"f() has an attribute that is not known: '{name}'",
    )


def test_size_of_constant_memory() -> None:
    more = ", constant float *weights __attribute__((max_constant_size(256)))"
    source = f("z[i] = y[i] * weights[i & 3];", more=more)
    fused_and_same(source, ["square(y, x)", "f(z, y, weights)"], launches=1)


@pytest.mark.parametrize(
    "loop",
    [
        "__attribute__((opencl_unroll_hint(4)))\n    for (int k = 0; k < 8; k++) z[i] += y[i] * k;",
        "__attribute__((opencl_unroll_hint))\n    for (int k = 0; k < 3; k++) z[i] -= y[i] * k;",
    ],
)
def test_hint_of_a_loop_is_kept(loop: str) -> None:
    made = fused_and_same(f(f"z[i] = 0; {loop}"), CALLS, launches=1)
    assert loop.partition("\n")[0] in fused_text(made)


def test_hint_of_a_loop_over_the_range() -> None:
    hint = "__attribute__((opencl_unroll_hint(2)))"
    loop = f"{hint} for (int i = get_global_id(0); i < n; i += get_global_size(0))"
    head = "kernel void {}(global float *{}, global const float *{}, int n) {{ {} {} }}\n"
    source = head.format("f", "y", "x", loop, "y[i] = 2 * x[i];")
    source += head.format("g", "z", "y", loop, "z[i] = y[i] + 1;")
    calls = ["f(y, x, n)", "g(z, y, n)"]
    fused_and_same(source, calls, launches=1, scalars={"n": np.int32(60)}, size=(8,))


TYPES = """\
typedef struct __attribute__((packed)) { char tag; float value; } packed;
typedef struct { float value; char tag; } __attribute__((aligned(16))) wide;
"""


@pytest.mark.parametrize("type_", ["packed", "wide"])
def test_variables_of_a_type_with_an_attribute(type_: str) -> None:
    source = TYPES + f(f"{type_} v[2]; v[i & 1].value = y[i]; z[i] = v[i & 1].value + 1;")
    fused_and_same(source, CALLS, launches=1)
