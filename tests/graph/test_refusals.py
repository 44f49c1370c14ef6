"""What is not fused, by exact message."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from kfusion.api import fuse
from kfusion.graph.model import (
    AtMost,
    Disjoint,
    Equal,
    Invocation,
    LaunchRange,
    Memory,
    Oracle,
    RegionPlan,
    Scalar,
    Within,
)
from kfusion.graph.plan import plan_region
from kfusion.graph.target import TARGETS, Target
from kfusion.kernel.model import Kernel
from kfusion.source.diagnostics import Reason, render
from tests.support.kernel_side import (
    ELEMENTWISE,
    ITEMS,
    OWN_ELEMENTS,
    fused_and_same,
    kernels_of,
    refusal,
)

HEAD = "__kernel void f(__global float *c, __global const float *a)\n"


def other(body: str, head: str = HEAD) -> str:
    return f"{ELEMENTWISE}{head}{{\n    size_t i = get_global_id(0);\n    {body}\n}}\n"


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        (
            "c[i] = a[i + 1];",
            "KF201",
            (
                "'a[i + 1]' in f() reads elements of 't' that neighbouring items of square() "
                "write as 'c[i]'"
            ),
        ),
        (
            "c[i] = a[get_global_size(0) - 1 - i];",
            "KF201",
            (
                "'a[get_global_size(0) - 1 - i]' in f() reads elements of 't' that other items "
                "of square() write as 'c[i]'"
            ),
        ),
        (
            "for (int j = 0; j < 4; j++) c[i] = a[j];",
            "KF201",
            "'a[j]' in f() reads elements of 't' that other items of square() write as 'c[i]'",
        ),
        (
            "c[i] = a[(int)a[i]];",
            "KF203",
            "the index of 'a[(int)a[i]]' in f() is not understood, and square() writes 't' too",
        ),
        (
            "if (i > 3) return; __local float l[4]; l[0] = 1; c[i] = a[i];",
            "KF204",
            "f() has local memory: 'l'",
        ),
        (
            "if (i > 3) return; c[i] = a[i]; barrier(CLK_GLOBAL_MEM_FENCE);",
            "KF204",
            "f() has a barrier: 'barrier()'",
        ),
        (
            "atomic_fetch_add(c + i, a[i]);",
            "KF205",
            "f() has an atomic operation: 'atomic_fetch_add()'",
        ),
        (
            'printf("%f", a[i]); c[i] = a[i];',
            "KF222",
            "f() has printf: 'printf()'",
        ),
        (
            "c[i] = strange(a[i]);",
            "KF217",
            "f() has a function that is not known: 'strange()'",
        ),
        (
            "c[i] = a[i] + last; float last = 1;",
            "KF244",
            "f() has a name that is not declared: 'last'",
        ),
        (
            "c[i] = 1; if (a[i] > 0) goto end; c[i] = 2; end: return;",
            "KF219",
            "f() has control flow that cannot be moved: 'goto'",
        ),
    ],
    ids=[
        "neighbour",
        "reversed",
        "all-items",
        "unknown-index",
        "local-memory",
        "barrier",
        "atomic",
        "printf",
        "unknown-call",
        "unknown-name",
        "goto",
    ],
)
def test_kernel_after_square(body: str, code: str, message: str) -> None:
    cut = refusal(other(body), ["square(t, x)", "f(c, t)"])
    assert (cut.code, cut.message) == (code, message)


def test_reason_is_drawn_with_both_places() -> None:
    cut = refusal(other("c[i] = a[i + 1];"), ["square(t, x)", "f(c, t)"])
    assert (
        render(cut)
        == """\
kernels.cl:24:12: cut[KF201]: 'a[i + 1]' in f() reads elements of 't' that neighbouring items of \
square() write as 'c[i]'
   24 |     c[i] = a[i + 1];
      |            ^~~~~~~~
kernels.cl:9:5: square() writes it here
    9 |     c[i] = a[i] * a[i];
      |     ^~~~
  help: in one kernel items wait only for those of their own group: such calls stay apart"""
    )


def test_write_after_read_of_neighbours() -> None:
    """Ping-pong: in one kernel this would be a stencil in place."""
    cut = refusal(other("c[i] = a[i + 1];"), ["f(t, x)", "square(x, t)"])
    assert cut.message == (
        "'c[i]' in square() writes elements of 'x' that neighbouring items of f() read as "
        "'a[i + 1]'"
    )


def test_write_after_write() -> None:
    cut = refusal(other("c[i + 1] = a[i];"), ["f(t, x)", "square(t, x)"])
    assert cut.message == (
        "'c[i]' in square() writes elements of 't' that neighbouring items of f() write as "
        "'c[i + 1]'"
    )


def test_one_item_writes_and_all_read() -> None:
    cut = refusal(other("if (i == 0) c[0] = a[i];"), ["f(t, x)", "square(y, t)"])
    assert cut.code == "KF218"
    assert cut.message == (
        "'a[i]' in square() reads an element of 't' that 'c[0]' in f() writes: one item writes it, "
        "the others need it"
    )


def test_images() -> None:
    source = (
        ELEMENTWISE
        + """
__kernel void paint(__read_write image2d_t out, __global const float *a)
{
    write_imagef(out, (int2)(get_global_id(0), 0), (float4)(a[get_global_id(0)]));
}
"""
    )
    cut = refusal(source, ["square(t, x)", "paint(picture, t)"])
    assert (cut.code, cut.message) == ("KF206", "paint() has an image or a sampler: 'out'")


def test_required_sizes() -> None:
    head = "__attribute__((reqd_work_group_size(64, 1, 1)))\n" + HEAD
    twice = other("c[i] = a[i];", head)
    other_size = twice.replace("64", "32").replace(" f(", " g(").split("__attribute__")[-1]
    cut = refusal(f"{twice}\n__attribute__{other_size}", ["f(t, x)", "g(c, t)"])
    assert (cut.code, cut.message) == (
        "KF221",
        "the required work-group sizes differ: f() requires 64, 1, 1, g() requires 32, 1, 1",
    )
    for calls in (["f(t, x)", "f(c, t)"], ["f(t, x)", "square(c, t)"], ["square(t, x)", "f(c, t)"]):
        (fused,) = fuse(twice, calls).fused
        assert "reqd_work_group_size(64, 1, 1)" in fused.text


@pytest.mark.parametrize(
    "pragma",
    [
        "#pragma clang fp reassociate(on)",
        "#pragma float_control(precise, off)",
        "#pragma STDC FENV_ACCESS ON",
        "#pragma unknown",
    ],
)
def test_pragma_that_belongs_to_the_body(pragma: str) -> None:
    source = other(f"c[i] = a[i];\n{pragma}\nc[i] += 1;")
    cut = refusal(source, ["square(t, x)", "f(c, t)"])
    assert (cut.code, cut.message) == (
        "KF216",
        f"'{pragma}' in f() would not stand alike in a fused kernel",
    )


@pytest.mark.parametrize(
    "pragma", ["#pragma clang fp reassociate(on)", "#pragma float_control(precise, off)"]
)
def test_pragma_between_two_kernels(pragma: str) -> None:
    source = other("c[i] = a[i];", f"{pragma}\n{HEAD}")
    cut = refusal(source, ["square(t, x)", "f(c, t)"])
    assert cut.code == "KF216"
    assert cut.message == (
        f"'{pragma}' stands behind square(), and in front of the end of the file, where a fused "
        "kernel would stand"
    )
    assert len(fuse(source, ["f(t, x)", "f(c, t)"]).kernels) == 1


@pytest.mark.parametrize("pragma", ["unroll", "unroll 2", "nounroll", "clang loop unroll(full)"])
def test_pragma_of_a_loop_goes_with_it(pragma: str) -> None:
    source = other(f"c[i] = a[i];\n#pragma {pragma}\nfor (int k = 0; k < 4; k++) c[i] += k;")
    fused = fused_and_same(source, ["square(t, x)", "f(c, t)"], launches=1)
    assert f"    #pragma {pragma}\n    for (" in fused.fused[0].text


def test_extension_that_is_disabled_again() -> None:
    source = """\
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void f(__global double *c) { c[get_global_id(0)] *= 2; }
#pragma OPENCL EXTENSION cl_khr_fp64 : disable
"""
    cut = refusal(source, ["f(a)", "f(b)"])
    assert cut.code == "KF216"
    assert cut.message == (
        "the extension cl_khr_fp64 is enabled for f(), but not at the end of the file, where a "
        "fused kernel would stand"
    )


def test_parameter_that_a_macro_assigns() -> None:
    head = "__kernel void f(__global float *c, __global const float *a, int n)\n"
    source = "#define TWICE n = n * 2\n" + other("TWICE; if (i < n) c[i] = a[i];", head)
    cut = refusal(source, ["square(t, x)", "f(c, t, n)"])
    assert (cut.code, cut.message) == (
        "KF219",
        "f() has a parameter that it assigns, and a macro names: 'n'",
    )


# What could be fused, and is not: budgets, and kernels that would move more bytes


def test_more_constant_arguments_than_devices_take() -> None:
    constants = [f"constant float *k{j}" for j in range(5)]
    source = f"""\
__kernel void f(__global float *c, {", ".join(constants)})
{{
    size_t i = get_global_id(0);
    c[i] += k0[i] + k1[i] + k2[i] + k3[i] + k4[i];
}}
"""
    calls = ["f(c, a0, a1, a2, a3, a4)", "f(c, b0, b1, b2, b3, b4)"]
    cut = fused_and_same(source, calls, launches=2).diagnostics[0]
    assert (cut.code, cut.message) == (
        "KF223",
        "the fused kernel would have 10 constant arguments; devices need take no more than 8",
    )
    fused_and_same(source, [calls[0], "f(c, a0, a1, a2, b3, b4)"], launches=1)


def test_more_bytes_of_parameters_than_devices_take() -> None:
    scalars = ", ".join(f"double16 s{j}" for j in range(4))
    source = f"""\
__kernel void f(__global double16 *c, {scalars})
{{
    c[get_global_id(0)] += s0 + s1 + s2 + s3;
}}
"""
    cut = refusal(source, ["f(c, a, b, d, e)", "f(c, g, h, i, j)"])
    assert (cut.code, cut.message) == (
        "KF223",
        "the fused kernel would have 1032 bytes of parameters; devices need take no more than 1024",
    )
    assert len(fuse(source, ["f(c, a, b, d, e)", "f(c, g, h, i, e)"]).kernels) == 1


WIDE = """\
__kernel void twice(__global float16 *c, __global const float16 *a)
{
    size_t i = get_global_id(0);
    c[i] = 2.0f * a[i];
}
__kernel void add(__global float16 *c, __global const float16 *a, __global const float16 *b)
{
    size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}
"""


def test_more_values_than_registers() -> None:
    """All fourteen must be there before the first two are added."""
    first = [f"twice(t{j}, x{j})" for j in range(14)]
    second = [f"add(c{j}, t{j}, t{13 - j})" for j in range(14)]
    fused = fuse(WIDE, first + second)
    groups = [launch.calls for launch in fused.kernels]
    assert groups == [(0, 1, 2), tuple(range(3, 27)), (27,)]
    cut = fused.diagnostics[0]
    assert (cut.code, cut.message) == (
        "KF223",
        (
            "the fused kernel would keep its values in about 272 registers; devices need have no "
            "more than 255"
        ),
    )
    wide = fuse(WIDE, first + second, target=Target(registers=272))
    assert len(wide.kernels) == 1


def test_values_that_are_no_longer_needed_take_no_registers() -> None:
    calls = [f"twice(t{j + 1}, t{j})" for j in range(40)]
    assert len(fuse(WIDE, calls, ["t40"]).kernels) == 1


def test_kernel_that_would_keep_values_from_staying_in_variables() -> None:
    """The loop of `both` may write any element: with it in the group, t is in memory."""
    source = """\
__kernel void square(__global float *c, __global const float *a)
{
    size_t i = get_global_id(0);
    c[2 * i] = a[2 * i] * a[2 * i];
}
__kernel void even(__global float *c, __global const float *a)
{
    size_t i = get_global_id(0);
    c[i] = a[2 * i];
}
__kernel void both(__global float *c)
{
    size_t i = get_global_id(0);
    for (int k = 0; k < 2; k++) c[2 * i + k] += 1.0f;
}
"""
    fused = fused_and_same(
        source, ["square(t, x)", "even(y, t)", "both(t)"], launches=2, size=(ITEMS // 2,)
    )
    assert [launch.calls for launch in fused.kernels] == [(0, 1), (2,)]
    (cut,) = fused.diagnostics
    assert (cut.code, cut.message) == (
        "KF224",
        "one kernel for these would load and store more than they do apart",
    )


# With a host that knows more, or less, than the Python API


@dataclass
class World(Oracle):
    """An oracle for tests: everything may be assumed, except what is named here."""

    equal_scalars: bool = True
    limits: tuple[str, ...] = ()
    rows: tuple[tuple[str, str], ...] = ()

    def equal(self, left: Scalar, right: Scalar) -> bool:
        return left == right or self.equal_scalars

    def numbers(self) -> bool:
        return True

    def same_range(self, left: Invocation, right: Invocation) -> Reason | None:
        return None

    def within(
        self, invocation: Invocation, dimension: int, scalar: Scalar, *, implied: bool
    ) -> bool:
        return scalar.name in self.limits

    def below(self, invocation: Invocation, dimension: int, most: int, *, implied: bool) -> bool:
        return False

    def crowded(self, invocation: Invocation, dimension: int, most: int, *, implied: bool) -> bool:
        return False

    def at_most(self, left: Scalar, right: Scalar, times: int) -> bool:
        return (left.name, right.name) in self.rows


def only_reason(plan: RegionPlan) -> Reason:
    assert [len(cut.reasons) for cut in plan.cuts] == [1]
    return plan.cuts[0].reasons[0]


def plan_of(
    calls: list[tuple[Kernel, str]],
    world: World,
    ranges: list[LaunchRange] | None = None,
    observed: frozenset[str] | None = None,
    target: Target = OWN_ELEMENTS,
) -> RegionPlan:
    """Calls are a kernel and its arguments, separated by spaces."""
    invocations = []
    for index, (kernel, written) in enumerate(calls):
        arguments = tuple(
            Memory(text, text) if p.pointer else Scalar(text, text)
            for p, text in zip(kernel.parameters, written.split(), strict=True)
        )
        dimensions = max(k.dimensions for k, _ in calls)
        range_ = ranges[index] if ranges else LaunchRange(dimensions, "all")
        label = f"{kernel.name}({', '.join(written.split())})"
        invocations.append(Invocation(index, kernel, arguments, range_, label))
    return plan_region(invocations, observed, world, target)


KERNELS = kernels_of(
    ELEMENTWISE
    + """
__kernel void bounded(__global float *c, __global const float *a, uint n)
{
    size_t i = get_global_id(0);
    if (i < n) c[i] = a[i];
}
__kernel void plane(__global float *c, __global const float *a, uint w)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    c[y * w + x] = a[y * w + x];
}
__kernel void rows(__global float *c, __global const float *a, int w, int pitch)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < w) c[y * pitch + x] = a[y * pitch + x];
}
__kernel void grouped(__global float *c, __global const float *a)
{
    size_t i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    c[i] = a[i];
}
__kernel void wait(__global float *c)
{
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    c[get_global_id(0)] = 1;
}
__kernel void of_group(__global float *c)
{
    c[get_global_id(0)] *= get_local_size(0);
}
"""
)


def test_memory_under_two_names_is_assumed_to_be_apart() -> None:
    """Nobody reads t after the group, but the z of wait() may be t."""
    calls = [(KERNELS["square"], "t x"), (KERNELS["square"], "y t"), (KERNELS["wait"], "z")]
    group = plan_of(calls, World(), observed=frozenset("yz")).groups[0]
    assert group.stored == {"y"}
    assert Disjoint("t", "x") in group.assumptions
    assert Disjoint("t", "z") in group.assumptions


def test_rows_that_are_assumed_to_end_before_the_next() -> None:
    calls = [(KERNELS["rows"], "t x w p"), (KERNELS["rows"], "y t v q")]
    plan = plan_of(calls, World(rows=(("w", "p"),)), observed=frozenset("y"))
    assert [a for a in plan.groups[0].assumptions if isinstance(a, AtMost)] == [
        AtMost("w", "p", "int")
    ]
    assert {Equal("w", "v"), Equal("p", "q")} <= set(plan.groups[0].assumptions)
    assert plan.groups[0].internalised == {"t"}


def test_rows_that_may_overlap() -> None:
    calls = [(KERNELS["rows"], "t x w p"), (KERNELS["rows"], "y t w p")]
    reason = only_reason(plan_of(calls, World()))
    assert reason.code == "KF201"
    assert reason.message == (
        "'a[y * pitch + x]' in rows() may read elements of 't' that other items of rows() write as "
        "'c[y * pitch + x]': it is not known that 'x < pitch' in rows()"
    )


def test_equal_scalars_are_assumed_for_guards() -> None:
    calls = [(KERNELS["bounded"], "t x n"), (KERNELS["bounded"], "y t m")]
    plan = plan_of(calls, World(), observed=frozenset("y"))
    assert Equal("n", "m") in plan.groups[0].assumptions
    assert plan.groups[0].internalised == {"t"}
    apart = plan_of(calls, World(equal_scalars=False), observed=frozenset("y"))
    assert apart.groups[0].fused
    assert not apart.groups[0].internalised


def test_range_within_a_scalar_is_assumed() -> None:
    calls = [(KERNELS["plane"], "t x w"), (KERNELS["plane"], "y t w")]
    plan = plan_of(calls, World(limits=("w",)))
    assert Within(0, 0, "w") in plan.groups[0].assumptions
    assert only_reason(plan_of(calls, World())).code == "KF201"


def test_range_of_more_dimensions_than_the_index() -> None:
    calls = [(KERNELS["square"], "t x"), (KERNELS["square"], "y t")]
    two = [LaunchRange(2, "all")] * 2
    assert only_reason(plan_of(calls, World(), two)).code == "KF201"


def test_ranges_of_different_dimensions() -> None:
    calls = [(KERNELS["square"], "t x"), (KERNELS["square"], "y t")]
    plan = plan_of(calls, World(), [LaunchRange(1, "a"), LaunchRange(2, "a")])
    reason = only_reason(plan)
    assert (reason.code, reason.message) == (
        "KF202",
        "square() is launched in 1 dimension, square() in 2",
    )


def test_group_arithmetic_in_groups_that_are_not_full() -> None:
    calls = [(KERNELS["grouped"], "t x"), (KERNELS["square"], "y t")]
    ranges = [LaunchRange(1, "all", "64", uniform=False)] * 2
    assert plan_of(calls, World(), ranges).cuts
    assert not plan_of(calls, World()).cuts


def test_group_arithmetic_lacks_the_offset() -> None:
    calls = [(KERNELS["grouped"], "t x"), (KERNELS["square"], "y t")]
    ranges = [LaunchRange(1, "all", "64", offset=True)] * 2
    assert only_reason(plan_of(calls, World(), ranges)).code == "KF201"


def test_local_sizes_that_matter() -> None:
    calls = [(KERNELS["square"], "t x"), (KERNELS["of_group"], "t")]
    plan = plan_of(calls, World(), [LaunchRange(1, "a", "64"), LaunchRange(1, "a", "128")])
    reason = only_reason(plan)
    assert (reason.code, reason.message) == (
        "KF202",
        "the local sizes may differ, and of_group() depends on its own",
    )
    same = [LaunchRange(1, "a", "64")] * 2
    assert not plan_of(calls, World(), same).cuts
    # Left to the implementation, it may differ from kernel to kernel.
    assert plan_of(calls, World(), [LaunchRange(1, "a")] * 2).cuts


def test_different_programs() -> None:
    copy = kernels_of(ELEMENTWISE)
    plan = plan_of([(KERNELS["square"], "t x"), (copy["square"], "y t")], World())
    reason = only_reason(plan)
    assert (reason.code, reason.message) == (
        "KF208",
        "square() and square() are in different programs",
    )


def test_host_that_keeps_the_launches_apart() -> None:
    class Separate(World):
        def joinable(self, members: tuple[int, ...]) -> Reason | None:
            return Reason("KF212", f"something between {members[0]} and {members[-1]}")

    plan = plan_of([(KERNELS["square"], "t x"), (KERNELS["square"], "y t")], Separate())
    assert only_reason(plan) == Reason("KF212", "something between 0 and 1")


def test_too_many_parameters() -> None:
    calls = [(KERNELS["copy"], f"t{k} x{k}") for k in range(70)]
    plan = plan_of(calls, World())
    assert [len(group.members) for group in plan.groups] == [64, 6]
    assert only_reason(plan).message == (
        "the fused kernel would have 1040 bytes of parameters; devices need take no more than 1024"
    )
    plan = plan_of(calls, World(), target=TARGETS["nvidia"])
    assert len(plan.groups) == 1
