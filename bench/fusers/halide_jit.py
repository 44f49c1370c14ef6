"""Halide, in vectors, rows over all processors.

What reads neighbours of what another stage makes is computed in strips of rows; everything else
where it is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import halide as hl
import numpy as np

from bench.fusers.arrays import Offsets, stencil
from bench.fusers.common import HUE, Job, NotPossibleError, Timed, wall_times

HOW = "wall time of each call"
VECTOR = 8
CHUNK = 1 << 14  # elements of a vector for one task

STRIP = 64  # rows of a plane for one task
LANES = hl.get_host_target().natural_vector_size(hl.Float(32))

Planes = tuple[Any, Any, Any]
_C, _X, _Y = (hl.Var(name) for name in "cxy")


def run(job: Job) -> Timed:
    if job.dimensions == 3:
        raise NotPossibleError("no schedule was written for volumes")
    result = np.empty(job.shape(job.result_size), np.float32)
    # A plane is a picture of one channel.
    arrays = [each[..., None] if each.ndim == 2 else each for each in (*job.inputs, result)]
    *inputs, output = map(hl.Buffer, arrays)
    make = _stencil if job.is_stencil else _picture if job.is_picture else _vector
    pipeline = make(job, inputs)
    pipeline.compile_jit()
    return Timed(result, wall_times(lambda: pipeline.realize(output), job.repeats))


def _vector(job: Job, inputs: Sequence[Any]) -> Any:
    i, outer = hl.Var("i"), hl.Var("outer")
    result = hl.Func("result")
    if job.application == "pythagoras":
        a, b = inputs
        result[i] = hl.sqrt(a[i] * a[i] + b[i] * b[i])
    else:
        x1, x2, y1, y2 = inputs
        dx, dy = x1[i] - x2[i], y1[i] - y2[i]
        result[i] = hl.sqrt(dx * dx + dy * dy)
    inner = hl.Var("inner")
    result.split(i, outer, inner, CHUNK, hl.TailStrategy.GuardWithIf)
    result.parallel(outer).vectorize(inner, 2 * VECTOR)
    return result


def _picture(job: Job, inputs: Sequence[Any]) -> Any:
    """NumPy's last axis is Halide's first: the channel c, then x, then y."""
    c, x, y = hl.Var("c"), hl.Var("x"), hl.Var("y")
    planes, alpha = _planes(job, inputs, x, y)
    result = hl.Func("result")
    result[c, x, y] = hl.select(
        c == 0, planes[0], c == 1, planes[1], c == 2, planes[2], hl.f32(alpha)
    )
    result.bound(c, 0, 4).reorder(c, x, y).unroll(c).vectorize(x, VECTOR).parallel(y)
    result.output_buffer().dim(0).set_stride(1)
    result.output_buffer().dim(1).set_stride(4)
    return result


def _planes(job: Job, inputs: Sequence[Any], x: Any, y: Any) -> tuple[Planes, Any]:
    if job.application == "ldd":
        (picture,) = inputs
        row, column = (
            hl.i32((2 * hl.i64(at) + 1) * job.size / (2 * job.result_size)) for at in (y, x)
        )
        _, saturation, value = _hsv(_at(picture, column, row))
        red, green, blue = _rgb(hl.f32(HUE), saturation, value)
        return (1 - red, 1 - green, 1 - blue), picture[3, column, row]
    first, blur, second = inputs[:3]
    left = _convolved(first, blur, x, y)
    if job.application == "mdd":
        right = _hsv(_at(second, x, y))
        both = zip(_hsv(left), right, strict=True)
        return _rgb(*(_clipped((a + b) * 0.5) for a, b in both)), first[3, x, y]
    right = _convolved(second, inputs[3], x, y)
    if job.application == "hdd":
        grey = _clipped(_grey(left) - _grey(right))
        return (grey, grey, grey), first[3, x, y]
    red, green, blue = (_clipped(a - b) for a, b in zip(left, right, strict=True))
    return (red, green, blue), first[3, x, y]


def _at(picture: Any, x: Any, y: Any) -> Planes:
    return picture[0, x, y], picture[1, x, y], picture[2, x, y]


def _clipped(value: Any) -> Any:
    return hl.clamp(value, 0.0, 1.0)


def _convolved(picture: Any, weights: Any, x: Any, y: Any) -> Planes:
    moved = [
        _at(
            picture,
            hl.clamp(x + number % 3 - 1, 0, picture.dim(1).extent() - 1),
            hl.clamp(y + number // 3 - 1, 0, picture.dim(2).extent() - 1),
        )
        for number in range(9)
    ]
    red, green, blue = (
        _clipped(sum((weights[n] * moved[n][c] for n in range(1, 9)), weights[0] * moved[0][c]))
        for c in range(3)
    )
    return red, green, blue


def _grey(pixel: Planes) -> Any:
    return 0.2126 * pixel[0] + 0.7152 * pixel[1] + 0.0722 * pixel[2]


def _hsv(pixel: Planes) -> Planes:
    red, green, blue = pixel
    value = hl.max(red, hl.max(green, blue))
    span = value - hl.min(red, hl.min(green, blue))
    scale = 1 / hl.select(span > 0, span, hl.f32(1))
    sector = hl.select(
        value == red,
        (green - blue) * scale,
        hl.select(value == green, 2 + (blue - red) * scale, 4 + (red - green) * scale),
    )
    hue = hl.select(span > 0, sector, hl.f32(0)) / 6
    hue = hl.select(hue < 0, hue + 1, hue)
    return hue, hl.select(value > 0, span / hl.select(value > 0, value, hl.f32(1)), 0), value


def _rgb(hue: Any, saturation: Any, value: Any) -> Planes:
    sector, span = hue * 6, saturation * value
    low = value - span
    return (
        low + span * _clipped(hl.abs(sector - 3) - 1),
        low + span * _clipped(2 - hl.abs(sector - 2)),
        low + span * _clipped(2 - hl.abs(sector - 4)),
    )


@dataclass
class _Stages:
    """What is read around an element is a stage of its own."""

    n: int
    made: list[Any] = field(default_factory=list)
    xp: Any = field(default_factory=lambda: SimpleNamespace(abs=hl.abs, where=hl.select))

    def around(self, value: Any, offsets: Offsets) -> Sequence[Any]:
        stage = hl.Func()
        stage[_C, _X, _Y] = value
        self.made.append(stage)
        return [stage[_C, self.near(_X, dx), self.near(_Y, dy)] for dy, dx in offsets]

    def near(self, at: Any, offset: int) -> Any:
        """Edges get loops of their own: what is inside is `likely`."""
        return hl.clamp(hl.likely(at + offset), 0, self.n - 1) if offset else at


def _stencil(job: Job, inputs: Sequence[Any]) -> Any:
    """Strips of rows over all processors; each makes what it needs of all stages."""
    strip, row = hl.Var("strip"), hl.Var("row")
    stages = _Stages(job.size)
    source = hl.BoundaryConditions.repeat_edge(inputs[0])[_C, _X, _Y]
    result = hl.Func("result")
    result[_C, _X, _Y] = stencil(stages, job, [source, *inputs[1:]])
    channels = 4 if job.is_picture else 1
    result.output_buffer().dim(0).set_stride(1)
    result.output_buffer().dim(1).set_stride(channels)
    together = 4 if job.application == "separable" else 2  # rows, for what their elements share
    result.split(_Y, strip, _Y, STRIP).parallel(strip)
    made = stages.made[1:]  # the first one is the source
    for stage in made:
        stage.compute_at(result, strip)
    for stage in (result, *made):
        stage.bound(_C, 0, channels).split(_Y, _Y, row, together)
        stage.reorder(_C, _X, row, _Y).fuse(_C, _X, _X).reorder(row, _X, _Y)
        stage.vectorize(_X, LANES).unroll(row)
    return result
