"""Whatever Python gives, `fuse` and `fusing` answer: with a result, a KFusionError, a TypeError."""

from __future__ import annotations

import os
import random
import time
from typing import Any

import numpy as np
import pyopencl as cl
from pyopencl import array

import kfusion
from kfusion.device.opencl import pocl_device
from tests.parse.test_robustness import MUTATIONS, WORDS

TIMES = int(os.environ.get("KFUSION_TEST_TIMES", "1"))  # as many calls as `make test` tries
SECONDS = 10.0
SOURCE = """\
kernel void square(global float *y, global const float *x, const uint n)
{
    const size_t i = get_global_id(0);
    if (i < n)
        y[i] = x[i] * x[i];
}
kernel void add(global float *c, global const float *a, global const float *b, const uint n)
{
    const size_t i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}
"""
CALLS = ["square(t, a, n)", "square(u, b, n)", "add(c, t, u, n)"]
ODD: list[Any] = [None, 3, -1, 0, 2.5, float("nan"), "", "x", b"c", "c", [], ["c"], ["q"], [None]]
ODD += [{"c": 1}, ("t", "u"), object(), True, 10**30, "auto", "nvidia", ["all"] * 3, [3, "a", None]]
OPTIONS = "out ranges exact target device elements tiles patience defines n m".split()


def test_mutated_calls() -> None:
    dice = random.Random("calls")
    for _ in range(24 * TIMES):
        source: Any = SOURCE
        calls: Any = list(CALLS)
        options: dict[str, Any] = {}
        kind = dice.randrange(4)
        if kind == 0:
            calls[dice.randrange(3)] = dice.choice(MUTATIONS[:6])(dice.choice(CALLS), dice)
        elif kind == 1:
            at = dice.randrange(4)
            calls[at : at + dice.randrange(2)] = [dice.choice([*ODD, *WORDS])]
        elif kind == 2:
            source = dice.choice([*ODD, *(m(SOURCE, dice) for m in MUTATIONS[:6])])
        for _ in range(dice.randrange(3) + (kind == 3)):
            options[dice.choice(OPTIONS)] = dice.choice(ODD)
        what = repr((source, calls, options))
        begun = time.process_time()
        try:
            said = str(len(kfusion.fuse(source, calls, **options).kernels))
        except (kfusion.KFusionError, TypeError) as refusal:
            said = str(refusal)
        except Exception as failure:
            raise AssertionError(what) from failure
        assert said, what
        assert time.process_time() - begun < SECONDS, what


def test_mutated_blocks() -> None:
    dice = random.Random("blocks")
    queue = cl.CommandQueue(cl.Context([pocl_device()]))
    program = cl.Program(queue.context, SOURCE).build()
    square, add = cl.Kernel(program, "square"), cl.Kernel(program, "add")
    data = np.arange(64, dtype=np.float32)
    t, a, c = (cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, data.nbytes) for _ in range(3))
    kept = array.to_device(queue, data)
    n = np.uint32(64)
    odd = [*ODD, t, [c, a], kept, [t, kept], kept[::2], queue]
    for _ in range(8 * TIMES):
        options = {dice.choice(["out", "temp", "target", "exact"]): dice.choice(odd)}
        try:
            with kfusion.fusing(queue, **options) as region:
                square(queue, (64,), None, t, a, n)
                add(queue, (64,), None, c, t, a, n)
            said = str(region)
        except (kfusion.KFusionError, TypeError) as refusal:
            said = str(refusal)
        except Exception as failure:
            raise AssertionError(repr(options)) from failure
        assert said, options
