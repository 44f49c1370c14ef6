"""Random pipelines of stencils: fused on PoCL as they were launched one by one, to the bit.

`python -m tests.stencils.running SEED COUNT` tells how many fuse, and how many could.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from math import prod
from random import Random

import numpy as np
import pyopencl as cl

from kfusion.device.opencl import BuiltProgram, build_program
from kfusion.graph.model import Invocation, RegionPlan
from kfusion.graph.plan import plan_region
from kfusion.graph.target import Target
from kfusion.source.diagnostics import Reason
from kfusion.synthesis.kernel import synthesise
from kfusion.synthesis.model import FusedKernel, NotWrittenError
from tests.random.places import Launch, Truth, invocations, launches
from tests.stencils.kernels import SCALAR, WEIGHT_COUNT, WEIGHTS
from tests.stencils.pipelines import BUFFERS, Pipeline, pipeline

AT_A_TIME = 20  # pipelines in one program
EAGER = Target(near=1 << 20)  # whatever it costs to compute again
BEHIND = 8  # elements behind those of an array, which nobody touches
Made = dict[tuple[int, ...], FusedKernel]


def planned(drawn: Sequence[Pipeline], prefix: str) -> list[tuple[RegionPlan, Made]]:
    return [
        _planned(each, called, f"{prefix}{number}")
        for number, (each, called) in enumerate(zip(drawn, invocations(drawn), strict=True))
    ]


def _planned(of: Pipeline, called: list[Invocation], name: str) -> tuple[RegionPlan, Made]:
    alone: dict[str, Reason] = {}
    while True:
        plan = plan_region(called, of.out, Truth(of), EAGER, alone=alone)
        try:
            return plan, {
                group.members: synthesise(group, called, f"{name}_{group.members[0]}")
                for group in plan.groups
                if group.fused
            }
        except NotWrittenError as failed:
            alone[failed.kernel] = failed.reason


def run(built: BuiltProgram, made: Sequence[Launch], of: Pipeline) -> dict[str, bytes]:
    """What all buffers hold in the end."""
    queue = cl.CommandQueue(built.context)
    random = np.random.default_rng(1)
    scalar = np.dtype(SCALAR[of.type].replace("int", "int32").replace("float", "float32"))
    count = (prod(of.size) + BEHIND) * (4 if of.type == "float4" else 1)
    data = {name: random.random(count) * 8 - 4 for name in BUFFERS}
    data[WEIGHTS] = random.random(WEIGHT_COUNT) * 4
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    memory = {
        name: cl.Buffer(built.context, flags, hostbuf=array.astype(scalar))
        for name, array in data.items()
    }
    for name, arguments, size in made:
        kernel = cl.Kernel(built.program, name)
        for position, argument in enumerate(arguments):
            number = of.scalars.get(argument)
            kernel.set_arg(position, memory[argument] if number is None else np.int32(number))
        # In groups of several items PoCL 3.0 gets `(y + h - 2) % h` with a `size_t` y wrong.
        cl.enqueue_nd_range_kernel(queue, kernel, size, (1,) * len(size))
    found = np.empty(count, scalar)
    after = {}
    for name in BUFFERS:
        cl.enqueue_copy(queue, found, memory[name])
        after[name] = found.tobytes()
    return after


def check(seed: int, count: int = AT_A_TIME, on_pocl: int | None = None) -> Counter[str]:
    """How many pipelines fuse, and how many could become one kernel.

    Runs so many of those that fuse (None: all), and asks the judge about each.
    """
    random = Random(seed)
    drawn = [pipeline(random, f"k{number}") for number in range(count)]
    plans = planned(drawn, "fused")
    fusing = [(p, plan, made) for p, (plan, made) in zip(drawn, plans, strict=True) if made]
    texts = [_told(*each) for each in fusing]
    for text, (each, plan, _) in zip(texts, fusing, strict=True):
        kernels = [(g.members, g.stored if g.fused else None) for g in plan.groups]
        assert each.may_be(kernels), f"the judge says no\n{text}"
    built = build_program("\n".join(texts[:on_pocl])) if texts else None
    for text, (each, plan, made) in zip(texts[:on_pocl], fusing, strict=False):
        assert built is not None
        before = run(built, as_written(each), each)
        after = run(built, launches(plan, made, each), each)
        wrong = [name for name in sorted(each.observed) if before[name] != after[name]]
        assert not wrong, f"{wrong} differ\n{text}"
    return Counter(_outcome(each, plan) for each, (plan, _) in zip(drawn, plans, strict=True))


def _told(of: Pipeline, plan: RegionPlan, made: Made) -> str:
    """All kernels, and how they are launched."""
    calls = [f"// {call.name}{call.buffers} over {call.size}" for call in of.calls]
    how = f"// {of.scalars}, out={of.out}"
    return "\n".join([of.source, *(kernel.text for kernel in made.values()), *calls, how])


def as_written(of: Pipeline) -> list[Launch]:
    return [(call.name, (*call.buffers, *of.scalars), call.size) for call in of.calls]


def _outcome(of: Pipeline, plan: RegionPlan) -> str:
    if len(plan.groups) == 1:
        return "wholly"
    return ("partly" if plan.fuses else "not") + (", and legal" if of.may_be_one else "")


def main(seed: int, count: int) -> None:
    found: Counter[str] = Counter()
    for first in range(0, count, AT_A_TIME):
        found += check(seed * 1000 + first, min(AT_A_TIME, count - first))
    print(*(f"{number} {what}" for what, number in sorted(found.items())), sep="\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
