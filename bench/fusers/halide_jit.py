"""Halide: everything computed where it is used, in vectors, rows over all processors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import halide as hl
import numpy as np

from bench.fusers.common import HUE, Job, Timed, wall_times

HOW = "wall time of each call"
VECTOR = 8
CHUNK = 1 << 14  # elements of a vector for one task

Planes = tuple[Any, Any, Any]


def run(job: Job) -> Timed:
    inputs = [hl.Buffer(each) for each in job.inputs]
    result = np.empty(_shape(job), np.float32)
    output = hl.Buffer(result)
    pipeline = _picture(job, inputs) if job.is_picture else _vector(job, inputs)
    pipeline.compile_jit()
    return Timed(result, wall_times(lambda: pipeline.realize(output), job.repeats))


def _shape(job: Job) -> tuple[int, ...]:
    n = job.result_size
    return (n, n, 4) if job.is_picture else (n,)


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
