"""The applications in array operations, for libraries that look like NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul
from typing import Any, Protocol

from bench.fusers.common import HUE, Job

Offsets = Sequence[tuple[int, ...]]

NINE = [(j, i) for j in (-1, 0, 1) for i in (-1, 0, 1)]
CROSS = [(-1, 0), (0, -1), (0, 0), (0, 1), (1, 0)]
CROSS_3D = [(0, *each) for each in CROSS] + [(-1, 0, 0), (1, 0, 0)]


class Neighbours(Protocol):
    """All that stencils need; `xp` is the library's module itself."""

    @property
    def xp(self) -> Any: ...

    def around(self, picture: Any, offsets: Offsets) -> Sequence[Any]:
        """The picture, or volume, moved along its first axes, its edges repeated."""


class Library(Neighbours, Protocol):
    """What the libraries spell differently."""

    def nearest(self, source: int, result: int) -> Any:
        """For each of `result` indices the one of `source` that is nearest."""

    def stack(self, planes: Sequence[Any]) -> Any:
        """Into pixels."""


def compute(library: Library, job: Job, inputs: Sequence[Any]) -> Any:
    """The result of an application."""
    xp = library.xp
    if job.is_stencil:
        return stencil(library, job, inputs)
    if job.application == "pythagoras":
        a, b = inputs
        return xp.sqrt(a * a + b * b)
    if job.application == "distance":
        x1, x2, y1, y2 = inputs
        dx, dy = x1 - x2, y1 - y2
        return xp.sqrt(dx * dx + dy * dy)
    if job.application == "ldd":
        at = library.nearest(job.size, job.result_size)
        larger = inputs[0][at[:, None], at[None, :]]
        _, saturation, value, alpha = _hsv(xp, larger)
        red, green, blue, alpha = _rgb(xp, xp.full_like(value, HUE), saturation, value, alpha)
        return library.stack([1 - red, 1 - green, 1 - blue, alpha])
    if job.application == "mdd":
        first, blur, second = inputs
        left = _hsv(xp, library.stack(_convolved(library, first, blur)))
        right = _hsv(xp, second)
        hue, saturation, value = (xp.clip((left[c] + right[c]) / 2, 0, 1) for c in range(3))
        return library.stack(_rgb(xp, hue, saturation, value, left[3]))
    first, blur, second, sharpen = inputs
    blurred = _convolved(library, first, blur)
    sharpened = _convolved(library, second, sharpen)
    if job.application == "hdd":
        blurred, sharpened = _grey(blurred), _grey(sharpened)
    result = [xp.clip(blurred[c] - sharpened[c], 0, 1) for c in range(3)]
    return library.stack([*result, blurred[3]])


def _hsv(xp: Any, picture: Any) -> tuple[Any, Any, Any, Any]:
    red, green, blue = picture[..., 0], picture[..., 1], picture[..., 2]
    value = xp.maximum(red, xp.maximum(green, blue))
    span = value - xp.minimum(red, xp.minimum(green, blue))
    scale = 1 / xp.where(span > 0, span, xp.ones_like(span))
    sector = xp.where(
        value == red,
        (green - blue) * scale,
        xp.where(value == green, 2 + (blue - red) * scale, 4 + (red - green) * scale),
    )
    hue = xp.where(span > 0, sector, xp.zeros_like(sector)) / 6
    hue = xp.where(hue < 0, hue + 1, hue)
    full = xp.where(value > 0, value, xp.ones_like(value))
    saturation = xp.where(value > 0, span / full, xp.zeros_like(value))
    return hue, saturation, value, picture[..., 3]


def _rgb(xp: Any, hue: Any, saturation: Any, value: Any, alpha: Any) -> tuple[Any, Any, Any, Any]:
    sector, span = hue * 6, saturation * value
    red = xp.clip(abs(sector - 3) - 1, 0, 1)
    green = xp.clip(2 - abs(sector - 2), 0, 1)
    blue = xp.clip(2 - abs(sector - 4), 0, 1)
    low = value - span
    return low + span * red, low + span * green, low + span * blue, alpha


def _grey(planes: Sequence[Any]) -> list[Any]:
    grey = 0.2126 * planes[0] + 0.7152 * planes[1] + 0.0722 * planes[2]
    return [grey, grey, grey, planes[3]]


def _convolved(library: Library, picture: Any, weights: Any) -> list[Any]:
    moved = [each[..., :3] for each in library.around(picture, NINE)]
    total = library.xp.clip(_weighted(weights, moved), 0, 1)
    return [total[..., 0], total[..., 1], total[..., 2], picture[..., 3]]


def _weighted(weights: Any, moved: Sequence[Any]) -> Any:
    return sum(weights[number] * each for number, each in enumerate(moved))


def stencil(library: Neighbours, job: Job, inputs: Sequence[Any]) -> Any:
    plane = inputs[0]
    cross = CROSS_3D if job.dimensions == 3 else CROSS
    for _ in range(job.steps):
        plane = sum(library.around(plane, cross)) * (1 / len(cross))
    if job.steps:
        return plane
    if job.application == "harris":
        return _corners(library, plane)
    if job.application == "separable":
        return _row_and_column(library, 8, *inputs)
    blurred = _row_and_column(library, 2, plane, [n / 16 for n in (1, 4, 6, 4, 1)])
    is_same = library.xp.abs(plane - blurred) < 0.001
    return library.xp.where(is_same, plane, 4 * plane - 3 * blurred)


def _row_and_column(library: Neighbours, reach: int, plane: Any, weights: Any) -> Any:
    places = range(-reach, reach + 1)
    rows = _weighted(weights, library.around(plane, [(0, i) for i in places]))
    return _weighted(weights, library.around(rows, [(j, 0) for j in places]))


def _corners(library: Neighbours, plane: Any) -> Any:
    """Harris's."""
    nw, n, ne, w, _, e, sw, s, se = library.around(plane, NINE)
    dx = (ne - nw + 2 * (e - w) + se - sw) / 12
    dy = (sw - nw + 2 * (s - n) + se - ne) / 12
    dx, dy = library.around(dx, NINE), library.around(dy, NINE)
    xx, yy, xy = (sum(map(mul, a, b)) for a, b in ((dx, dx), (dy, dy), (dx, dy)))
    return xx * yy - xy * xy - 0.04 * (xx + yy) * (xx + yy)
