"""Names in the text of what is computed again: they mean there what the kernels mean by them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kfusion.api import fuse
from kfusion.graph.target import Target
from tests.support.kernel_side import fused_and_same

EAGER = Target(near=1 << 20)  # whatever it costs to compute again
PRODUCER = """\
kernel void f(global float *t, global const float *a, int n)
{
    int i = get_global_id(0);
    if (i < n) t[i] = a[i] * 2;
}
"""


def fuse_with(body: str, launches: int, before: str = "") -> None:
    reader = f"""\
kernel void g(global float *c, global const float *t, int n)
{{
    int i = get_global_id(0);
    if (i >= n) return;
    {body}
}}
"""
    calls, scalars = ["f(t, a, n)", "g(c, t, n)"], {"n": np.int32(64)}
    source = before + PRODUCER + reader
    fused_and_same(source, calls, ["c"], launches=launches, scalars=scalars, target=EAGER)


LOOP = "float s = 0; for (int k = -1; k < 2; k++) { int j = clamp(i + k, 0, n - 1); %s } c[i] = s;"


@pytest.mark.parametrize(
    "inner", ["{ int k = 5; s += t[j] + k; }", "for (int k = 0; k < 2; k++) s += t[j] + k;"]
)
def test_other_variable_with_the_name_of_the_loops(inner: str) -> None:
    fuse_with(LOOP % "s += t[j];", launches=1)
    fuse_with(LOOP % inner, launches=2)


def test_variable_with_the_name_that_the_function_would_have() -> None:
    fuse_with("float t_at = 3; c[i] = t[min(i + 1, n - 1)] + t_at;", launches=1)


@pytest.mark.parametrize("name", ["min", "max"])
def test_macro_with_the_name_of_a_function_of_opencl(name: str) -> None:
    index = {"min": "i + 1 < n - 1 ? i + 1 : n - 1", "max": "i - 1 < 0 ? 0 : i - 1"}[name]
    fuse_with(f"c[i] = t[{index}];", launches=1, before=f"#define {name}(a, b) 0\n")


@pytest.mark.parametrize("name", ["min", "max"])
def test_variable_with_the_name_of_a_function_of_opencl(name: str) -> None:
    index = {"min": "i + 1 < n - 1 ? i + 1 : n - 1", "max": "i - 1 < 0 ? 0 : i - 1"}[name]
    fuse_with(f"int j = {index}; int {name} = 3; c[i] = t[j] + {name};", launches=1)


@pytest.mark.parametrize("type_", ["char", "uchar", "short", "ushort"])
def test_scalar_of_another_type_in_a_choice(type_: str) -> None:
    """`min(i, m)` wants one type of both."""
    numbers: dict[str, type[np.integer]] = {
        "char": np.int8,
        "uchar": np.uint8,
        "short": np.int16,
        "ushort": np.uint16,
    }
    reader = (
        f"kernel void g(global float *c, global const float *t, int n, {type_} m)\n"
        "{ int i = get_global_id(0); if (i < n && m >= 0 && m < n) c[i] = t[m > i ? i : m]; }\n"
    )
    scalars = {"n": np.int32(64), "m": numbers[type_](9)}
    calls = ["f(t, a, n)", "g(c, t, n, m)"]
    fused_and_same(PRODUCER + reader, calls, ["c"], launches=1, scalars=scalars, target=EAGER)


def up_to(end: str, parameter: str) -> str:
    return (
        "typedef struct { int n; } dims;\n"
        f"kernel void g(global float *c, global const float *t, int n, {parameter})\n"
        f"{{ int i = get_global_id(0); if (i < n && {end} > 0 && {end} <= n) "
        f"c[i] = t[min(i, {end} - 1)]; }}\n"
    )


def test_end_that_a_member_is() -> None:
    size: Any = np.array((40,), [("n", "i4")])[()]
    scalars = {"n": np.int32(64), "s": size}
    source, calls = PRODUCER + up_to("s.n", "dims s"), ["f(t, a, n)", "g(c, t, n, s)"]
    fused_and_same(source, calls, ["c"], launches=1, scalars=scalars, target=EAGER)


def test_end_that_no_number_of_the_call_is() -> None:
    end = "get_image_width(s)"
    source = PRODUCER + up_to(end, "read_only image2d_t s")
    fused = fuse(source, ["f(t, a, n)", "g(c, t, n, s)"], ["c"], target=EAGER)
    assert [kernel.name for kernel in fused.kernels] == ["f", "g"]
    cut = next(d for d in fused.diagnostics if d.code == "KF237")
    assert cut.message.endswith(
        f"for neighbouring items: its index needs '{end}', which is no parameter"
    )
    assert "as a parameter" in (cut.help or "")


@pytest.mark.parametrize(
    "loop",
    [
        "for (int k = max(i - 2, 0); k <= i; k++) c[i] += t[k];",
        "int k = -2; while (k <= 2) { c[i] += t[clamp(i + k, 0, n - 1)]; k++; }",
    ],
)
def test_round_of_a_loop_that_no_variable_counts(loop: str) -> None:
    reader = (
        "kernel void g(global float *c, global const float *t, int n)\n"
        f"{{ int i = get_global_id(0); if (i < n) {{ c[i] = 0; {loop} }} }}\n"
    )
    fused = fused_and_same(
        PRODUCER + reader,
        ["f(t, a, n)", "g(c, t, n)"],
        ["c"],
        launches=2,
        scalars={"n": np.int32(64)},
        target=EAGER,
    )
    cut = next(d for d in fused.diagnostics if d.code == "KF237")
    assert cut.message.endswith(
        "its index needs the number of a loop's round, which no variable holds"
    )
    assert "count from a number" in (cut.help or "")
