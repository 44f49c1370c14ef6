"""What the fusers share."""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]

HUE = 0.6  # of ldd


class NotPossibleError(Exception):
    """The fuser cannot do the application; the message says why."""


@dataclass(frozen=True)
class Job:
    """An application, its data in the order in which it is transferred, and what comes out."""

    application: str
    size: int
    inputs: tuple[Array, ...]
    device: str
    repeats: int

    @property
    def dimensions(self) -> int:
        """Vectors have one, planes two, volumes three."""
        if self.application in ("pythagoras", "distance"):
            return 1
        return 3 if self.application.endswith("in 3-D)") else 2

    @property
    def is_picture(self) -> bool:
        """A plane of pixels of four channels, which are an axis of their own, the last one."""
        return self.dimensions == 2 and (not self.is_stencil or self.application == "unsharp")

    @property
    def is_stencil(self) -> bool:
        """Of several stages, which read neighbours of what others make."""
        return self.application in ("separable", "harris", "unsharp") or self.steps > 0

    @property
    def steps(self) -> int:
        """Of Jacobi's method; 0, it is something else."""
        found = re.fullmatch(r"jacobi \((\d+) steps( in 3-D)?\)", self.application)
        return int(found[1]) if found else 0

    def shape(self, size: int) -> tuple[int, ...]:
        return (size,) * self.dimensions + ((4,) if self.is_picture else ())

    @property
    def result_size(self) -> int:
        """Width and height of the resulting picture."""
        return self.size + self.size // 10 if self.application == "ldd" else self.size


@dataclass(frozen=True)
class Timed:
    result: Array
    ms: list[float]

    @property
    def median(self) -> float:
        return statistics.median(self.ms)


def wall_times(run: Callable[[], object], repeats: int) -> list[float]:
    """In milliseconds; `run` returns when all is done."""
    times = []
    for number in range(repeats + 3):
        started = time.perf_counter()
        run()
        if number >= 3:
            times.append((time.perf_counter() - started) * 1e3)
    return times
