"""Pipelines for tests that look at many at a time: the same ones each time for one seed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import count, islice

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.random.model import Pipeline
from tests.random.pipelines import pipelines

# Hypothesis begins with the simplest example, and soon draws variations of earlier ones:
# many short runs without the first of each are more different from each other.
_RUN = 10


def stream(start: int = 0) -> Iterator[Pipeline]:
    for run in count(start * 1_000_000):
        yield from _run(run)


@cache
def sample(size: int, start: int = 0) -> tuple[Pipeline, ...]:
    return tuple(islice(stream(start), size))


def _run(number: int) -> list[Pipeline]:
    found: list[Pipeline] = []

    @seed(number)
    @settings(
        max_examples=_RUN,
        database=None,
        deadline=None,
        derandomize=False,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(pipelines())
    def collect(pipeline: Pipeline) -> None:
        found.append(pipeline)

    collect()
    return found[1:]
