"""kfusion.fuse for users of PyOpenCL: results, diagnostics, errors, check()."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest

import kfusion
from kfusion.device.opencl import pocl_device
from kfusion.graph.model import LaunchRange
from kfusion.graph.target import target_of
from kfusion.source.diagnostics import KFusionError, render
from tests.support.kernel_side import ELEMENTWISE, fused_and_same

SCALED = (
    ELEMENTWISE
    + """
__kernel void scaled(__global float *c, __global const float *a, float k, uint n,
                     __local float *unused)
{
    size_t i = get_global_id(0);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    if (i < n) c[i] = k * a[i];
}
"""
)


def failure(calls: list[str], **options: object) -> str:
    with pytest.raises(KFusionError) as caught:
        kfusion.fuse(ELEMENTWISE, calls, **options)  # type: ignore[arg-type]
    assert caught.value.exit_code == 2
    return render(caught.value.diagnostics[0])


def test_what_comes_back() -> None:
    fused = kfusion.fuse(ELEMENTWISE, ["square(t, a);", " add( c , t,b )", "twice(c)"], ["c"])
    assert fused.source.startswith(ELEMENTWISE.rstrip("\n"))
    (launch,) = fused.kernels
    assert launch.name == "square_add_twice"
    assert launch.arguments == ("a", "b", "c")
    assert launch.calls == (0, 1, 2)
    assert fused.plan.fuses
    assert fused.diagnostics == ()


def test_unfused_kernels_stay_as_they_were() -> None:
    fused = kfusion.fuse(SCALED, ["scaled(c, a, 2.5f, n, scratch)", "square(b, c)"])
    assert fused.source == SCALED
    assert [launch.name for launch in fused.kernels] == ["scaled", "square"]
    assert fused.kernels[0].arguments == ("c", "a", "2.5f", "n", "scratch")
    assert [d.code for d in fused.diagnostics] == ["KF204", "KF401"]


def test_order_of_launches_around_a_cut() -> None:
    source = ELEMENTWISE + "__kernel void wait(__global float *a) { mem_fence(1); a[0] = 1; }\n"
    fused = kfusion.fuse(source, ["square(t, a)", "twice(t)", "wait(t)", "twice(t)", "twice(c)"])
    assert [(k.name, k.calls) for k in fused.kernels] == [
        ("square_twice", (0, 1)),
        ("wait", (2,)),
        ("twice_fused", (3, 4)),
    ]


def test_scalars_by_number_are_arguments_too() -> None:
    source = """
__kernel void shift(__global float *a, float by)
{
    a[get_global_id(0)] += by;
}
"""
    fused = fused_and_same(
        source,
        ["shift(a, 1.5f)", "shift(b, -2)", "shift(a, 1.5f)"],
        launches=1,
        scalars={"1.5f": np.float32(1.5), "-2": np.float32(-2)},
    )
    assert set(fused.kernels[0].arguments) == {"a", "b", "1.5f", "-2"}


def test_defines_as_a_mapping() -> None:
    source = "__kernel void f(__global float *a) { a[W * get_global_id(0)] = 1; }\n"
    fused = kfusion.fuse(source, ["f(a)", "f(a)"], defines={"W": 2})
    assert fused.fused[0].pins == ("W == 2",)
    assert len(kfusion.fuse(source, ["f(a)", "f(a)"]).kernels) == 2


def test_ranges_per_call() -> None:
    calls = ["square(t, a)", "square(c, t)", "square(d, c)"]
    fused = kfusion.fuse(ELEMENTWISE, calls, ranges=["whole", "whole", "half"])
    assert [launch.calls for launch in fused.kernels] == [(0, 1), (2,)]
    plane = LaunchRange(2, "plane")
    assert len(kfusion.fuse(ELEMENTWISE, calls, ranges=[plane] * 3).kernels) == 3


def test_line_ends_of_windows() -> None:
    source = ELEMENTWISE.replace("\n", "\r\n")
    fused_and_same(source, ["square(t, a)", "add(c, t, b)"], launches=1)


def test_source_without_a_newline_at_its_end() -> None:
    fused_and_same(ELEMENTWISE.rstrip(), ["square(t, a)", "add(c, t, b)"], launches=1)


# Errors


def test_unknown_kernel() -> None:
    assert (
        failure(["square(t, a)", "cube(c, t)"])
        == """\
calls:2:1: error[KF123]: no kernel is called 'cube'
    2 | cube(c, t)
      | ^~~~
  help: the kernels are: add, copy, square, twice"""
    )


def test_wrong_number_of_arguments() -> None:
    assert (
        failure(["square(t)"])
        == """\
calls:1:1: error[KF125]: square() has 2 parameters, and 1 argument is given
    1 | square(t)
      | ^~~~~~~~~
kernels.cl:6:15: square() is defined here
    6 | __kernel void square(__global float *c, __global const float *a)
      |               ^~~~~~"""
    )


@pytest.mark.parametrize("call", ["square", "square(t, a", "square(t, a) + 1", "3(t)", "", "(t)"])
def test_call_that_cannot_be_read(call: str) -> None:
    text = failure([call])
    assert "error[KF129]: this call cannot be read: expected 'kernel(argument, ...)'" in text


def test_buffer_that_is_no_name() -> None:
    assert (
        failure(["square(t, 2 * a)"])
        == """\
calls:1:1: error[KF129]: '2 * a' cannot be the argument for 'a' of type '__global const float *a': \
expected a name
    1 | square(t, 2 * a)
      | ^~~~~~~~~~~~~~~~"""
    )


@pytest.mark.parametrize(
    ("source", "calls", "message"),
    [
        (None, ["square(t, a)"], "the source is of type NoneType: expected a string"),
        (b"", ["square(t, a)"], "the source is of type bytes: expected a string"),
        (
            ELEMENTWISE + "\0",
            ["square(t, a)"],
            "the source has characters that are none: a NUL, or half of one",
        ),
        (
            ELEMENTWISE + "// \ud800",
            ["square(t, a)"],
            "the source has characters that are none: a NUL, or half of one",
        ),
        (
            ELEMENTWISE,
            "square(t, a)",
            'the calls are of type str: expected a list of strings, like ["square(t, a)"]',
        ),
        (
            ELEMENTWISE,
            None,
            'the calls are of type NoneType: expected a list of strings, like ["add(c, x, y)"]',
        ),
        (ELEMENTWISE, ["square(t, a)", 3], "call 1 is of type int: expected a string"),
    ],
)
def test_arguments_of_a_wrong_type(source: object, calls: object, message: str) -> None:
    with pytest.raises(KFusionError) as caught:
        kfusion.fuse(source, calls)  # type: ignore[arg-type]
    assert render(caught.value.diagnostics[0]) == f"error[KF129]: {message}"


def test_one_name_for_a_buffer_and_a_scalar() -> None:
    with pytest.raises(KFusionError) as caught:
        kfusion.fuse(SCALED, ["scaled(c, a, b, n, scratch)", "square(b, c)"])
    assert (
        render(caught.value.diagnostics[0])
        == """\
calls:2:1: error[KF129]: 'b' is a buffer here, and a scalar elsewhere
    2 | square(b, c)
      | ^~~~~~~~~~~~
calls:1:1: it is a scalar here
    1 | scaled(c, a, b, n, scratch)
      | ^~~~~~~~~~~~~~~~~~~~~~~~~~~
  help: give one of them another name"""
    )


def test_out_that_names_nothing() -> None:
    assert (
        failure(["square(t, a)"], out=["z"])
        == """\
error[KF127]: out names 'z', which is no buffer of these calls
  help: the buffers are: a, t"""
    )


def test_ranges_that_do_not_match_the_calls() -> None:
    text = failure(["square(t, a)"], ranges=["n", "m"])
    assert text == "error[KF129]: 2 ranges are given for 1 calls: expected one each"


def test_syntax_error_has_its_place() -> None:
    with pytest.raises(KFusionError) as caught:
        kfusion.fuse("__kernel void f(__global int *a)\n{\n    a[0] = ;\n}\n", ["f(a)"])
    assert str(caught.value).startswith("kernels.cl:3:12: error[KF104]: syntax error")


def test_no_compiler() -> None:
    with pytest.raises(KFusionError) as caught:
        kfusion.fuse(ELEMENTWISE, ["square(t, a)"], cc="no-such-compiler")
    assert caught.value.diagnostics[0].code == "KF106"


# Checks of what was assumed


@pytest.fixture(scope="module")
def context() -> cl.Context:
    return cl.Context([pocl_device()])


def buffer(context: cl.Context, size: int = 1024) -> cl.Buffer:
    return cl.Buffer(context, cl.mem_flags.READ_WRITE, size)


def test_check_of_separate_buffers(context: cl.Context) -> None:
    fused = kfusion.fuse(ELEMENTWISE, ["square(t, a)", "square(c, t)"])
    fused.check({name: buffer(context) for name in "tac"})
    fused.check({**{name: buffer(context) for name in "tac"}, "n": np.int32(3)})


def test_check_of_buffers_that_are_not_given(context: cl.Context) -> None:
    fused = kfusion.fuse(ELEMENTWISE, ["square(t, a)", "square(c, t)"])
    with pytest.raises(kfusion.CheckError, match=r"no buffer is given for '[act]'"):
        fused.check({})
    with pytest.raises(kfusion.CheckError, match="no buffer is given for 'c'"):
        fused.check({"t": buffer(context), "a": buffer(context)})


def test_check_of_one_buffer_under_two_names(context: cl.Context) -> None:
    fused = kfusion.fuse(ELEMENTWISE, ["square(t, a)", "square(c, t)"])
    shared = buffer(context)
    with pytest.raises(kfusion.CheckError, match="'a' and 't' share memory"):
        fused.check({"t": shared, "a": shared, "c": buffer(context)})


def test_check_does_not_mind_buffers_that_are_only_read(context: cl.Context) -> None:
    fused = kfusion.fuse(ELEMENTWISE, ["add(t, a, b)", "square(c, t)"])
    shared = buffer(context)
    fused.check({"t": buffer(context), "a": shared, "b": shared, "c": buffer(context)})


def test_check_of_arrays(context: cl.Context) -> None:
    queue = cl.CommandQueue(context)
    whole = cl_array.zeros(queue, 1024, np.float32)
    fused = kfusion.fuse(ELEMENTWISE, ["square(t, a)", "square(c, t)"])
    fused.check({"t": whole[:256], "a": whole[256:512], "c": whole[512:]})
    with pytest.raises(kfusion.CheckError, match="'c' and 't' share memory"):
        fused.check({"t": whole[:256], "a": whole[256:512], "c": whole[128:384]})


ROWS = """
kernel void twice(global float *c, global const float *a, int w, int pitch)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < w) c[y * pitch + x] = 2.0f * a[y * pitch + x];
}
"""


def test_check_of_rows_and_their_pitch(context: cl.Context) -> None:
    fused = kfusion.fuse(ROWS, ["twice(t, a, w, pitch)", "twice(c, t, w, pitch)"])
    assert len(fused.kernels) == 1
    given = {name: buffer(context) for name in "tac"}
    fused.check({**given, "w": np.int32(5), "pitch": np.int32(5)})
    with pytest.raises(kfusion.CheckError, match="'w' is 6, more than 'pitch', which is 5"):
        fused.check({**given, "w": 6, "pitch": 5})
    with pytest.raises(kfusion.CheckError, match="'w' is 6, more than 'pitch', which is -1"):
        fused.check({**given, "w": 6, "pitch": 2**32 - 1})  # as the kernel sees it
    with pytest.raises(kfusion.CheckError, match="no value is given for 'pitch'"):
        fused.check({**given, "w": 6})


def test_rows_and_their_pitch_in_numbers(context: cl.Context) -> None:
    given = {name: buffer(context) for name in "tac"}
    fused = kfusion.fuse(ROWS, ["twice(t, a, 8, 0x10)", "twice(c, t, 8, 0x10)"])
    assert len(fused.kernels) == 1
    fused.check(given)
    apart = kfusion.fuse(ROWS, ["twice(t, a, 8, 7)", "twice(c, t, 8, 7)"])
    assert len(apart.kernels) == 2
    some = kfusion.fuse(ROWS, ["twice(t, a, w, 7)", "twice(c, t, w, 7)"])
    some.check({**given, "w": 7})
    with pytest.raises(kfusion.CheckError, match="'w' is 8, more than '7', which is 7"):
        some.check({**given, "w": 8})


def test_check_of_ranges() -> None:
    fused = kfusion.fuse(ELEMENTWISE, ["square(t, a)", "square(c, t)"])
    fused.check(None, ranges=[(64,), (64,)])
    with pytest.raises(kfusion.CheckError, match=r"call 0 has the range \(64,\), call 1"):
        fused.check(None, ranges=[(64,), (128,)])
    fused.check(None, ranges=[((1 << 31) - (1 << 15), 1)] * 2)
    with pytest.raises(kfusion.CheckError, match=r"\(65536, 32769\): over 2147450880 items"):
        fused.check(None, ranges=[(1 << 16, (1 << 15) + 1)] * 2)


def test_check_of_ranges_that_are_given_per_call() -> None:
    """Only calls that share a kernel need one range."""
    calls = ["square(t, a)", "square(c, t)", "square(d, c)"]
    fused = kfusion.fuse(ELEMENTWISE, calls, ranges=["whole", "whole", "half"])
    fused.check(None, ranges=[64, (64,), (32,)])
    with pytest.raises(kfusion.CheckError, match=r"call 0 has the range \(64,\), call 1"):
        fused.check(None, ranges=[(64,), (64, 1), (32,)])
    with pytest.raises(kfusion.CheckError, match="2 ranges are given for 3 calls"):
        fused.check(None, ranges=[(64,), (64,)])


def test_check_of_ranges_with_more_dimensions_than_the_kernels_ask_for() -> None:
    """A row of items for each element: these kernels were fused for one item each."""
    fused = kfusion.fuse(ELEMENTWISE, ["square(t, a)", "square(c, t)"])
    fused.check(None, ranges=[(64, 1)] * 2)
    with pytest.raises(kfusion.CheckError, match=r"\(64, 4\), and was fused for 1 dimension: "):
        fused.check(None, ranges=[(64, 4)] * 2)


IN_GROUPS = """
__kernel void twice(__global float *y, __global const float *x)
{
    int i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    y[i] = 2 * x[i];
}
__kernel void next(__global float *z, __global const float *y)
{
    int i = get_global_id(0);
    z[i] = y[i] + 1;
}
"""


def test_check_of_an_offset() -> None:
    """Without one, an id is made of group and local id: so it is agreed."""
    calls = ["twice(b, a)", "next(c, b)"]
    fused = kfusion.fuse(IN_GROUPS, calls)
    assert len(fused.kernels) == 1
    for none in (None, 0, (0,), (0, 0)):
        fused.check(None, offset=none)
    with pytest.raises(kfusion.CheckError, match=r"\(4,\), and call 0 was fused for none"):
        fused.check(None, offset=4)
    given = [LaunchRange(1, "all", offset=True)] * 2
    apart = kfusion.fuse(IN_GROUPS, calls, ranges=given)
    assert len(apart.kernels) == 2
    apart.check(None, offset=4)
    together = kfusion.fuse(ELEMENTWISE, ["square(t, a)", "square(c, t)"], ranges=given)
    assert len(together.kernels) == 1
    together.check(None, [64, 64], offset=(4,))
    with pytest.raises(kfusion.CheckError, match=r"\(64,\) from \(4294967288,\): over 2147450880"):
        together.check(None, [64, 64], offset=(4294967288,))


def test_check_of_shared_virtual_memory() -> None:
    fused = kfusion.fuse(ELEMENTWISE, ["square(t, a)", "square(c, t)"])
    t, a, c = (cl.SVM(np.zeros(64, np.float32)) for _ in range(3))
    fused.check({"t": t, "a": a, "c": c})
    with pytest.raises(kfusion.CheckError, match="'a' and 't' share memory"):
        fused.check({"t": t, "a": cl.SVM(t.mem[32:]), "c": c})


def test_fusing_imports_neither_pyopencl_nor_numpy() -> None:
    script = (
        "import sys, kfusion\n"
        f"source = {ELEMENTWISE!r}\n"
        "kfusion.fuse(source, ['square(t, a)', 'square(c, t)'])\n"
        "kfusion.fuse(source, ['square(t, a)'])  # still the function, not the room\n"
        "assert not {'pyopencl', 'numpy'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_the_target_of_the_device(context: cl.Context) -> None:
    source = """
kernel void square(global float *c, global const float *a, int n)
{
    const int i = get_global_id(0);
    if (i < n) c[i] = a[i] * a[i];
}
"""
    calls = ["square(t, a, n)", "square(c, t, n)"]
    queue = cl.CommandQueue(context)
    cpu = kfusion.fuse(source, calls, target=kfusion.TARGETS["cpu"]).source
    assert cpu != kfusion.fuse(source, calls).source
    for device in (queue, context, queue.device):
        assert kfusion.fuse(source, calls, target="auto", device=device).source == cpu
    gpu = replace(kfusion.TARGETS["gpu"], local_bytes=1000)
    assert target_of(SimpleNamespace(type=4, local_mem_size=1000)) == gpu
    assert target_of(SimpleNamespace(type=8, local_mem_size=1 << 20)) == kfusion.TARGETS["any"]
    with pytest.raises(KFusionError, match="target='auto' needs one device"):
        kfusion.fuse(source, calls, target="auto")


def test_ranges_have_one_to_three_dimensions() -> None:
    for dimensions in (0, 4):
        with pytest.raises(KFusionError) as raised:
            kfusion.fuse(ELEMENTWISE, ["square(t, a)"], ranges=[LaunchRange(dimensions, "all")])
        (said,) = raised.value.diagnostics
        assert said.code == "KF129"
        assert said.message == f"a range has 1 to 3 dimensions, not {dimensions}"


def test_a_word_may_go_on_in_the_next_line() -> None:
    source = ELEMENTWISE.replace("get_global_id(0)", "get_glo\\\nbal_id(0)")
    fused_and_same(source, ["square(t, a)", "square(c, t)"], ["c"], launches=1)


def test_an_index_without_a_sign_is_named() -> None:
    source = """
kernel void twice(global float *t, global const float *x, const uint n)
{
    const size_t i = get_global_id(0);
    t[i + n] = 2.0f * x[i];
}
kernel void sum(global float *p, global const float *x, const uint n)
{
    const INDEX i = get_global_id(0);
    p[get_global_id(0)] = x[i + n];
}
"""
    calls = ["twice(t, x, n)", "sum(p, t, n)"]
    fused = kfusion.fuse(source.replace("INDEX", "uint"), calls)
    (cut, _) = fused.diagnostics
    assert cut.code == "KF201"
    assert cut.help == "'i' has no sign and may start again at 0: size_t or int would do"
    assert kfusion.fuse(source.replace("INDEX", "size_t"), calls).plan.fuses


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"target": "nvidea"}, "no target is called 'nvidea'"),
        ({"target": 4}, "the target is of type int: expected a name or a kfusion.Target"),
        ({"m": 4}, "'m' is given, and is no number of these calls"),
        ({"elements": 0}, "elements are at least one, not 0"),
        ({"elements": "4"}, "elements are at least one, not '4'"),
    ],
)
def test_devices_that_there_are_not(given: dict[str, Any], said: str) -> None:
    with pytest.raises(kfusion.KFusionError) as raised:
        kfusion.fuse(ELEMENTWISE, ["square(t, a)"], **given)
    (diagnostic,) = raised.value.diagnostics
    assert (diagnostic.code, diagnostic.message) == ("KF129", said)


def test_targets_by_name() -> None:
    calls = ["square(t, a, n)", "scale(t, k, n)"]
    by_name = kfusion.fuse(NUMBERS, calls, target="cpu").source
    assert by_name == kfusion.fuse(NUMBERS, calls, target=kfusion.TARGETS["cpu"]).source
    assert by_name != kfusion.fuse(NUMBERS, calls, target="gpu").source
    with pytest.raises(KFusionError) as raised:
        kfusion.fuse(NUMBERS, calls, target="tpu")
    assert raised.value.diagnostics[0].help == "the targets are: any, cpu, gpu, nvidia, auto"


NUMBERS = """
kernel void square(global float *c, global const float *a, int n)
{
    const int i = get_global_id(0);
    if (i < n) c[i] = a[i] * a[i];
}
kernel void scale(global float *c, float k, int n)
{
    const int i = get_global_id(0);
    if (i < n) c[i] *= k;
}
"""


def test_numbers_by_name() -> None:
    """Two names of one number are one guard."""
    calls = ["square(t, a, n)", "scale(t, 0.5f, m)"]
    fused = kfusion.fuse(NUMBERS, calls, n=60, m=60)
    assert (
        fused.plan.groups[0].loads_after < kfusion.fuse(NUMBERS, calls).plan.groups[0].loads_after
    )
    with pytest.raises(kfusion.CheckError, match="'m' is 61, and was fused for 60"):
        fused.check({"m": 61})


def test_run(context: cl.Context) -> None:
    queue = cl.CommandQueue(context)
    data = np.arange(64, dtype=np.float32)
    a, c = (cl_array.to_device(queue, values) for values in (data, np.zeros_like(data)))
    fused = kfusion.fuse(NUMBERS, ["square(c, a, n)", "scale(c, k, n)", "scale(c, 0.5f, n)"])
    assert str(fused) == "<Fused: calls 3 -> 1: square_scale>"
    fused.run(queue, 64, a=a, c=c, k=3, n=60)
    expected = np.where(np.arange(64) < 60, data * data * np.float32(3) * np.float32(0.5), 0)
    assert (c.get() == expected).all()
    fused.run(queue, (64,), 32, a=a.data, c=c.data, k=np.float32(3), n=np.int32(64)).wait()
    assert (c.get() == data * data * np.float32(1.5)).all()
    with pytest.raises(TypeError, match=r"run\(\) lacks 'k'; the calls name a, c, k, n"):
        fused.run(queue, 64, a=a, c=c, n=60)
    with pytest.raises(TypeError, match=r"run\(\) got 'x'; the calls name a, c, k, n"):
        fused.run(queue, 64, a=a, c=c, n=60, k=1, x=1)
    with pytest.raises(kfusion.CheckError, match="'a' and 'c' share memory"):
        fused.run(queue, 64, a=a, c=a, n=60, k=1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"n": 2**32 + 3}, "'n' has the type int, which 4294967299 does not fit into"),
        ({"n": np.int64(-(2**40))}, "'n' has the type int, which -1099511627776 does not fit into"),
        ({"n": 3.0}, "'n' has the type int, and is given float 3.0"),
        ({"n": np.float32(3)}, "'n' has the type int, and is given float32 np.float32(3.0)"),
        ({"n": None}, "'n' has the type int, and is given NoneType"),
        ({"k": "2"}, "'k' has the type float, and is given str '2'"),
        ({"k": np.ones(2)}, "'k' has the type float, and is given ndarray"),
        ({"a": np.ones(8)}, "'a' is memory, and is given ndarray"),
        ({"a": slice(None, None, 2)}, "'a' is an array whose elements are not side by side"),
    ],
)
def test_run_with_what_does_not_fit(given: dict[str, Any], said: str, context: cl.Context) -> None:
    queue = cl.CommandQueue(context)
    a, c = (cl_array.to_device(queue, np.arange(64, dtype=np.float32)) for _ in range(2))
    arguments: dict[str, Any] = {"a": a, "c": c, "n": 8, "k": 2.0}
    fused = kfusion.fuse(NUMBERS, ["square(c, a, n)", "scale(c, k, n)"])
    given = {n: a[v] if isinstance(v, slice) else v for n, v in given.items()}
    with pytest.raises(TypeError) as raised:
        fused.run(queue, 8, **{**arguments, **given})
    assert str(raised.value).startswith(said)
    for number in (2, np.int32(2), np.int64(2), np.float64(2)):
        fused.run(queue, 8, **{**arguments, "k": number})
        assert (c.get()[:8] == 2 * np.arange(8) ** 2).all()


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ({"out": 3}, "out is of type int: expected strings"),
        ({"out": ["c", None]}, "an entry of out is of type NoneType: expected a string"),
        ({"ranges": "all"}, "ranges is of type str: expected a list with an entry for each call"),
        (
            {"ranges": [1]},
            "an entry of ranges is of type int: expected a string or a kfusion.LaunchRange",
        ),
        ({"defines": [3]}, "an entry of defines is of type int: expected a string"),
        ({"defines": ["2 x"]}, "a define is NAME or NAME=VALUE, not '2 x'"),
        ({"patience": "long"}, "patience is of type str: expected a number of seconds"),
        (
            {"target": "auto", "device": "nvidia"},
            "device is of type str: expected a device, a queue or a context of PyOpenCL",
        ),
        ({"n": "1000"}, "n='1000' is no number"),
        ({"n": float("nan")}, "n=nan is no number"),
    ],
)
def test_options_of_a_wrong_type(option: dict[str, Any], said: str) -> None:
    source = "kernel void set(global int *c, int n) { c[get_global_id(0)] = n; }"
    with pytest.raises(kfusion.KFusionError) as caught:
        kfusion.fuse(source, ["set(c, n)"], **option)
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.message) == ("KF129", said)
