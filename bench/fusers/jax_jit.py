"""jax.jit."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
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
        far_y, far_x = (max(abs(each[axis]) for each in offsets) for axis in (0, 1))
        height, width = picture.shape[:2]
        # Fused with what reads it; of `jnp.pad` XLA makes a copy for each edge.
        rows = jnp.clip(jnp.arange(-far_y, height + far_y), 0, height - 1)
        columns = jnp.clip(jnp.arange(-far_x, width + far_x), 0, width - 1)
        padded = picture.at[rows[:, None], columns].get(mode="promise_in_bounds")
        return [
            padded[far_y + dy : far_y + dy + height, far_x + dx : far_x + dx + width]
            for dy, dx in offsets
        ]

    def stack(self, planes: Sequence[Any]) -> Any:
        return jnp.stack(tuple(planes), axis=-1)


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
