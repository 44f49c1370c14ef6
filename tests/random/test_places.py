"""Launches in frames of others: fused on PoCL as they were launched one by one, to the bit."""

from __future__ import annotations

from random import Random

import numpy as np
import pyopencl as cl
import pytest

from kfusion.device.opencl import build_program, pocl_device
from kfusion.graph.model import Placement
from kfusion.graph.plan import plan_region
from kfusion.synthesis.kernel import synthesise
from tests.random.chunks import EXAMPLES, FUZZ, START
from tests.random.places import (
    BUFFERS,
    ELEMENTS,
    Launch,
    Pipeline,
    invocations,
    launches,
    pipeline,
    truth,
)

AT_A_TIME = 30  # pipelines in one program
Buffers = dict[str, np.ndarray]


def run(context: cl.Context, program: cl.Program, made: list[Launch], of: Pipeline) -> Buffers:
    queue = cl.CommandQueue(context)
    random = np.random.default_rng(1)
    data = {name: random.random(ELEMENTS).astype(np.float32) for name in BUFFERS}
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    memory = {name: cl.Buffer(context, flags, hostbuf=array) for name, array in data.items()}
    for name, arguments, size, local in made:
        kernel = cl.Kernel(program, name)
        for position, argument in enumerate(arguments):
            value = of.scalars.get(argument, argument) if isinstance(argument, str) else argument
            kernel.set_arg(position, memory[value] if isinstance(value, str) else np.int32(value))
        cl.enqueue_nd_range_kernel(queue, kernel, size, local)
    for name, array in data.items():
        cl.enqueue_copy(queue, array, memory[name])
    return data


def check(seed: int) -> tuple[int, int]:
    """How many pipelines fuse, and how many of them in frames."""
    random = Random(seed)
    drawn = [pipeline(random, f"k{number}") for number in range(AT_A_TIME)]
    plans = []
    texts = [each.source for each in drawn]
    for number, (each, called) in enumerate(zip(drawn, invocations(drawn), strict=True)):
        plan = plan_region(called, each.out, truth(each))
        made = {
            group.members: synthesise(group, plan.invocations, f"fused{number}_{group.members[0]}")
            for group in plan.groups
            if group.fused
        }
        texts += [kernel.text for kernel in made.values()]
        plans.append((plan, made))
    built = build_program("\n".join(texts), (), device=pocl_device())
    fused = placed = 0
    for each, (plan, made) in zip(drawn, plans, strict=True):
        if not made:
            continue
        as_written: list[Launch] = [
            (call.name, (*call.buffers, *each.scalars), call.size, None) for call in each.calls
        ]
        before = run(built.context, built.program, as_written, each)
        after = run(built.context, built.program, launches(plan, made, each), each)
        for name in BUFFERS if each.out is None else sorted(each.out):
            texts = [each.source, *(kernel.text for kernel in made.values())]
            assert before[name].tobytes() == after[name].tobytes(), "\n".join([name, *texts])
        fused += 1
        placed += any(isinstance(a, Placement) for g in plan.groups for a in g.assumptions)
    return fused, placed


@pytest.mark.parametrize("chunk", range(max(EXAMPLES // AT_A_TIME, 1) if FUZZ else 3))
def test_launches_in_frames(chunk: int) -> None:
    fused, placed = check(START + chunk)
    assert fused > 0
    assert placed > 0 or FUZZ
