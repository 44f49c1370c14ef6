"""torch.compile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from bench.fusers.arrays import Offsets, compute
from bench.fusers.common import Job, Timed

HOW = "CUDA events around each call, behind a kernel that keeps the device busy meanwhile"
BUSY_CYCLES = 2_000_000  # about a millisecond: longer than a call takes on the host


@dataclass(frozen=True)
class _Torch:
    device: str
    xp: Any = torch

    def nearest(self, source: int, result: int) -> Any:
        at = torch.arange(result, device=self.device)
        return (2 * at + 1) * source // (2 * result)

    def around(self, picture: Any, offsets: Offsets) -> Sequence[Any]:
        places = [torch.arange(n, device=self.device) for n in picture.shape[: len(offsets[0])]]
        return [picture[_along_axes(list(map(_moved, places, each)))] for each in offsets]

    def stack(self, planes: Sequence[Any]) -> Any:
        return torch.stack(tuple(planes), dim=-1)


def _moved(places: Any, offset: int) -> Any:
    return torch.clip(places + offset, 0, len(places) - 1) if offset else places


def _along_axes(places: Sequence[Any]) -> tuple[Any, ...]:
    """Indices that meet each other: the first ones of the first axis, and so on."""
    others = range(len(places) - 1, -1, -1)
    return tuple(at.reshape(-1, *(1,) * n) for at, n in zip(places, others, strict=True))


def run(job: Job) -> Timed:
    library = _Torch("cuda" if torch.cuda.is_available() else "cpu")
    inputs = [torch.from_numpy(each).to(library.device) for each in job.inputs]
    numbers = replace(job, inputs=())  # nothing else of it is looked at while tracing
    compiled: Any = torch.compile(lambda *given: compute(library, numbers, given), dynamic=False)
    with torch.no_grad():
        result = compiled(*inputs).cpu().numpy()
        return Timed(result, [_time(compiled, inputs) for _ in range(job.repeats + 5)][5:])


def _time(compiled: Any, inputs: Sequence[Any]) -> float:
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(BUSY_CYCLES)  # noqa: SLF001  # torch's own tests use it, too
    begin.record()
    compiled(*inputs)
    end.record()
    end.synchronize()
    return float(begin.elapsed_time(end))
