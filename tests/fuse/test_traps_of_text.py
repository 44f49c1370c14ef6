"""Text that means something else where it is moved to: comments, names, qualifiers, numbers."""

from __future__ import annotations

import numpy as np
import pytest

from kfusion.api import Fused, fuse
from kfusion.graph.model import LaunchRange
from kfusion.source.diagnostics import KFusionError
from tests.stencils.running import MARCH
from tests.support.kernel_side import fused_and_same, fused_text, random_data
from tests.support.pyopencl_run import Case, assert_same

P = """
__kernel void p(__global float *c, __global const float *a, int n)
{{
    const int i = get_global_id(0);
    {}
}}
"""
Q = """
__kernel void q(__global float *c, __global const float *a, int n)
{
    const int i = get_global_id(0);
    if (i < n)
        c[i] = a[i] * a[i];
}
"""
LOADS_ONCE = Q.replace("a[i] * a[i]", "a[i]")
CALLS = ["p(t, a, n)", "q(c, t, n)"]


def one_kernel(
    source: str, calls: list[str] = CALLS, out: list[str] | None = None, *, exact: bool = False
) -> Fused:
    ranges = [LaunchRange(1, "all", local="16")] * len(calls)
    fused = fuse(source, calls, out, ranges=ranges, exact=exact)
    assert len(fused.kernels) == 1, [d.message for d in fused.diagnostics]
    case = Case(random_data(["a", "c", "t"]), {"n": np.int32(50)}, (64,), (16,))
    assert_same(fused, source, case, out or ["c", "t"])
    return fused


@pytest.mark.parametrize("end", ["\\\n", "\\ \t\n", "\\\r\n", "\\\n\n"])
@pytest.mark.parametrize("place", ["        {}", "        float s = a[i]; {}"])
def test_a_comment_that_goes_on_ends_before_the_next_statement(end: str, place: str) -> None:
    first = place.format(f"// the tables are in C:\\data{end} and were made by hand\n")
    declared = "" if "float" in first else "        float s = a[i];\n"
    text = f"if (i < n) {{\n{declared}{first}        s += 3;\n        c[i] = s;\n    }}"
    fused = one_kernel(P.format(text.replace("\n\n and", "\n// and")) + Q, out=["c"])
    assert "t_i += 3;" in fused_text(fused)
    assert "\\\n" not in fused_text(fused)


def test_a_variable_is_not_called_like_what_generated_text_calls() -> None:
    """The condition of --exact asks for the dimensions; stages wait at a barrier."""
    body = "if (i < n) { float get_work_dim = 2; c[i] = a[i] * get_work_dim; }"
    text = fused_text(one_kernel(P.format(body) + Q, exact=True))
    assert "float own_get_work_dim_2 = 2;" in text
    assert "if (get_work_dim() > 3)" in text
    source = """
__kernel void mine(__global float *c, __global const float *a)
{
    const int i = get_global_id(0);
    float barrier = a[i];
    c[i] = barrier + barrier;
}
__kernel void others(__global float *c, __global const float *a)
{
    const int i = get_global_id(0);
    c[i] = a[15 - i];
}
"""
    ranges = [LaunchRange(1, "all", local="16", one_group=True)] * 2
    fused = fuse(source, ["mine(t, a)", "others(c, t)"], ranges=ranges)
    assert len(fused.kernels) == 1
    given = random_data(["a", "c", "t"], 16)
    assert_same(fused, source, Case(given, {}, (16,), (16,)), ["c", "t"])


@pytest.mark.parametrize(
    ("pointer", "expected"),
    [
        (
            "__global float *row = c + i; if (i < n) if (a[i] > 0) *row = a[i];",
            "__global float *t",
        ),
        ("__global const float *row = a; if (i < n) c[i] = row[i];", "__global const float *a"),
    ],
)
def test_a_pointer_of_the_prelude_uses_its_parameter(pointer: str, expected: str) -> None:
    assert expected in fused_text(one_kernel(P.format(pointer) + LOADS_ONCE, out=["c"]))


def test_memory_that_a_pointer_of_the_prelude_names_is_not_constant() -> None:
    pointer = "__global const float *row = a; if (i < n) c[i] = row[i];"
    source = P.format(pointer) + LOADS_ONCE.replace("__global const", "__constant")
    fused = one_kernel(source, ["p(t, a, n)", "q(c, a, n)"], out=["c", "t"])
    assert "__global const float *a" in fused_text(fused)


def test_a_number_too_long_for_any_type_is_left_to_the_compiler() -> None:
    body = f"const long k = {'9' * 5000}; if (i < n) c[i] = a[i] + k;"
    assert len(fuse(P.format(body) + Q, CALLS).plan.invocations) == 2


def test_an_expression_too_deep_is_said_to_be_so() -> None:
    body = f"if (i < n) c[i] = {' + '.join(['a[i]'] * 8000)};"
    with pytest.raises(KFusionError, match="nested too deeply"):
        fuse(P.format(body) + Q, CALLS)


STENCIL = """
kernel void f(global float *t, global const float *a, int w, int h)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= h)
        return;
    t[y * w + x] = a[y * w + x] * 2 + 1;
}
kernel void g(global float *o, global const float *t, int w, int h)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= h)
        return;
    o[y * w + x] = t[y * w + max(x - 1, 0)] + t[min(y + 1, h - 1) * w + x];
}
"""
GROUPS = """
kernel void f(global float *t, global const float *a)
{
    int l = get_local_id(0);
    if (l == 1)
        t[get_group_id(0)] = a[get_global_id(0)];
}
kernel void g(global float *o, global const float *t)
{
    int i = get_global_id(0);
    o[i] = t[get_group_id(0)];
}
"""


@pytest.mark.parametrize(
    ("macro", "launches"),
    [
        ("#define get_local_id(d) 0", 2),
        ("#define barrier(flags)", 2),
        ("#define local", 2),
        ("#define get_num_groups 3", 2),
        ("#define local __local", 1),
        ("#define local __local\n#undef local", 1),
    ],
)
def test_macros_with_names_that_groups_that_march_need(macro: str, launches: int) -> None:
    fused_and_same(
        f"{macro}\n{STENCIL}",
        ["f(t, a, w, h)", "g(o, t, w, h)"],
        ["o"],
        launches=launches,
        scalars={"w": np.int32(29), "h": np.int32(13)},
        buffers=random_data("aot", 32 * 16),
        size=(32, 16),
        target=MARCH,
    )


@pytest.mark.parametrize("macro", ["#define barrier(flags)", "#define barrier 1"])
def test_a_barrier_that_is_a_macro_is_not_written_between_stages(macro: str) -> None:
    ranges = [LaunchRange(1, "all", local="16")] * 2
    fused = fuse(f"{macro}\n{GROUPS}", ["f(t, a)", "g(o, t)"], ranges=ranges)
    assert len(fused.kernels) == 2
    case = Case(random_data("aot"), {}, (64,), (16,))
    assert_same(fused, f"{macro}\n{GROUPS}", case, ["o", "t"])


@pytest.mark.parametrize(
    "body",
    [
        "int k = ({ if (a[i] > 0) c[i] = 1; 3; });",
        "c[i] = ({ if (a[i] > 0) return; 2.0f; });",
        "int k = _Generic(i, int: 3, default: (c[i] = 2));",
    ],
)
def test_statements_and_choices_in_expressions_are_refused(body: str) -> None:
    with pytest.raises(KFusionError, match="KF118"):
        fuse(P.format(body) + Q, CALLS)


ON_THE_WAY = {
    "an operator for a pragma": """float s = 0;
    _Pragma("unroll 3")
    for (int k = 0; k < 3; k++)
        s += a[i];
    c[i] = s;""",
    "a function of the file with effects": """uint seed = i;
    const uint first = get_next(&seed);
    c[i] = a[i] + get_next(&seed);""",
    "macros of one word": """float s = 0, m = 1;
    for (int k = 0; k < 3; k++)
        SET s = a[i] + k;
    if (s > 2) m = 2;
    OTHERWISE m = 3;
    c[i] = s * m;""",
    "a brace in a macro": """float s = 0;
    for (int k = 0; k < 2; k++) BEGIN
        const int row = k;
        s += a[i];
        s += row;
    }
    c[i] = s;""",
}
BEFORE = """
uint get_next(uint *s) { *s = *s * 1664525u + 1013904223u; return *s >> 8; }
#define SET
#define OTHERWISE else
#define BEGIN {
"""


@pytest.mark.parametrize("body", ON_THE_WAY)
def test_what_looks_like_a_declaration_that_nothing_needs(body: str) -> None:
    one_kernel(BEFORE + P.format(ON_THE_WAY[body]) + Q)


LIGHT = """
kernel void light(global float *t, global const float *a, const int w, const int h)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= h)
        return;
    const float r = a[y * w + x]
                    + 1.0f, unused = 3.0f;
    t[y * w + x] = r;
}
kernel void blur(global float *c, global const float *t, const int w, const int h)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= h)
        return;
    c[y * w + x] = t[y * w + max(x - 1, 0)] + t[y * w + min(x + 1, w - 1)];
}
"""


@pytest.mark.parametrize("target", ["any", "cpu", "gpu"])
def test_values_and_calls_with_more_text_than_they_need(target: str) -> None:
    calls = ["light(t, a /* from */, w, h)", "blur(c, t, w, h /* to */)"]
    ranges = [LaunchRange(2, "all")] * 2
    fused = fuse(LIGHT, calls, ["c"], ranges=ranges, target=target, tiles=True)
    assert len(fused.kernels) == 1
    random = np.random.default_rng(1)
    data = {name: random.random(37 * 13).astype(np.float32) for name in "atc"}
    assert_same(fused, LIGHT, Case(data, {"w": np.int32(37), "h": np.int32(13)}, (37, 13)), ["c"])
