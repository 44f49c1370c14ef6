"""Run a pipeline fused and unfused: on PoCL for the bits, under Oclgrind for races."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from kfusion.api import Fused
from kfusion.device.opencl import pocl_device
from tests.random.execution import Array, Job, Local, Outcome, Step, execute
from tests.random.frames import LENGTH
from tests.random.model import Call, Pipeline
from tests.random.pipelines import BUFFERS

ROOT = Path(__file__).parents[2]


_NOT_RUN = "clCreateKernel failed: INVALID_KERNEL_NAME"  # of Oclgrind, for no other reason


class JobError(Exception):
    """The process that ran the jobs did not come to an end of its own."""


def job_of(pipeline: Pipeline, done: Fused) -> Job:
    """The original kernels are part of the fused program: one build serves both."""
    assert pipeline.source.removesuffix(pipeline.tail) in done.source
    steps: list[Step] = []
    for launch in done.kernels:
        calls = [pipeline.calls[index] for index in launch.calls]
        absent = bool(pipeline.options) and len(calls) > 1
        otherwise = tuple(_step(pipeline, c.kernel.name, c.arguments, c) for c in calls)
        by_index = {each.index: each.kernel for each in done.plan.invocations}
        needed = [i for i in launch.calls if by_index[i].required_size is not None]
        as_call = pipeline.calls[(needed or launch.calls)[0]]  # that has groups as one needs them
        step = _step(pipeline, launch.name, launch.arguments, as_call, otherwise if absent else ())
        if launch.elements > 1 or launch.tiles:
            size, local = launch.over(step.size, step.local)
            assert local is not None
            whole = [np.int32(n) if launch.tiles else np.uint64(n) for n in step.size]
            step = replace(step, arguments=(*step.arguments, *whole), size=size, local=local)
        steps.append(step)
    originals = tuple(_step(pipeline, c.kernel.name, c.arguments, c) for c in pipeline.calls)
    return Job(
        done.source,
        pipeline.options,
        (originals, tuple(steps)),
        _data(pipeline),
        pipeline.observed,
        any(call.kernel.prints for call in pipeline.calls),
    )


def difference(pipeline: Pipeline, done: Fused) -> str | None:
    """What the fused program leaves otherwise than the original one, on PoCL."""
    job = job_of(pipeline, done)
    return _differing(job, *execute(job, pocl_device()))


def _differing(job: Job, before: Outcome, after: Outcome) -> str | None:
    if before.printed != after.printed:
        return f"printed {after.printed!r} instead of {before.printed!r}"
    names = [n for n in job.observed if before.memory[n] != after.memory[n]]
    return f"{', '.join(names)} differ" if names else None


def simulated(jobs: Sequence[Job]) -> list[str | None]:
    """What Oclgrind complains of in each job, or how its two runs differ; None: nothing.

    It cannot run all that LLVM makes of `restrict` in functions: such jobs are run on PoCL.
    """
    found = elsewhere(jobs, "oclgrind", "--data-races")
    again = [n for n, complaint in enumerate(found) if complaint and _NOT_RUN in complaint]
    for n, complaint in zip(again, elsewhere([jobs[n] for n in again]), strict=True):
        found[n] = complaint
    return found


def elsewhere(jobs: Sequence[Job], *under: str, timeout: float = 600) -> list[str | None]:
    """Judge the jobs in a process of their own, which may crash or never end."""
    if not jobs:
        return []
    with tempfile.TemporaryDirectory(prefix="kfusion-") as scratch:
        path, results = Path(scratch) / "jobs.pickle", Path(scratch) / "outcomes.pickle"
        path.write_bytes(pickle.dumps(jobs))
        script = [sys.executable, "-m", "tests.random.elsewhere", str(path), str(results)]
        done = subprocess.run(
            [*under, *script],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
        )
        if done.returncode:
            raise JobError(f"exit status {done.returncode}: {done.stderr[-2000:]}")
        outcomes: list[list[Outcome] | str] = pickle.loads(results.read_bytes())
    where = "Oclgrind" if under else "Portable Computing Language"
    logs = re.split(rf"^job \d+ on {where}$", done.stderr, flags=re.MULTILINE)[1:]
    return [
        _complaint(job, log.strip() if under else "", outcome)
        for log, job, outcome in zip(logs, jobs, outcomes, strict=True)
    ]


def _complaint(job: Job, log: str, outcome: list[Outcome] | str) -> str | None:
    if isinstance(outcome, str):
        return f"cannot be built or launched: {outcome}"
    return log or _differing(job, *outcome)


def told(pipeline: Pipeline, done: Fused) -> str:
    """All that is needed to see a failure again."""
    calls = "\n".join(f"  {call.text} over {call.shape}" for call in pipeline.calls)
    how = f"out={pipeline.out} -D {pipeline.defines}, built with {pipeline.options}"
    return f"{calls}\n{how}\n{done.source}"


def _step(
    pipeline: Pipeline,
    kernel: str,
    arguments: Sequence[str],
    call: Call,
    otherwise: tuple[Step, ...] = (),
) -> Step:
    values = tuple(_argument(pipeline, text) for text in arguments)
    shape = call.shape
    return Step(kernel, values, shape.size, shape.local, shape.offset, otherwise)


def _argument(pipeline: Pipeline, text: str) -> str | np.generic | Local:
    if text == "tile":
        return Local(4 * 64)
    if text not in pipeline.scalars:
        return text
    value = pipeline.scalars[text]
    # The same bits, whether the parameter has a sign or not.
    return np.float32(value) if isinstance(value, float) else np.uint32(value & 0xFFFFFFFF)


def _data(pipeline: Pipeline) -> dict[str, Array]:
    random = np.random.default_rng(pipeline.seed)
    found: dict[str, Array] = {}
    for name, type_ in BUFFERS.items():
        scale = {"float": 2, "int": 9, "uchar": 200}[type_]
        kind = {"float": np.float32, "int": np.int32, "uchar": np.uint8}[type_]
        found[name] = (random.random(LENGTH) * scale).astype(kind)
    if any("image" in call.arguments for call in pipeline.calls):
        found["image"] = random.random((LENGTH, 4)).astype(np.float32)
    return found
