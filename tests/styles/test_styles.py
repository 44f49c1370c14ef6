"""Kernels in the styles of real programs: the plan of each as a file, and a run of it.

Every folder has kernels, the calls of a region, and the plan that is expected.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from kfusion.api import fuse
from kfusion.graph.model import LaunchRange
from kfusion.graph.target import TARGETS
from kfusion.report.plan import plan_table
from tests.support.pyopencl_run import Array, Case, assert_same

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Style:
    range: LaunchRange
    size: tuple[int, ...]
    local: tuple[int, ...] | None
    scalars: Mapping[str, np.generic]
    elements: int  # of each buffer
    integers: Mapping[str, int] = field(default_factory=dict)  # buffers of uint, and their limits
    out: tuple[str, ...] | None = None


STYLES = {
    "layers": Style(
        LaunchRange(2, "a grid of groups", local="16, 1", single=(1,)),
        (48, 3),
        (16, 1),
        {
            "zero": np.float32(0),
            "one": np.float32(1),
            "probability": np.float32(0.3),
            "scale": np.float32(1 / 0.7),
            "n": np.int32(139),
        },
        144,
    ),
    "batch_norm": Style(
        LaunchRange(1, "all"),
        (128,),
        None,
        {
            "channels": np.int32(4),
            "spatial": np.int32(10),
            "kind": np.int32(2),
            "n": np.int32(120),
        },
        128,
    ),
    "kinetics": Style(
        LaunchRange(1, "all"),
        (64,),
        None,
        {"dt": np.float32(0.01), "cells": np.int32(61)},
        64,
        out=tuple(f"species_{s:03}" for s in range(120)),
    ),
    "linear_solver": Style(
        LaunchRange(2, "n by n", local="8, 8"),
        (16, 16),
        (8, 8),
        {"factor": np.float32(0.875), "n": np.int32(16)},
        256,
    ),
    "statistics": Style(
        LaunchRange(1, "all", local="64"),
        (192,),
        (64,),
        {"n": np.uint32(180)},
        192,
        integers={"bin": 64, "counts": 1, "sums": 1},
    ),
}


def data(style: Style, names: list[str]) -> dict[str, Array]:
    random = np.random.default_rng(11)
    return {
        name: random.integers(0, style.integers[name], style.elements).astype(np.uint32)
        if name in style.integers
        else (0.25 + random.random(style.elements)).astype(np.float32)
        for name in names
    }


@pytest.mark.parametrize("name", sorted(STYLES))
def test_style(name: str) -> None:
    style, folder = STYLES[name], HERE / name
    source = (folder / "kernels.cl").read_text()
    calls = (folder / "calls.txt").read_text().splitlines()
    fused = fuse(source, calls, style.out, ranges=[style.range] * len(calls))
    shown = plan_table([(name, fused.plan)]) + "\n"
    if os.environ.get("KFUSION_UPDATE_GOLDEN"):
        (folder / "plan.txt").write_text(shown)
    assert shown == (folder / "plan.txt").read_text()
    names = sorted({m.name for i in fused.plan.invocations for m in i.memory})
    case = Case(data(style, names), style.scalars, style.size, style.local)
    assert_same(fused, source, case, style.out or names)


def test_kinetics_for_a_device_that_takes_more_parameters() -> None:
    folder = HERE / "kinetics"
    calls = (folder / "calls.txt").read_text().splitlines()
    source, out = (folder / "kernels.cl").read_text(), STYLES["kinetics"].out
    assert len(fuse(source, calls, out, target=TARGETS["nvidia"]).kernels) == 1


def test_flattened_groups_of_unknown_size() -> None:
    """Items with the same flat index differ in their second local id, if they have one."""
    folder = HERE / "layers"
    calls = (folder / "calls.txt").read_text().splitlines()[:2]
    ranges = [LaunchRange(2, "a grid of groups", local="16, rows")] * 2
    fused = fuse((folder / "kernels.cl").read_text(), calls, ranges=ranges)
    assert [d.code for d in fused.diagnostics] == ["KF201", "KF401"]
