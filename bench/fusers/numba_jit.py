"""Numba: the loops written as one, over all processors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from bench.fusers.common import HUE, Array, Job, NotPossibleError, Timed, wall_times

HOW = "wall time of each call"

_jit: Callable[..., Any] = numba.njit(parallel=True, error_model="numpy")
_inline: Callable[..., Any] = numba.njit(inline="always", error_model="numpy")


@_jit
def _pythagoras(c: Array, a: Array, b: Array) -> None:
    for i in numba.prange(c.size):
        c[i] = math.sqrt(a[i] * a[i] + b[i] * b[i])


@_jit
def _distance(c: Array, x1: Array, x2: Array, y1: Array, y2: Array) -> None:
    for i in numba.prange(c.size):
        dx = x1[i] - x2[i]
        dy = y1[i] - y2[i]
        c[i] = math.sqrt(dx * dx + dy * dy)


@_inline
def _clipped(value: Any) -> Any:
    return min(max(value, np.float32(0)), np.float32(1))


@_inline
def _hsv(red: Any, green: Any, blue: Any) -> Any:
    value = max(red, green, blue)
    span = value - min(red, green, blue)
    scale = np.float32(1) / (span if span > 0 else np.float32(1))
    if value == red:
        sector = (green - blue) * scale
    elif value == green:
        sector = np.float32(2) + (blue - red) * scale
    else:
        sector = np.float32(4) + (red - green) * scale
    hue = (sector if span > 0 else np.float32(0)) / np.float32(6)
    hue = hue + np.float32(1) if hue < 0 else hue
    return hue, span / value if value > 0 else np.float32(0), value


@_inline
def _rgb(hue: Any, saturation: Any, value: Any) -> Any:
    sector = hue * np.float32(6)
    span = saturation * value
    low = value - span
    return (
        low + span * _clipped(abs(sector - np.float32(3)) - np.float32(1)),
        low + span * _clipped(np.float32(2) - abs(sector - np.float32(2))),
        low + span * _clipped(np.float32(2) - abs(sector - np.float32(4))),
    )


@_inline
def _sum_of_9(picture: Any, weights: Any, y: int, x: int, channel: int) -> Any:
    total = np.float32(0)
    for j in range(3):
        row = min(max(y + j - 1, 0), picture.shape[0] - 1)
        for i in range(3):
            column = min(max(x + i - 1, 0), picture.shape[1] - 1)
            total += weights[3 * j + i] * picture[row, column, channel]
    return _clipped(total)


@_jit
def _ldd(result: Array, picture: Array) -> None:
    height, width = result.shape[0], result.shape[1]
    for y in numba.prange(height):
        row = (2 * y + 1) * picture.shape[0] // (2 * height)
        for x in range(width):
            column = (2 * x + 1) * picture.shape[1] // (2 * width)
            _, saturation, value = _hsv(
                picture[row, column, 0], picture[row, column, 1], picture[row, column, 2]
            )
            red, green, blue = _rgb(np.float32(HUE), saturation, value)
            result[y, x, 0] = np.float32(1) - red
            result[y, x, 1] = np.float32(1) - green
            result[y, x, 2] = np.float32(1) - blue
            result[y, x, 3] = picture[row, column, 3]


@_jit
def _mdd(result: Array, first: Array, blur: Array, second: Array) -> None:
    for y in numba.prange(result.shape[0]):
        for x in range(result.shape[1]):
            h, s, v = _hsv(
                _sum_of_9(first, blur, y, x, 0),
                _sum_of_9(first, blur, y, x, 1),
                _sum_of_9(first, blur, y, x, 2),
            )
            g, t, w = _hsv(second[y, x, 0], second[y, x, 1], second[y, x, 2])
            half = np.float32(0.5)
            red, green, blue = _rgb(
                _clipped((h + g) * half), _clipped((s + t) * half), _clipped((v + w) * half)
            )
            result[y, x, 0] = red
            result[y, x, 1] = green
            result[y, x, 2] = blue
            result[y, x, 3] = first[y, x, 3]


@_inline
def _grey_of_9(picture: Any, weights: Any, y: int, x: int) -> Any:
    return (
        np.float32(0.2126) * _sum_of_9(picture, weights, y, x, 0)
        + np.float32(0.7152) * _sum_of_9(picture, weights, y, x, 1)
        + np.float32(0.0722) * _sum_of_9(picture, weights, y, x, 2)
    )


@_jit
def _hdd(result: Array, first: Array, blur: Array, second: Array, sharpen: Array) -> None:
    for y in numba.prange(result.shape[0]):
        for x in range(result.shape[1]):
            grey = _clipped(_grey_of_9(first, blur, y, x) - _grey_of_9(second, sharpen, y, x))
            result[y, x, 0] = grey
            result[y, x, 1] = grey
            result[y, x, 2] = grey
            result[y, x, 3] = first[y, x, 3]


@_jit
def _hddlf(result: Array, first: Array, blur: Array, second: Array, sharpen: Array) -> None:
    for y in numba.prange(result.shape[0]):
        for x in range(result.shape[1]):
            for c in range(3):
                result[y, x, c] = _clipped(
                    _sum_of_9(first, blur, y, x, c) - _sum_of_9(second, sharpen, y, x, c)
                )
            result[y, x, 3] = first[y, x, 3]


_FUNCTIONS = {
    "pythagoras": _pythagoras,
    "distance": _distance,
    "ldd": _ldd,
    "mdd": _mdd,
    "hdd": _hdd,
    "hddlf": _hddlf,
}


def run(job: Job) -> Timed:
    if job.is_stencil:
        raise NotPossibleError("its loops are joined over the same elements only, not neighbours")
    result = np.empty(job.shape(job.result_size), np.float32)
    function = _FUNCTIONS[job.application]
    return Timed(result, wall_times(lambda: function(result, *job.inputs), job.repeats))
