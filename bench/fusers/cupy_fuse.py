"""cupy.fuse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import cupy
import numpy as np

from bench.fusers.common import HUE, Job, NotPossibleError, Timed

HOW = "CUDA events around each call, behind a kernel that keeps the device busy meanwhile"
BUSY_CYCLES = 2_000_000  # about a millisecond: longer than a call takes on the host
_BUSY = r"""
extern "C" __global__ void busy(long long cycles)
{
    const long long begin = clock64();
    while (clock64() - begin < cycles)
        ;
}
"""

_fuse: Callable[..., Any] = cupy.fuse()


@_fuse
def _pythagoras(a: Any, b: Any) -> Any:
    return cupy.sqrt(a * a + b * b)


@_fuse
def _distance(x1: Any, x2: Any, y1: Any, y2: Any) -> Any:
    dx = x1 - x2
    dy = y1 - y2
    return cupy.sqrt(dx * dx + dy * dy)


@_fuse
def _recoloured(red: Any, green: Any, blue: Any) -> Any:
    """To HSV, one hue for all, back, inverted: what of the hue is left is known."""
    value = cupy.maximum(red, cupy.maximum(green, blue))
    span = value - cupy.minimum(red, cupy.minimum(green, blue))
    saturation = cupy.where(value > 0, span / cupy.where(value > 0, value, 1), 0)
    back = saturation * value
    low = value - back
    sector = 6 * HUE
    reds = min(max(abs(sector - 3) - 1, 0), 1)
    greens = min(max(2 - abs(sector - 2), 0), 1)
    blues = min(max(2 - abs(sector - 4), 0), 1)
    return 1 - (low + back * reds), 1 - (low + back * greens), 1 - (low + back * blues)


def run(job: Job) -> Timed:
    inputs = [cupy.asarray(each) for each in job.inputs]
    if job.application in ("pythagoras", "distance"):
        function = _pythagoras if job.application == "pythagoras" else _distance
        return Timed(cupy.asnumpy(function(*inputs)), _times(function, inputs, job.repeats))
    if job.application != "ldd":
        raise NotPossibleError("cupy.fuse joins element-wise operations only")

    # The resized picture comes from a kernel of its own: indexing cannot be fused.
    n = job.result_size
    at = (2 * cupy.arange(n) + 1) * job.size // (2 * n)

    def recoloured(picture: Any) -> Any:
        larger = picture[at[:, None], at[None, :]]
        return (*_recoloured(larger[..., 0], larger[..., 1], larger[..., 2]), larger[..., 3])

    result = np.stack([cupy.asnumpy(plane) for plane in recoloured(*inputs)], axis=-1)
    return Timed(result, _times(recoloured, inputs, job.repeats))


def _times(function: Callable[..., Any], inputs: Sequence[Any], repeats: int) -> list[float]:
    busy = cupy.RawKernel(_BUSY, "busy")
    times = []
    for _ in range(repeats + 5):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        busy((1,), (1,), (np.int64(BUSY_CYCLES),))
        begin.record()
        function(*inputs)
        end.record()
        end.synchronize()
        times.append(float(cupy.cuda.get_elapsed_time(begin, end)))
    return times[5:]
