"""The traps of DESIGN.md that concern kernels, by the Python API, and what is generated there.

Each program runs fused and unfused on PoCL. tests/cases has programs in C for each trap.
"""

from __future__ import annotations

import numpy as np
import pyopencl as cl
import pytest

from kfusion.api import CheckError, fuse
from kfusion.device.opencl import pocl_device
from tests.support.kernel_side import ELEMENTWISE, OWN_ELEMENTS, fused_and_same, fused_text, refusal

GUARDED = """\
__kernel void fill(__global float *t, __global const float *a, const uint n)
{
    const size_t i = get_global_id(0);
    if (i >= n)
        return;
    t[i] = a[i] + 1.0f;
}
__kernel void scale(__global float *t, __global const float *a, const uint n)
{
    const size_t i = get_global_id(0);
    if (i < n)
        t[i] = 3.0f * a[i];
}
"""
N, HALF = np.uint32(60), np.uint32(30)


# Trap 1: what is read after the region must be stored


def test_trap_01_intermediate_that_is_read_later_is_stored() -> None:
    calls = ["square(t, a)", "add(c, t, a)"]
    fused = fused_and_same(ELEMENTWISE, calls, ["t", "c"], launches=1)
    assert "t[i] = t_i;" in fused_text(fused)


def test_trap_01_intermediate_of_no_interest_is_not_stored() -> None:
    fused = fused_and_same(ELEMENTWISE, ["square(t, a)", "add(c, t, a)"], ["c"], launches=1)
    assert "t[i]" not in fused_text(fused)
    assert fused.plan.groups[0].internalised == {"t"}


def test_trap_01_partial_overwrite_leaves_the_rest_live() -> None:
    calls = ["fill(t, a, n)", "scale(t, b, half)"]
    scalars = {"n": N, "half": HALF}
    fused = fused_and_same(GUARDED, calls, ["t"], launches=1, scalars=scalars)
    assert fused.plan.groups[0].stores_after == 2


def test_trap_01_partial_overwrite_by_a_later_kernel_keeps_the_store() -> None:
    """The later kernel stands alone (another range), and overwrites only one half."""
    source = GUARDED + ELEMENTWISE
    calls = ["fill(t, a, n)", "scale(c, t, n)", "fill(t, b, half)"]
    fused = fuse(source, calls, ["c", "t"], ranges=["all", "all", "some"])
    assert fused.plan.groups[0].members == (0, 1)
    assert fused.plan.groups[0].stored == {"c", "t"}


def test_trap_01_full_overwrite_by_a_later_kernel_frees_the_store() -> None:
    """Same elements, same guard, same range, nothing read before: the store is dead."""
    source = GUARDED + '__kernel void stop(__global float *z, __global float *y) { printf(""); }\n'
    calls = ["fill(t, a, n)", "scale(c, t, n)", "stop(c, b)", "fill(t, b, n)"]
    fused = fuse(source, calls)
    assert fused.plan.groups[0].stored == {"c"}


# Trap 2: the load is forwarded, not the statement around it


def test_trap_02_forwarding_replaces_the_load_only() -> None:
    source = (
        ELEMENTWISE
        + """
__kernel void product(__global float *p, __global const float *r, float v)
{
    const size_t i = get_global_id(0);
    p[i] = r[i] * r[i] + v;
}
"""
    )
    calls = ["add(r, a, b)", "product(p, r, v)"]
    fused = fused_and_same(source, calls, ["p"], launches=1, scalars={"v": np.float32(3)})
    assert "p[i] = r_i * r_i + v;" in fused_text(fused)


# Trap 3: ranges


def test_trap_03_different_ranges_are_not_fused() -> None:
    fused = fuse(ELEMENTWISE, ["square(t, a)", "square(c, t)"], ranges=["n", "m"])
    assert len(fused.kernels) == 2
    assert fused.diagnostics[0].code == "KF202"
    assert fused.diagnostics[0].message == (
        "'square(t, a)' and 'square(c, t)' have different ranges: n and m"
    )


def test_trap_03_rounded_up_range_with_a_guard() -> None:
    calls = ["fill(t, a, n)", "scale(c, t, n)"]
    fused = fused_and_same(GUARDED, calls, ["c"], launches=1, scalars={"n": N})
    assert fused.plan.groups[0].internalised == {"t"}


def test_trap_03_a_launch_of_two_dimensions_writes_one_row_many_times() -> None:
    source = (
        ELEMENTWISE
        + """
__kernel void plane(__global float *c, __global const float *a)
{
    c[get_global_id(1) * get_global_size(0) + get_global_id(0)] = a[get_global_id(0)];
}
"""
    )
    assert refusal(source, ["square(t, a)", "plane(c, t)"]).code == "KF201"


# Trap 6: guards


def test_trap_06_guards_with_different_bounds() -> None:
    calls = ["fill(t, a, n)", "scale(c, t, half)"]
    scalars = {"n": N, "half": HALF}
    fused = fused_and_same(GUARDED, calls, ["c", "t"], launches=1, scalars=scalars)
    assert not fused.plan.groups[0].internalised


def test_trap_06_the_larger_bound_comes_second() -> None:
    """Items between the bounds find the old value of t, not the first kernel's."""
    calls = ["fill(t, a, half)", "scale(c, t, n)"]
    fused_and_same(GUARDED, calls, ["c", "t"], launches=1, scalars={"n": N, "half": HALF})


def test_trap_06_int_against_size_t_is_another_guard() -> None:
    """For a negative n one guard lets all items pass, the other none."""
    source = """\
__kernel void fill(__global float *t, __global const float *a, const int n)
{
    const size_t i = get_global_id(0);
    if (i >= n)
        return;
    t[i] = a[i] + 1.0f;
}
__kernel void scale(__global float *t, __global const float *a, const int n)
{
    const int i = get_global_id(0);
    if (i >= n)
        return;
    t[i] = 3.0f * a[i];
}
"""
    calls = ["fill(t, a, n)", "scale(c, t, n)"]
    for n in (0, 50):
        fused = fused_and_same(source, calls, ["c"], launches=1, scalars={"n": np.int32(n)})
        assert fused.plan.groups[0].internalised == {"t"}
        assert fused_text(fused).count("if (") == 1
    buffers = {name: np.zeros(1, np.float32) for name in "tac"}
    fused.check({**buffers, "n": 0})
    with pytest.raises(CheckError, match="'n' is -1, less than 0"):
        fused.check({**buffers, "n": -1})


def test_trap_06_store_under_a_condition_keeps_the_old_value() -> None:
    source = (
        ELEMENTWISE
        + """
__kernel void positive(__global float *t, __global const float *a)
{
    const size_t i = get_global_id(0);
    if (a[i] > 0.0f)
        t[i] = a[i];
}
"""
    )
    fused = fused_and_same(source, ["positive(t, a)", "square(c, t)"], ["c"], launches=1)
    assert "t[i] = a_i;" in fused_text(fused)


def test_trap_06_store_under_a_condition_does_not_overwrite() -> None:
    source = (
        ELEMENTWISE
        + """
__kernel void positive(__global float *t, __global const float *a)
{
    const size_t i = get_global_id(0);
    if (a[i] > 0.0f)
        t[i] = a[i];
}
"""
    )
    fused_and_same(source, ["square(t, b)", "positive(t, a)", "square(c, t)"], launches=1)


def test_trap_06_reader_lacks_the_bound_of_the_row() -> None:
    """`y*w + x` is another item's element where x < w does not hold."""
    source = """\
__kernel void write(__global float *t, const uint w, const uint h)
{
    const size_t x = get_global_id(0);
    const size_t y = get_global_id(1);
    if (x >= w || y >= h)
        return;
    t[y * w + x] = x;
}
__kernel void read(__global float *c, __global const float *t, const uint w, const uint h)
{
    const size_t x = get_global_id(0);
    const size_t y = get_global_id(1);
    if (y >= h)
        return;
    c[y * get_global_size(0) + x] = t[y * w + x];
}
"""
    cut = refusal(source, ["write(t, w, h)", "read(c, t, w, h)"])
    assert cut.code == "KF201"


def test_trap_06_conditional_load_stays_where_it_is() -> None:
    source = (
        ELEMENTWISE
        + """
__kernel void pick(__global float *c, __global const float *a, __global const float *t)
{
    const size_t i = get_global_id(0);
    c[i] = a[i] > 0.0f ? t[i] : 0.5f;
}
"""
    )
    fused = fused_and_same(source, ["pick(c, a, t)", "pick(d, a, t)"], launches=1)
    assert fused_text(fused).count("? t[i] : 0.5f") == 2


# Trap 7: updates


def test_trap_07_update_reads_and_writes() -> None:
    calls = ["twice(a)", "square(c, a)", "twice(a)"]
    fused = fused_and_same(ELEMENTWISE, calls, launches=1)
    group = fused.plan.groups[0]
    assert (group.loads_after, group.stores_after) == (1, 2)


def test_trap_07_several_stores_to_one_element() -> None:
    source = """\
__kernel void steps(__global float *c, __global const float *a)
{
    const size_t i = get_global_id(0);
    c[i] = a[i];
    c[i] += 1.0f;
    c[i] = c[i] * c[i];
}
"""
    fused = fused_and_same(source, ["steps(c, a)", "steps(d, c)"], launches=1)
    group = fused.plan.groups[0]
    assert (group.loads_after, group.stores_after) == (1, 2)


# Trap 8: conversions


def test_trap_08_value_is_rounded_to_the_stored_type() -> None:
    source = """\
__kernel void narrow(__global uchar *c, __global const float *a)
{
    const size_t i = get_global_id(0);
    c[i] = fabs(a[i]) * 100.0f;
}
__kernel void widen(__global float *c, __global const uchar *a)
{
    const size_t i = get_global_id(0);
    c[i] = a[i] * 0.01f;
}
"""
    fused = fused_and_same(
        source,
        ["narrow(t, a)", "widen(c, t)"],
        ["c"],
        launches=1,
        buffers={"t": np.zeros(64, np.uint8)},
    )
    assert "const uchar t_i = fabs(a[i]) * 100.0f;" in fused_text(fused)


# Trap 10: aliases


def test_trap_10_one_buffer_under_two_parameters_is_one_parameter() -> None:
    fused = fused_and_same(ELEMENTWISE, ["add(a, a, a)", "add(c, a, b)"], launches=1)
    assert fused_text(fused).count("float *a") == 1


def test_trap_10_qualifiers_are_the_weakest() -> None:
    source = """\
__kernel void add(__global float *restrict c, __global const float *restrict a)
{
    const size_t i = get_global_id(0);
    c[i] = a[i] + 1.0f;
}
"""
    text = fused_text(fused_and_same(source, ["add(t, a)", "add(a, t)"], launches=1))
    assert "restrict" not in text
    assert "const float *a" not in text


def test_trap_10_constant_memory_that_is_global_elsewhere() -> None:
    source = (
        ELEMENTWISE
        + """
__kernel void weigh(__global float *c, __constant float *w)
{
    const size_t i = get_global_id(0);
    c[i] = c[i] * w[i];
}
"""
    )
    text = fused_text(fused_and_same(source, ["square(t, w)", "weigh(t, w)"], ["t"], launches=1))
    assert "__constant" not in text


def test_trap_10_two_element_types() -> None:
    source = (
        ELEMENTWISE
        + """
__kernel void bits(__global int *c)
{
    c[get_global_id(0)] &= 0x7fffffff;
}
"""
    )
    cut = refusal(source, ["square(c, a)", "bits(c)"])
    assert (cut.code, cut.message) == (
        "KF207",
        "'c' has elements of type float in square(), and of type int in bits()",
    )


def test_trap_10_check_finds_sub_buffers_of_one_parent() -> None:
    fused = fuse(ELEMENTWISE, ["square(t, a)", "square(c, t)"])
    context = cl.Context([pocl_device()])
    parent = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4096)
    apart = {"t": parent[0:1024], "a": parent[1024:2048], "c": parent[2048:4096]}
    fused.check(apart)
    with pytest.raises(CheckError, match="'a' and 't' share memory"):
        fused.check({**apart, "a": parent[0:2048]})


def test_trap_10_check_finds_buffers_over_one_host_pointer() -> None:
    fused = fuse(ELEMENTWISE, ["square(t, a)", "square(c, t)"])
    context = cl.Context([pocl_device()])
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
    host = np.zeros(1024, np.float32)
    args = {
        "t": cl.Buffer(context, flags, hostbuf=host[:512]),
        "a": cl.Buffer(context, flags, hostbuf=host[256:]),
        "c": cl.Buffer(context, cl.mem_flags.READ_WRITE, 2048),
    }
    with pytest.raises(CheckError, match="'a' and 't' share memory"):
        fused.check(args)


# Trap 11: names


def test_trap_11_names_clash_with_locals_macros_and_functions() -> None:
    source = """\
#define total 1.5f
float c_i(float x) { return x + total; }
__kernel void first(__global float *out, __global const float *in)
{
    const size_t i = get_global_id(0);
    float x = c_i(in[i]);
    float a = x * 2.0f;
    out[i] = a;
}
__kernel void second(__global float *out, __global const float *in)
{
    const size_t id = get_global_id(0);
    float x = in[id] - 1.0f;
    for (int i = 0; i < 3; i++) {
        float c = x * i;
        x += c;
    }
    out[id] = x;
}
"""
    calls = ["first(c, total)", "second(a, c)", "first(sqrt, a)", "second(i, sqrt)"]
    fused_and_same(source, calls, launches=1)


# Trap 23: macros, build options, pragmas


def test_trap_23_macro_redefined_between_two_kernels() -> None:
    source = """\
#define FACTOR 2.0f
__kernel void f(__global float *c, __global const float *a)
{
    c[get_global_id(0)] = FACTOR * a[get_global_id(0)];
}
#undef FACTOR
#define FACTOR 3.0f
__kernel void g(__global float *c, __global const float *a)
{
    c[get_global_id(0)] = FACTOR * a[get_global_id(0)];
}
"""
    cut = refusal(source, ["f(t, a)", "g(c, t)"])
    assert cut.code == "KF216"
    assert cut.message == (
        "the macro 'FACTOR' in f() means something else at the end of the file, where a fused "
        "kernel would stand"
    )
    assert cut.span is not None
    assert cut.span.location.line == 4
    fused_and_same(source, ["g(t, a)", "g(c, t)"], launches=1)


def test_trap_23_build_options_are_pinned() -> None:
    source = """\
__kernel void row(__global float *c, __global const float *a)
{
    const size_t i = get_global_id(0);
    for (int j = 0; j < WIDTH; j++)
        c[i * WIDTH + j] = a[i * WIDTH + j] + 1.0f;
}
"""
    calls = ["row(t, a)", "row(c, t)"]
    fused = fused_and_same(source, calls, launches=1, size=(16,), defines=["WIDTH=4"])
    text = fused_text(fused)
    assert text.startswith("#if WIDTH == 4\n")
    assert text.endswith("\n#endif")
    assert fused.fused[0].pins == ("WIDTH == 4",)


def test_trap_23_condition_inside_a_kernel_is_pinned() -> None:
    source = """\
__kernel void f(__global float *c, __global const float *a)
{
    const size_t i = get_global_id(0);
#ifdef NEIGHBOUR
    c[i] = a[i ? i - 1 : i];
#else
    c[i] = a[i] * 2.0f; // own
#endif
}
"""
    fused = fused_and_same(source, ["f(t, a)", "f(c, t)"], ["c"], launches=1)
    text = fused_text(fused)
    assert text.startswith("#if !defined(NEIGHBOUR)\n")
    assert "#ifdef" not in text
    assert "NEIGHBOUR" not in text.split("\n", 1)[1]
    given = ["NEIGHBOUR"]
    other = fuse(source, ["f(t, a)", "f(c, t)"], ["c"], defines=given, target=OWN_ELEMENTS)
    assert len(other.kernels) == 2


def test_trap_23_contraction_pragma_differs() -> None:
    source = ELEMENTWISE.replace(
        "__kernel void add", "#pragma OPENCL FP_CONTRACT OFF\n__kernel void add"
    )
    fused = fused_and_same(source, ["square(t, a)", "add(c, t, a)"], launches=2)
    assert [d.message.split(",")[0] for d in fused.diagnostics if d.code == "KF216"] == [
        "FP_CONTRACT differs between square() and add()",
        "FP_CONTRACT is not set in square()",
    ]
    fused_and_same(source, ["add(t, a, b)", "add(c, t, a)"], launches=1)
