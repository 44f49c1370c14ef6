"""Run the kernels of a case that has no host: fused and unfused, by the Python API, on PoCL."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kfusion.api import Fused, fuse
from kfusion.graph.model import LaunchRange
from kfusion.graph.target import ANY, TARGETS
from kfusion.source.diagnostics import render
from tests.support import pyopencl_run
from tests.support.case_format import Calls, Case, Run

TARGET = "--target"


def run_calls(case: Case, calls: Calls) -> tuple[Run, str, list[str]]:
    """Launches, messages, and which buffers differ."""
    (source,) = case.files.values()
    target = TARGETS[case.options[1]] if TARGET in case.options else ANY
    ranges = [_range(calls)] * len(calls.calls)
    fused = fuse(source, calls.calls, calls.out, ranges=ranges, target=target)
    launches = Run(len(calls.calls), len(fused.kernels))
    return launches, "\n".join(map(render, fused.diagnostics)), _differing(source, fused, calls)


def _range(calls: Calls) -> LaunchRange:
    group = calls.group or ()
    single = tuple(number for number, size in enumerate(group) if size == 1)
    local = ", ".join(map(str, group)) or None
    return LaunchRange(len(calls.items), "all", local=local, single=single)


def _differing(source: str, fused: Fused, calls: Calls) -> list[str]:
    names = sorted({m.name for i in fused.plan.invocations for m in i.memory})
    scalars = {name: _number(text) for name, text in calls.scalars.items()}
    given = pyopencl_run.Case(_data(calls, names), scalars, calls.items, calls.group)
    before, after = pyopencl_run.run_both(fused, source, given)
    watched = calls.out or names
    return [name for name in watched if before[name].tobytes() != after[name].tobytes()]


def _number(text: str) -> np.generic:
    if text.endswith("f"):
        return np.float32(text[:-1])
    return np.uint32(text[:-1]) if text.endswith("u") else np.int32(text)


def _data(calls: Calls, names: list[str]) -> Mapping[str, pyopencl_run.Array]:
    random = np.random.default_rng(11)
    return {
        name: random.integers(0, int(calls.integers[name]), calls.elements).astype(np.uint32)
        if name in calls.integers
        else (0.25 + random.random(calls.elements)).astype(np.float32)
        for name in names
    }
