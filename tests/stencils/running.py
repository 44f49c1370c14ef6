"""Random pipelines of stencils: fused on PoCL as they were launched one by one, to the bit.

`python -m tests.stencils.running SEED COUNT [strips|march]` tells how many fuse, or could.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import gcd, prod
from random import Random

import numpy as np

from kfusion.device.opencl import pocl_device
from kfusion.graph.model import Invocation, RegionPlan
from kfusion.graph.plan import plan_region
from kfusion.graph.target import Target
from kfusion.source.diagnostics import Reason
from kfusion.synthesis.kernel import synthesise
from kfusion.synthesis.model import FusedKernel, NotWrittenError
from tests.random.execution import Job, Step, execute
from tests.random.places import Launch, invocations, launches, truth
from tests.random.running import simulated
from tests.stencils.kernels import SCALAR, WEIGHT_COUNT, WEIGHTS
from tests.stencils.pipelines import BUFFERS, Pipeline, pipeline

AT_A_TIME = 20  # pipelines in one program
EAGER = Target(near=1 << 20)  # whatever it costs to compute again
STRIPS = Target(near=1 << 20, strip=4, rows=3)
MARCH = Target(near=1 << 20, march=4, marchers=6)
IN_PLANES = replace(MARCH, march=16, marchers=32)  # two rows of floats
Made = dict[tuple[int, ...], FusedKernel]


def planned(
    drawn: Sequence[Pipeline], prefix: str, target: Target
) -> list[tuple[RegionPlan, Made]]:
    return [
        _planned(each, called, f"{prefix}{number}", target)
        for number, (each, called) in enumerate(zip(drawn, invocations(drawn), strict=True))
    ]


def _planned(
    of: Pipeline, called: list[Invocation], name: str, target: Target
) -> tuple[RegionPlan, Made]:
    if target.march and len(of.size) > 2:
        target = IN_PLANES
    alone: dict[str, Reason] = {}
    taken: set[str] = set()
    while True:
        plan = plan_region(called, of.out, truth(of), target, alone=alone)
        try:
            made: Made = {}
            for group in (group for group in plan.groups if group.fused):
                taken.update(name for kernel in made.values() for name in kernel.functions)
                made[group.members] = synthesise(
                    group, called, f"{name}_{group.members[0]}", taken=taken
                )
            return plan, made
        except NotWrittenError as failed:
            alone[failed.kernel] = failed.reason


def job_of(of: Pipeline, plan: RegionPlan, made: Made, most: Sequence[int] = (8, 4, 2)) -> Job:
    """`most`: items of groups, where the kernel lets us choose."""
    random = np.random.default_rng(1)
    scalar = np.dtype(SCALAR[of.type].replace("int", "int32").replace("float", "float32"))
    count = prod(of.size) * (4 if of.type == "float4" else 1)
    data = {name: (random.random(count) * 8 - 4).astype(scalar) for name in BUFFERS}
    data[WEIGHTS] = (random.random(WEIGHT_COUNT) * 4).astype(scalar)
    as_written: list[Launch] = [
        (call.name, (*call.buffers, *of.scalars), call.size, None) for call in of.calls
    ]
    runs = tuple(
        tuple(_step(launch, of, most) for launch in each)
        for each in (as_written, launches(plan, made, of))
    )
    return Job(_told(of, plan, made), (), runs, data, tuple(sorted(of.observed)))


def _step(launch: Launch, of: Pipeline, most: Sequence[int]) -> Step:
    name, arguments, size, local = launch
    given = [of.scalars.get(a, a) if isinstance(a, str) else a for a in arguments]
    values = tuple(np.int32(a) if isinstance(a, int) else a for a in given)
    return Step(name, values, size, local or tuple(map(gcd, size, most)))


def check(
    seed: int, count: int = AT_A_TIME, on_pocl: int | None = None, target: Target = EAGER
) -> Counter[str]:
    """How many pipelines fuse, and how many could become one kernel.

    Each that fuses is shown to the judge, and run under Oclgrind, which sees races, and reads
    behind an array; so many are also run on PoCL (None: all), whose compiler takes its time.
    """
    random = Random(seed)
    large = target.march > 0
    drawn = [pipeline(random, f"k{number}", large=large) for number in range(count)]
    plans = planned(drawn, "fused", target)
    fusing = [(p, plan, made) for p, (plan, made) in zip(drawn, plans, strict=True) if made]
    jobs = [job_of(*each) for each in fusing]
    for job, (each, plan, _) in zip(jobs, fusing, strict=True):
        kernels = [(g.members, g.stored if g.fused else None) for g in plan.groups]
        assert each.may_be(kernels), f"the judge says no\n{job.source}"
    # In groups of several items PoCL 3.0 gets `(y + h - 2) % h` with a `size_t` y wrong.
    for job in (job_of(*each, most=(1, 1, 1)) for each in fusing[:on_pocl]):
        before, after = execute(job, pocl_device())
        assert before == after, job.source
    for job, complaint in zip(jobs, simulated(jobs), strict=True):
        assert complaint is None, f"{complaint}\n{job.source}"
    found = Counter(_outcome(each, plan) for each, (plan, _) in zip(drawn, plans, strict=True))
    tiles = [group.tiles for plan, _ in plans for group in plan.groups if group.tiles]
    found["in rows"] = len(tiles)
    found["in planes"] = sum(len(each.items) == 3 for each in tiles)
    return found


def _told(of: Pipeline, plan: RegionPlan, made: Made) -> str:
    """All kernels, and how they are launched."""
    calls = [f"// {call.name}{call.buffers} over {call.size}" for call in of.calls]
    how = f"// {of.scalars}, out={of.out}"
    return "\n".join([of.source, *(kernel.text for kernel in made.values()), *calls, how])


def _outcome(of: Pipeline, plan: RegionPlan) -> str:
    if len(plan.groups) == 1:
        return "wholly"
    return ("partly" if plan.fuses else "not") + (", and legal" if of.may_be_one else "")


def main(seed: int, count: int, target: Target) -> None:
    found: Counter[str] = Counter()
    for first in range(0, count, AT_A_TIME):
        found += check(seed * 1000 + first, min(AT_A_TIME, count - first), target=target)
    print(*(f"{number} {what}" for what, number in sorted(found.items())), sep="\n")


if __name__ == "__main__":
    shapes = {"strips": STRIPS, "march": MARCH}
    main(int(sys.argv[1]), int(sys.argv[2]), shapes[sys.argv[3]] if sys.argv[3:] else EAGER)
