"""sqrt(a*a + b*b) from Python: kfusion.fusing, torch.compile, cupy.fuse, those that are installed.

    python -m bench.python [--size 1000000]

Prints, for each, the lines of the computation and the time of a call that waits for its result.
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

Call = Callable[[], object]

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

    def unfused() -> None:
        launches()
        queue.finish()

    def fused() -> None:
        with kfusion.fusing(queue, out=[c]):
            launches()
        queue.finish()

    lines = _lines(launches) + len(SOURCE.strip().splitlines())
    return {"PyOpenCL, unfused": (unfused, lines), "kfusion.fusing": (fused, lines + 1)}


def torch_calls(size: int) -> dict[str, tuple[Call, int]]:
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    a, b = (torch.ones(size, device=device) for _ in range(2))

    def compute(a: Any, b: Any) -> Any:
        return torch.sqrt(a * a + b * b)

    compiled = torch.compile(compute)

    def call() -> None:
        compiled(a, b)
        if device == "cuda":
            torch.cuda.synchronize()

    return {f"torch.compile, {device}": (call, _lines(compute) + 1)}


def cupy_calls(size: int) -> dict[str, tuple[Call, int]]:
    import cupy

    a, b = (cupy.ones(size, cupy.float32) for _ in range(2))

    def compute(a: Any, b: Any) -> Any:
        return cupy.sqrt(a * a + b * b)

    fused = cupy.fuse()(compute)

    def call() -> None:
        fused(a, b)
        cupy.cuda.Stream.null.synchronize()

    return {"cupy.fuse": (call, _lines(compute) + 1)}


def _lines(function: Callable[..., object]) -> int:
    return len(inspect.getsource(function).strip().splitlines())


def _microseconds(call: Call) -> tuple[float, float]:
    """The first call, and the median of later ones."""
    start = time.perf_counter()
    call()
    first = time.perf_counter() - start
    times = []
    for _ in range(300):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return first * 1e6, statistics.median(times) * 1e6


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
        for name, (call, lines) in calls.items():
            first, later = _microseconds(call)
            print(f"{name}: {lines} lines, first call {first:.0f} us, later ones {later:.0f} us")


if __name__ == "__main__":
    main()
