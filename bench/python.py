"""sqrt(a*a + b*b) from Python: kfusion.fusing, torch.compile, cupy.fuse, those that are installed.

    python -m bench.python [--size 1000000]

Prints, for each, the lines of the computation, the time of a call that waits for its result, and
what of it is over before that wait begins: the host's own work.
"""

from __future__ import annotations

import argparse
import inspect
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

Call = tuple[Callable[[], object], Callable[[], object]]  # the work of the host, and to wait

SOURCE = """
kernel void square(global float *c, global const float *a)
{ int i = get_global_id(0); c[i] = a[i] * a[i]; }
kernel void add(global float *c, global const float *a, global const float *b)
{ int i = get_global_id(0); c[i] = a[i] + b[i]; }
kernel void root(global float *x)
{ int i = get_global_id(0); x[i] = sqrt(x[i]); }
"""


def pyopencl_calls(size: int) -> dict[str, tuple[Call, int]]:
    import pyopencl as cl
    from pyopencl import array

    import kfusion

    queue = cl.CommandQueue(cl.create_some_context(interactive=False))
    program = cl.Program(queue.context, SOURCE)
    program.build()
    square, add, root = (cl.Kernel(program, name) for name in ("square", "add", "root"))
    ones = np.ones(size, np.float32)
    memory: list[Any] = [array.to_device(queue, ones).data for _ in range(5)]
    a, b, s, t, c = memory

    def launches() -> None:
        square(queue, (size,), None, s, a)
        square(queue, (size,), None, t, b)
        add(queue, (size,), None, c, s, t)
        root(queue, (size,), None, c)

    def one() -> None:
        root(queue, (size,), None, c)

    def fused() -> None:
        with kfusion.fusing(queue, out=[c]):
            launches()

    def wait() -> None:  # (a method that is kept would be one that blocks cannot see)
        queue.finish()

    lines = _lines(launches) + len(SOURCE.strip().splitlines())
    return {
        "PyOpenCL, one launch": ((one, wait), _lines(one)),
        "PyOpenCL, unfused": ((launches, wait), lines),
        "kfusion.fusing": ((fused, wait), lines + 1),
    }


def torch_calls(size: int) -> dict[str, tuple[Call, int]]:
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    a, b = (torch.ones(size, device=device) for _ in range(2))

    def compute(a: Any, b: Any) -> Any:
        return torch.sqrt(a * a + b * b)

    compiled = torch.compile(compute)

    def wait() -> None:
        if device == "cuda":
            torch.cuda.synchronize()

    call = (lambda: compiled(a, b)), wait
    return {f"torch.compile, {device}": (call, _lines(compute) + 1)}


def cupy_calls(size: int) -> dict[str, tuple[Call, int]]:
    import cupy

    a, b = (cupy.ones(size, cupy.float32) for _ in range(2))

    def compute(a: Any, b: Any) -> Any:
        return cupy.sqrt(a * a + b * b)

    fused = cupy.fuse()(compute)

    call = (lambda: fused(a, b)), cupy.cuda.Stream.null.synchronize
    return {"cupy.fuse": (call, _lines(compute) + 1)}


def _lines(function: Callable[..., object]) -> int:
    return len(inspect.getsource(function).strip().splitlines())


def _microseconds(call: Call) -> tuple[float, float]:
    """The work of the host, and the whole call."""
    work, wait = call
    start = time.perf_counter()
    work()
    worked = time.perf_counter()
    wait()
    return (worked - start) * 1e6, (time.perf_counter() - start) * 1e6


def _report(calls: dict[str, tuple[Call, int]]) -> None:
    """The first call of each, and medians of later ones: each 50 times, then the next one."""
    first = {name: _microseconds(call) for name, (call, _) in calls.items()}
    later: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    for _ in range(20):
        for name, (call, _) in calls.items():
            later[name] += [_microseconds(call) for _ in range(50)]
    for name, (_, lines) in calls.items():
        host, whole = (statistics.median(each[i] for each in later[name]) for i in (0, 1))
        print(
            f"{name}: {lines} lines, first call {first[name][1]:.0f} us, "
            f"later ones {whole:.0f} us, of these the host {host:.0f} us"
        )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--size", type=int, default=1_000_000)
    size = options.parse_args().size
    warnings.simplefilter("ignore")
    for found in (pyopencl_calls, torch_calls, cupy_calls):
        try:
            calls = found(size)
        except ImportError as missing:
            print(f"{missing.name} is not installed")
            continue
        _report(calls)


if __name__ == "__main__":
    main()
