"""Blocks that were seen before, but for one thing: what was kept for them must not be used."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyopencl as cl

import kfusion
from kfusion.device.opencl import pocl_device

SOURCE = """
kernel void scale(global float *c, global const float *a, float k, int n)
{ int i = get_global_id(0); if (i < n) c[i] = k * a[i]; }
kernel void plus(global float *c, global const float *a, float k, int n)
{ int i = get_global_id(0); if (i < n) c[i] = k + a[i]; }
kernel void sides(global float *c, global const float *a, int n)
{ int i = get_global_id(0); if (i < n) c[i] = a[max(i - 1, 0)] + a[min(i + 1, n - 1)]; }
kernel void add(global float *c, global const float *a, global const float *b)
{ int i = get_global_id(0); c[i] = a[i] + b[i]; }
"""
N = 128
# Where parts of a buffer begin. No launch reads neighbours of what it writes.
APART = {"a": 0, "t": N, "c": 2 * N, "d": 3 * N}
CHOICES: dict[str, list[Any]] = {
    "first": ["scale", "plus"],
    "k": [2.0, 0.5, -0.0],
    "n": [N, N // 2, N - 5],
    "m": [None, N],  # None: like n
    "size": [N, N // 2],
    "local": [None, 32],
    "offset": [None, 32],
    "out": [None, "d", "dt", "cd", "t"],
    "temp": ["", "t"],
    "places": [
        APART,
        *({**APART, name: at} for name, at in (("t", 0), ("d", 2 * N), ("c", N // 2))),
    ],
    "parts": ["", "at", "atcd"],  # of one buffer
}
Block = Mapping[str, Any]


def memory_of(context: cl.Context, block: Block, data: Any) -> dict[str, cl.Buffer]:
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    whole = cl.Buffer(
        context,
        flags,
        hostbuf=data[: N if block["parts"] == "at" and not block["places"]["t"] else None],
    )
    return {
        n: whole.get_sub_region(at * 4, N * 4)
        if n in block["parts"]
        else cl.Buffer(context, flags, hostbuf=data[at : at + N])
        for n, at in block["places"].items()
    }


def play(queue: cl.CommandQueue, kernels: dict[str, cl.Kernel], block: Block, m: Any) -> None:
    local = block["local"] and (block["local"],)
    start = block["offset"] and (block["offset"],)
    size = (block["size"] - (block["offset"] or 0),)
    numbers = np.float32(block["k"]), np.int32(block["n"])
    kernels[block["first"]](queue, size, local, m["t"], m["a"], *numbers, global_offset=start)
    kernels["sides"](
        queue, size, local, m["c"], m["t"], np.int32(block["m"] or block["n"]), global_offset=start
    )
    kernels["add"](queue, size, local, m["d"], m["c"], m["a"], global_offset=start)


def is_of(block: Block, temporary: str, name: str, element: int) -> bool:
    """Is it, or lies it in, the temporary memory?"""
    if temporary not in block["parts"] or name not in block["parts"]:
        return name == temporary
    first, here = block["places"][temporary], block["places"][name] + element
    return bool(first <= here < first + N)


def test_blocks_that_differ_in_one_thing() -> None:
    queue = cl.CommandQueue(cl.Context([pocl_device()]))
    program = cl.Program(queue.context, SOURCE).build()
    kernels = {name: cl.Kernel(program, name) for name in ("scale", "plus", "sides", "add")}
    chance, numbers = random.Random(1), np.random.default_rng(5)
    block, fewer, planned, rounds = {n: c[0] for n, c in CHOICES.items()}, 0, 0, 400
    for _ in range(rounds):
        what = chance.choice(sorted(CHOICES))
        block[what] = chance.choice(CHOICES[what])
        data = numbers.random(5 * N, dtype=np.float32)
        plain, fused = (memory_of(queue.context, block, data) for _ in range(2))
        play(queue, kernels, block, plain)
        out = None if block["out"] is None else [fused[name] for name in block["out"]]
        temp = [fused[name] for name in block["temp"] if name not in (block["out"] or "")]
        with kfusion.fusing(queue, out=out, temp=temp) as region:
            play(queue, kernels, block, fused)
        fewer, planned = fewer + (region.made < region.noted), planned + region.planned
        for name in block["out"] or "atcd":
            found = [np.empty(N, np.float32) for _ in range(2)]
            for memory, host in zip((plain, fused), found, strict=True):
                cl.enqueue_copy(queue, host, memory[name])
            read = [i for i in range(N) if not (temp and is_of(block, "t", name, i))]
            assert found[0][read].tobytes() == found[1][read].tobytes(), (block, region)
    assert fewer > rounds // 4
    assert planned < rounds // 2
