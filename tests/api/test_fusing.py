"""Blocks of kfusion.fusing: the same bits as without, fewer kernels, and what settles."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pytest

import kfusion
from kfusion.device import fusing as fusing_module
from kfusion.device.opencl import pocl_device

SOURCE = """
kernel void square(global float *x) { int i = get_global_id(0); x[i] = x[i] * x[i]; }
kernel void add(global float *c, global const float *a, global const float *b)
{
    int i = get_global_id(0);
    c[i] = a[i] + b[i];
}
kernel void scale(global float *c, global const float *a, float k, int n)
{
    int i = get_global_id(0);
    if (i < n) c[i] = k * a[i];
}
kernel void next(global float *c, global const float *a, int n)
{
    int i = get_global_id(0);
    if (i < n) c[i] = a[min(i + 1, n - 1)];
}
"""
N = 256
Data = dict[str, Any]  # arrays


@pytest.fixture(scope="module")
def context() -> cl.Context:
    return cl.Context([pocl_device()])


@pytest.fixture
def queue(context: cl.Context) -> cl.CommandQueue:
    return cl.CommandQueue(context)


@pytest.fixture
def program(context: cl.Context) -> cl.Program:
    program = cl.Program(context, SOURCE)
    program.build()
    return program


def data_of(queue: cl.CommandQueue, names: str = "xyct") -> Data:
    numbers = np.random.default_rng(3)
    return {n: cl_array.to_device(queue, numbers.random(N, dtype=np.float32)) for n in names}


def three(queue: cl.CommandQueue, program: cl.Program, d: Data) -> None:
    cl.Kernel(program, "square")(queue, (N,), None, d["x"].data)
    cl.Kernel(program, "add")(queue, (N,), None, d["t"].data, d["x"].data, d["y"].data)
    given = d["c"].data, d["t"].data, np.float32(3), np.int32(N - 5)
    cl.Kernel(program, "scale")(queue, (N,), None, *given)


def test_a_block_makes_one_kernel_with_the_same_bits(
    queue: cl.CommandQueue, program: cl.Program
) -> None:
    plain, d = data_of(queue), data_of(queue)
    three(queue, program, plain)
    with kfusion.fusing(queue) as region:
        three(queue, program, d)
    assert (region.noted, region.made, region.reasons) == (3, 1, [])
    for name, array in plain.items():
        assert (array.get() == d[name].get()).all()


def test_plans_are_kept(queue: cl.CommandQueue, program: cl.Program) -> None:
    planned = []
    for _ in range(3):
        with kfusion.fusing(queue) as region:
            three(queue, program, data_of(queue))
        planned.append(region.planned)
    assert planned[1:] == [0, 0]


def test_what_out_does_not_name_is_not_stored_unless_it_is_read_first(
    queue: cl.CommandQueue, program: cl.Program
) -> None:
    d = data_of(queue)
    before, x = d["t"].get(), d["x"].get()
    with kfusion.fusing(queue, out=[d["c"]]) as region:
        three(queue, program, d)
    assert region.made == 1
    assert (d["t"].get() == before).all()  # temporary
    assert (d["x"].get() == x * x).all()  # the program's own
    with kfusion.fusing(queue, out=d["c"], temp=[d["x"]]) as region:
        three(queue, program, d)
    assert (d["x"].get() == x * x).all()


def test_arguments_that_are_set_apart(queue: cl.CommandQueue, program: cl.Program) -> None:
    d = data_of(queue)
    x = d["x"].get()
    square, add = cl.Kernel(program, "square"), cl.Kernel(program, "add")
    with kfusion.fusing(queue) as region:
        square.set_args(d["x"].data)
        cl.enqueue_nd_range_kernel(queue, square, (N,), None)
        for number, name in enumerate("cxy"):
            add.set_arg(number, d[name].data)
        cl.enqueue_nd_range_kernel(queue, add, (N,), (64,))
    assert (region.noted, region.made) == (2, 1)
    assert (d["c"].get() == x * x + d["y"].get()).all()


def test_arrays_that_share_memory(queue: cl.CommandQueue, program: cl.Program) -> None:
    """Sub-buffers that overlap by half: noted, compared, and made as they were written."""
    results = []
    for fuses in (False, True):
        whole: Any = cl_array.to_device(queue, np.arange(4 * N, dtype=np.float32))
        low = whole.data.get_sub_region(0, 4 * N)
        high = whole.data.get_sub_region(2 * N, 4 * N)
        scale, add = cl.Kernel(program, "scale"), cl.Kernel(program, "add")
        d = data_of(queue)
        block: Any = kfusion.fusing(queue, out=[whole, d["c"]]) if fuses else nullcontext()
        with block:
            # No launch reads what it writes: its items have no order.
            scale(queue, (N,), None, low, d["x"].data, np.float32(2), np.int32(N))
            scale(queue, (N,), None, high, d["y"].data, np.float32(3), np.int32(N))
            add(queue, (N,), None, d["c"].data, low, high)
        results += [each.get() for each in (whole, d["c"])]
    for plain, fused in zip(results[:2], results[2:], strict=True):
        assert (plain == fused).all()


def test_an_exception_settles(queue: cl.CommandQueue, program: cl.Program) -> None:
    d = data_of(queue)
    x = d["x"].get()

    def fails() -> None:
        with kfusion.fusing(queue, out=[d["c"]]):
            three(queue, program, d)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert (d["t"].get() == x * x + d["y"].get()).all()


def copy_to_host(queue: cl.CommandQueue, d: Data) -> Any:
    host = np.empty(N, np.float32)
    cl.enqueue_copy(queue, host, d["c"].data)
    return host


def map_it(queue: cl.CommandQueue, d: Data) -> Any:
    mapped, _ = cl.enqueue_map_buffer(
        queue, d["c"].data, cl.map_flags.READ, 0, (N,), np.dtype(np.float32)
    )
    return mapped.copy()


def on_another_queue(queue: cl.CommandQueue, d: Data) -> Any:
    other = cl.CommandQueue(queue.context)
    cl.enqueue_barrier(other).wait()
    return 0


def through_a_copy(queue: cl.CommandQueue, d: Data) -> Any:
    cl.enqueue_copy(queue, d["y"].data, d["c"].data)
    return 0


def by_an_array_operation(queue: cl.CommandQueue, d: Data) -> Any:
    return (d["c"] + d["t"]).get()


def by_filling(queue: cl.CommandQueue, d: Data) -> Any:
    return d["t"].fill(7) is None


def by_finishing(queue: cl.CommandQueue, d: Data) -> Any:
    queue.finish()
    return 0


def by_a_handle(queue: cl.CommandQueue, d: Data) -> Any:
    return queue.int_ptr * 0


SETTLING = [
    *(copy_to_host, map_it, on_another_queue, through_a_copy, by_an_array_operation),
    *(by_filling, by_finishing, by_a_handle),
]


@pytest.mark.parametrize("operation", SETTLING)
def test_what_settles(
    queue: cl.CommandQueue,
    program: cl.Program,
    operation: Callable[[cl.CommandQueue, Data], Any],
) -> None:
    plain, d = data_of(queue), data_of(queue)
    three(queue, program, plain)
    queue.finish()
    expected = operation(queue, plain)
    with kfusion.fusing(queue) as region:
        three(queue, program, d)
        assert not region.reasons
        found = operation(queue, d)
        assert region.reasons
    assert region.made == 3
    assert np.array_equal(expected, found)
    for name, array in plain.items():
        assert (array.get() == d[name].get()).all()


def test_reading_shows_that_settling_is_needed(
    queue: cl.CommandQueue, program: cl.Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    d = data_of(queue)
    before = d["c"].get()
    monkeypatch.setattr(fusing_module, "is_on", lambda name: name != fusing_module.SETTLES)
    with kfusion.fusing(queue):
        three(queue, program, d)
        assert (d["c"].get() == before).all()
    assert (d["c"].get() != before).any()


def test_events_are_asked_for(queue: cl.CommandQueue, program: cl.Program) -> None:
    d = data_of(queue)
    square = cl.Kernel(program, "square")
    with kfusion.fusing(queue) as region:
        event = square(queue, (N,), None, d["x"].data)
        assert isinstance(event, cl.Event)
        assert not region.reasons
        event.wait()
        assert region.reasons == ["an event is asked for"]
        later = square(queue, (N,), None, d["x"].data)
        square(queue, (N,), None, d["x"].data, wait_for=[later])
        assert region.reasons[1:] == ["a launch that waits for events"]
        d["x"].get()
    cl.wait_for_events([event, later])
    assert region.made == 2


@pytest.mark.parametrize("holder", ["a module", "a tuple"])
def test_functions_that_a_program_has_kept(holder: str) -> None:
    """Names of modules get the new function; for anything else blocks note nothing."""
    kept = "keep = cl.enqueue_map_buffer" if holder == "a module" else "keep = (first,)"
    script = f"""
import numpy as np, pyopencl as cl, kfusion
def get():
    return cl.enqueue_map_buffer
first = get() if {holder != "a module"} else None
{kept}
del first
queue = cl.CommandQueue(cl.create_some_context(interactive=False))
program = cl.Program(queue.context, {SOURCE!r}).build()
x = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 256)
square = cl.Kernel(program, "square")
with kfusion.fusing(queue) as region:
    square(queue, (64,), None, x)
    square(queue, (64,), None, x)
print(region.noted, keep is cl.enqueue_map_buffer)
queue.finish()  # PoCL may crash where a process ends while a kernel runs
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.stdout == ("2 True\n" if holder == "a module" else "0 False\n"), done.stderr


def test_methods_that_a_program_has_kept() -> None:
    """Of an object, from before the first block: what they do would not be seen."""
    script = f"""
import numpy as np, pyopencl as cl, kfusion
queue = cl.CommandQueue(cl.create_some_context(interactive=False))
program = cl.Program(queue.context, {SOURCE!r}).build()
own = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
x, y, c = (cl.Buffer(queue.context, own, hostbuf=np.full(64, v, np.float32)) for v in (3, 5, 0))
scale = cl.Kernel(program, "scale")
keep = scale.set_arg
for again in range(2):
    with kfusion.fusing(queue) as region:
        scale.set_args(c, x, np.float32(2), np.int32(64))
        keep(1, y)
        cl.enqueue_nd_range_kernel(queue, scale, (64,), None)
        program.square(queue, (64,), None, c)
    got = np.empty(64, np.float32)
    cl.enqueue_copy(queue, got, c)
    print(region.noted, got[0])
    keep = lambda *given: scale.set_arg(*given)
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, check=False
    )
    assert done.stdout == "0 100.0\n2 100.0\n", done.stderr


def test_kernels_that_require_a_size_of_groups(queue: cl.CommandQueue, context: cl.Context) -> None:
    required = "__attribute__((reqd_work_group_size(64, 1, 1))) kernel void square("
    program = cl.Program(context, SOURCE.replace("kernel void square(", required)).build()
    square, d = cl.Kernel(program, "square"), data_of(queue)
    expected = d["x"].get() ** 2 * d["x"].get() ** 2
    with kfusion.fusing(queue) as region:
        square(queue, (N,), (64,), d["x"].data)
        square(queue, (N,), (64,), d["x"].data)
    assert (region.noted, region.made) == (2, 1)
    assert np.array_equal(d["x"].get(), expected)


def test_importing_kfusion_does_not_import_pyopencl() -> None:
    script = "import sys, kfusion; print('pyopencl' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.stdout == "False\n"


def play(queue: cl.CommandQueue, kernels: dict[str, cl.Kernel], d: Data, seed: int) -> list[Any]:
    """Launches and, now and then, something else; what the host sees of it."""
    chance, seen = random.Random(seed), []
    for _ in range(chance.randrange(2, 9)):
        a, b, c = chance.choices("xyct", k=3)
        kind = chance.choice(["square", "add", "scale", "scale", "next", "host"])
        if kind == "square":
            kernels[kind](queue, (N,), None, d[a].data)
        elif kind == "add":
            kernels[kind](queue, (N,), (64,), d[a].data, d[b].data, d[c].data)
        elif kind == "host":
            what = chance.choice([copy_to_host, through_a_copy, by_filling, by_finishing])
            seen.append(what(queue, d))
        elif a != b:
            more = [np.float32(0.5)] if kind == "scale" else []
            n = np.int32(chance.choice([N, N // 2]))
            kernels[kind](queue, (N,), None, d[a].data, d[b].data, *more, n)
    return seen


def test_random_programs(queue: cl.CommandQueue, program: cl.Program) -> None:
    kernels = {n: cl.Kernel(program, n) for n in ("square", "add", "scale", "next")}
    fewer = 0
    for seed in range(40):
        plain, d = data_of(queue), data_of(queue)
        expected = play(queue, kernels, plain, seed)
        with kfusion.fusing(queue) as region:
            found = play(queue, kernels, d, seed)
        fewer += region.made < region.noted
        assert all(map(np.array_equal, expected, found)), seed
        for name, array in plain.items():
            assert array.get().tobytes() == d[name].get().tobytes(), (seed, region)
    assert fewer > 5


def test_what_the_host_sees_is_not_held_back(queue: cl.CommandQueue, program: cl.Program) -> None:
    host = np.arange(N, dtype=np.float32)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
    over_host = cl.Buffer(queue.context, flags, hostbuf=host)
    d = data_of(queue)
    mapped, _ = cl.enqueue_map_buffer(
        queue, d["x"].data, cl.map_flags.READ, 0, (N,), np.dtype(np.float32)
    )
    for memory in (over_host, d["x"].data):
        with kfusion.fusing(queue) as region:
            cl.Kernel(program, "square")(queue, (N,), None, memory)
        assert region.noted == 0
        assert region.reasons == ["square: the host sees the memory of 'x'"]
    mapped.base.release(queue)
    queue.finish()  # before the array is gone that kernels store into
    assert (host == np.arange(N, dtype=np.float32) ** 2).all()


def test_memory_that_shares_bytes_with_out_is_stored(
    queue: cl.CommandQueue, program: cl.Program
) -> None:
    d = data_of(queue)
    x = d["x"].get()
    half = d["t"][N // 2 :]
    with kfusion.fusing(queue, out=[d["c"], half]) as region:
        three(queue, program, d)
    assert region.made == 1
    assert (d["t"].get() == x * x + d["y"].get()).all()


def test_a_block_inside_of_another_one(queue: cl.CommandQueue, program: cl.Program) -> None:
    plain, d = data_of(queue), data_of(queue)
    three(queue, program, plain)
    three(queue, program, plain)
    with kfusion.fusing(queue) as outer:
        three(queue, program, d)
        with kfusion.fusing(queue) as inner:
            three(queue, program, d)
    assert (outer.made, inner.made) == (3, 1)
    for name, array in plain.items():
        assert (array.get() == d[name].get()).all()


def test_another_thread_that_uses_the_queue(queue: cl.CommandQueue, program: cl.Program) -> None:
    d = data_of(queue)
    seen: list[Any] = []
    with kfusion.fusing(queue) as region:
        three(queue, program, d)
        thread = Thread(target=lambda: seen.append(copy_to_host(queue, d)))
        thread.start()
        thread.join()
    assert region.made == 3
    assert (seen[0] == d["c"].get()).all()


def test_what_fusing_is_given(queue: cl.CommandQueue) -> None:
    with pytest.raises(TypeError, match=r"out= wants arrays or buffers of PyOpenCL, .* ndarray"):
        kfusion.fusing(queue, out=[np.zeros(4)])
    with pytest.raises(TypeError, match=r"wants a command queue, and is given Context"):
        kfusion.fusing(queue.context)  # type: ignore[arg-type]
    with pytest.raises(kfusion.KFusionError, match="no target is called 'tpu'"):
        kfusion.fusing(queue, target="tpu")


@pytest.mark.parametrize("made", [1, 2])  # launches: one alone is made as it was written
def test_a_program_that_is_built_again(
    queue: cl.CommandQueue, context: cl.Context, made: int
) -> None:
    times = "kernel void f(global int *x) { int i = get_global_id(0); x[i] = x[i] * M; }"
    program = cl.Program(context, times)
    for factor in (2, 7):
        program.build(f"-DM={factor}")
        x = cl_array.to_device(queue, np.ones(N, np.int32))
        with kfusion.fusing(queue, out=[x]):
            kernel: Any = cl.Kernel(program, "f")
            for _ in range(made):
                kernel(queue, (N,), None, x.data)
            del kernel  # a program with kernels cannot be built again
        assert (x.get() == factor**made).all()


def test_programs_whose_header_has_changed(
    queue: cl.CommandQueue, context: cl.Context, tmp_path: Path
) -> None:
    text = '#include "m.h"\nkernel void f(global int *x) { x[get_global_id(0)] *= M; }'
    for factor in (2, 7):
        (tmp_path / "m.h").write_text(f"#define M {factor}\n")
        program = cl.Program(context, text)
        program.build(f"-I{tmp_path}")
        x = cl_array.to_device(queue, np.ones(N, np.int32))
        with kfusion.fusing(queue, out=[x]):
            kernel: Any = cl.Kernel(program, "f")
            kernel(queue, (N,), None, x.data)
            kernel(queue, (N,), None, x.data)
        assert (x.get() == factor**2).all()


@pytest.mark.parametrize(
    "collected",
    [
        lambda event: {"square": event}.values(),
        lambda event: {event: "square"},
        lambda event: (each for each in [event]),
        lambda event: filter(None, [event]),
        lambda event: np.array([event], dtype=object),
    ],
    ids=["values", "dictionary", "generator", "filter", "array"],
)
def test_events_of_any_collection(
    queue: cl.CommandQueue, program: cl.Program, collected: Callable[[Any], Any]
) -> None:
    x = cl_array.to_device(queue, np.full(N, 3, np.float32))
    square: Any = cl.Kernel(program, "square")
    with kfusion.fusing(queue):
        event = square(queue, (N,), None, x.data)
        square(queue, (N,), None, x.data, wait_for=collected(event))
    assert (x.get() == 81).all()


SIZES = """
typedef struct { int h, w; } size;
kernel void light(global float *t, global const float *a, const size s)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < s.w && y < s.h) t[y * s.w + x] = 2.0f * a[y * s.w + x];
}
kernel void blur(global float *c, global const float *t, const size s)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= s.w || y >= s.h) return;
    c[y * s.w + x] = t[y * s.w + max(x - 1, 0)] + t[min(y + 1, s.h - 1) * s.w + x];
}
"""


def test_members_of_structures_are_compared(queue: cl.CommandQueue, context: cl.Context) -> None:
    """Each time: with the same launches, structures may differ."""
    program = cl.Program(context, SIZES).build()
    data = np.random.default_rng(3).random(40 * 8).astype(np.float32)
    found: list[int] = []
    for height in (20, 40, 20, 19):
        size: Any = np.array((height, 8), "i4,i4")[()]
        results = []
        for block in (False, True):
            flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
            a, t, c = (cl.Buffer(context, flags, hostbuf=data) for _ in range(3))
            with (
                kfusion.fusing(queue, out=[c], target="nvidia") if block else nullcontext() as seen
            ):
                cl.Kernel(program, "light")(queue, (8, 20), None, t, a, size)
                cl.Kernel(program, "blur")(queue, (8, 20), None, c, t, size)
            result = np.empty_like(data)
            cl.enqueue_copy(queue, result, c)
            results.append(result.tobytes())
        assert results[0] == results[1]
        assert seen is not None
        found.append(seen.made)
    assert found == [1, 2, 1, 1]
