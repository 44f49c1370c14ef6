"""Bytes that kernels in rows move, as the plan tells them, and as Oclgrind counts them."""

from __future__ import annotations

import pickle
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path

import numpy as np
import pytest

from casestudies.measure import parse_instruction_counts
from kfusion.api import Fused, fuse
from kfusion.device.extents import Launched
from kfusion.device.halo import Bytes
from kfusion.device.marched import bytes_in_rows
from kfusion.device.oclgrind import has_oclgrind, oclgrind, require_success, run
from kfusion.graph.model import LaunchRange, Marching
from kfusion.graph.target import TARGETS, Target
from tests.random.execution import Job, Step

ROOT = Path(__file__).parents[2]
STUDIES = "\n".join(
    (ROOT / "casestudies" / name / f"{name}.cl").read_text() for name in ("convolution", "stencil")
)
STUDIES += """
kernel void ring(global float *t, global const float *a, const int width, const int height)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    const float s = a[y * width + (x + width - 1) % width] + a[(y + 1) % height * width + x];
    t[y * width + x] = s - a[(y > 0 ? y - 1 : height - 1) * width + (x + 1) % width];
}
"""
STRIPS = replace(TARGETS["cpu"], strip=8, rows=5)  # most of what they do is halo
MARCH = Target(march=8, marchers=16)
# One, fewer than the reach, whole strips, and one more or less; beside it the range.
SIZES = ((1, 1), (2, 3), (8, 5), (9, 6), (16, 10), (23, 17), (40, 31))
CALLS = {
    "one launch": ["box(o, a, w, h)"],
    "jacobi, 2 steps": ["jacobi(t0, a, w, h)", "jacobi(o, t0, w, h)"],
    "jacobi, 4 steps": [
        *("jacobi(t0, a, w, h)", "jacobi(t1, t0, w, h)", "jacobi(t2, t1, w, h)"),
        "jacobi(o, t2, w, h)",
    ],
    "hotspot": [
        "hotspot(t0, a, b, c, c, c, c, c, w, h)",
        "hotspot(o, t0, b, c, c, c, c, c, w, h)",
    ],
    "borders stay": ["box_2d_1(t0, a, w, h)", "star_2d_2(t1, t0, w, h)", "gradient(o, t1, w, h)"],
    "ring": ["ring(t0, a, w, h)", "ring(t1, t0, w, h)", "ring(o, t1, w, h)"],
    "separable": ["row(t0, a, k, w, h)", "column(o, t0, k, w, h)"],
    "harris": [
        *("derivative_x(dx, a, w, h)", "derivative_y(dy, a, w, h)", "product(t0, dx, dx, w, h)"),
        *("product(t1, dy, dy, w, h)", "product(t2, dx, dy, w, h)", "box(xx, t0, w, h)"),
        *("box(yy, t1, w, h)", "box(xy, t2, w, h)", "response(o, xx, yy, xy, w, h)"),
    ],
    "unsharp": [
        *("blur_x(t0, a, w, h)", "blur_y(t1, t0, w, h)", "sharpen(t2, a, t1, w, h)"),
        "mask(o, a, t1, t2, w, h)",
    ],
}

MARCHING = ["jacobi, 4 steps", "hotspot", "borders stay", "unsharp", "ring"]

# In three dimensions, and a volume in which there are tiles with a frame around them.
PLANES = {
    "heat, 2 steps": (["heat_3d(t0, a, w, h, d)", "heat_3d(o, t0, w, h, d)"], (11, 19, 11)),
    "star, 3 steps": (
        [
            *("star_3d_1(t0, a, w, h, d)", "star_3d_1(t1, t0, w, h, d)"),
            "star_3d_1(o, t1, w, h, d)",
        ],
        (11, 13, 11),
    ),
    "wide star": (["star_3d_2(t0, a, w, h, d)", "star_3d_1(o, t0, w, h, d)"], (13, 15, 13)),
    "box": (["box_3d_1(t0, a, w, h, d)", "jacobi_3d(o, t0, w, h, d)"], (11, 13, 9)),
}
STRIPS_OF_PLANES = replace(STRIPS, rows=16)  # of two rows
VOLUMES = ((1, 1, 1), (2, 3, 1), (7, 5, 11))  # one, fewer than the reach, primes
# By rows that an item does.
MARCH_IN_PLANES = {2: replace(MARCH, march=16), 1: Target(march=4, marchers=12)}


def fused(calls: Sequence[str], target: Target = STRIPS, dimensions: int = 2) -> Fused:
    ranges = [LaunchRange(dimensions, "all")] * len(calls)
    target = replace(target, near=1 << 20) if len(calls) > 1 else target  # whatever it costs
    found = fuse(STUDIES, calls, ["o"], ranges=ranges, target=target, tiles=True)
    assert [group.tiles is not None for group in found.plan.groups] == [True]
    return found


def in_strips(name: str) -> Fused:
    return fused(CALLS[name]) if name in CALLS else fused(PLANES[name][0], STRIPS_OF_PLANES, 3)


def predicted(program: Fused, *size: int) -> Bytes | None:
    plan = program.plan
    scalars = dict(zip(("width", "height", "depth"), size, strict=False))
    launched = Launched(over(*size), None, scalars)
    return bytes_in_rows(plan.groups[0], plan.invocations, [launched] * len(plan.invocations))


def over(width: int, height: int, *depth: int) -> tuple[int, ...]:
    """A range that is rounded up."""
    return width + width % 2, -(-height // 4) * 4, *depth


def job_of(program: Fused, *volume: int, whole: bool = True) -> Job:
    """Not `whole`: of buffers with one byte, so that each access is told."""
    (launch,) = program.kernels
    size = over(*volume)
    given: dict[str, np.generic] = {"c": np.float32(1)}
    given |= {name: np.int32(n) for name, n in zip("whd", volume, strict=False)}
    buffers = [name for name in launch.arguments if name not in given]
    data = {n: np.ones(prod(volume) * 16 if whole else 1, np.uint8) for n in buffers}
    data |= {"k": np.ones(17 * 4, np.uint8)} if "k" in data else {}
    made, local = launch.over(size)
    assert local is not None
    arguments = (*(given.get(n, n) for n in launch.arguments), *map(np.int32, size))
    step = Step(launch.name, arguments, made, local)
    return Job(program.source, (), ((step,),), data, ())


def simulated(jobs: Sequence[Job], folder: Path, *options: str) -> str:
    (folder / "jobs").write_bytes(pickle.dumps(jobs))
    script = ["-m", "tests.random.elsewhere", f"{folder / 'jobs'}", f"{folder / 'outcomes'}"]
    # Its counters are not made for several threads: it may crash.
    command = [oclgrind(), "--num-threads", "1", *options, sys.executable, *script]
    done = run(command, {"LC_ALL": "C", "PYTHONPATH": str(ROOT)}, ROOT, 600)
    require_success(command, done)
    return done.stdout


@pytest.mark.skipif(not has_oclgrind(), reason="no oclgrind here")
@pytest.mark.parametrize("name", [*CALLS, *PLANES])
def test_loads_and_stores_that_are_executed(name: str, tmp_path: Path) -> None:
    program = in_strips(name)
    sizes: Sequence[tuple[int, ...]] = SIZES if name in CALLS else (*VOLUMES, (13, 9, 21))
    jobs = [job_of(program, *size) for size in sizes]
    # Its optimiser would remove loads.
    told = simulated(jobs, tmp_path, "--build-options", "-cl-opt-disable", "--inst-counts")
    _, *launches = re.split("^(?=Instructions executed)", told, flags=re.MULTILINE)
    counted = [parse_instruction_counts(each) for each in launches]
    found = [predicted(program, *size) for size in sizes]
    assert None not in found
    assert [(b.executed, b.stored) for b in found if b] == [(c.loaded, c.stored) for c in counted]


_LOADS, _STORES = (
    re.compile(
        rf"^Invalid {what} of size (\d+) at global memory address (\w+)\n.*\n.* (Group\(.*\))$",
        re.MULTILINE,
    )
    for what in ("read", "write")
)


def complaints(program: Fused, size: tuple[int, ...], folder: Path, *options: str) -> str:
    log, job = folder / "log", job_of(program, *size, whole=False)
    simulated([job], folder, "--max-errors", "1000000", "--log", str(log), *options)
    return log.read_text()


def bytes_of(found: Iterable[tuple[str, ...]]) -> int:
    return sum(int(size) for size, *_ in found)


@pytest.mark.skipif(not has_oclgrind(), reason="no oclgrind here")
@pytest.mark.parametrize("name", [*CALLS, "wide star"])
def test_elements_that_each_strip_loads(name: str, tmp_path: Path) -> None:
    program = in_strips(name)
    for size in ((2, 3), (23, 17)) if name in CALLS else ((2, 3, 1), (13, 9, 7)):
        found = predicted(program, *size)
        assert found is not None
        assert found.loaded == bytes_of(set(_LOADS.findall(complaints(program, size, tmp_path))))


@pytest.mark.skipif(not has_oclgrind(), reason="no oclgrind here")
@pytest.mark.parametrize("name", MARCHING)
def test_where_groups_march(name: str, tmp_path: Path) -> None:
    check_marching(fused(CALLS[name], MARCH), ((2, 3), (137, 43)), tmp_path)


@pytest.mark.skipif(not has_oclgrind(), reason="no oclgrind here")
@pytest.mark.parametrize("name", PLANES)
def test_where_groups_march_through_planes(name: str, tmp_path: Path) -> None:
    calls, volume = PLANES[name]
    rows = 2 if name.startswith("heat") else 1
    program = fused(calls, MARCH_IN_PLANES[rows], 3)
    (tiles,) = (group.tiles for group in program.plan.groups)
    assert isinstance(tiles, Marching)
    many = name == "star, 3 steps"  # else most rows would be for neighbours
    assert tiles.columns == (2 * rows if many else rows)
    check_marching(program, (*VOLUMES, volume), tmp_path)


def check_marching(program: Fused, sizes: Iterable[tuple[int, ...]], folder: Path) -> None:
    for size in sizes:
        told = complaints(program, size, folder, "--build-options", "-cl-opt-disable")
        loads, stores = _LOADS.findall(told), _STORES.findall(told)
        counted = Bytes(bytes_of(loads), bytes_of(set(loads)), bytes_of(stores))
        assert predicted(program, *size) == counted, size
