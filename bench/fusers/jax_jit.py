"""jax.jit."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from operator import add
from typing import Any

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax
import jax.numpy as jnp
import numpy as np

from bench.fusers.arrays import Offsets, compute
from bench.fusers.common import Job, Timed

HOW = "wall time of 20 calls that are enqueued together, divided by 20"
TOGETHER = 20


@dataclass(frozen=True)
class _Jax:
    xp: Any = jnp

    def nearest(self, source: int, result: int) -> Any:
        return (2 * jnp.arange(result) + 1) * source // (2 * result)

    def around(self, picture: Any, offsets: Offsets) -> Sequence[Any]:
        far = [max(map(abs, along)) for along in zip(*offsets, strict=True)]
        sides = picture.shape[: len(far)]
        # Fused with what reads it; of `jnp.pad` XLA makes a copy for each edge.
        places = [
            jnp.clip(jnp.arange(-each, side + each), 0, side - 1)
            for each, side in zip(far, sides, strict=True)
        ]
        padded = picture.at[jnp.ix_(*places)].get(mode="promise_in_bounds")
        moved = (map(add, far, each) for each in offsets)
        return [padded[tuple(map(_from, each, sides))] for each in moved]

    def stack(self, planes: Sequence[Any]) -> Any:
        return jnp.stack(tuple(planes), axis=-1)


def _from(begin: int, side: int) -> slice:
    return slice(begin, begin + side)


def run(job: Job) -> Timed:
    library = _Jax()
    inputs = [jax.device_put(each) for each in job.inputs]
    compiled = jax.jit(lambda *given: compute(library, job, given))
    result = compiled(*inputs)
    result.block_until_ready()
    times = []
    for _ in range(max(5, job.repeats // TOGETHER) + 1):
        started = time.perf_counter()
        for _ in range(TOGETHER):
            last = compiled(*inputs)
        last.block_until_ready()
        times.append((time.perf_counter() - started) * 1e3 / TOGETHER)
    return Timed(np.asarray(result), times[1:])
