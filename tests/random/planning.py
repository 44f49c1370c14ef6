"""Fuse a pipeline, and compare the plan with what is known of the pipeline."""

from __future__ import annotations

from kfusion.api import Fused, fuse
from kfusion.graph.target import TARGETS
from tests.random.model import Pipeline


def fused(pipeline: Pipeline) -> Fused:
    return fuse(
        pipeline.source,
        [call.text for call in pipeline.calls],
        pipeline.out,
        defines=pipeline.defines,
        ranges=[call.shape.range for call in pipeline.calls],
        elements=1 + pipeline.seed % 4,
        target=TARGETS[("any", "cpu", "nvidia")[pipeline.seed // 4 % 3]],
    )


def forbidden(pipeline: Pipeline, done: Fused) -> list[tuple[int, int]]:
    """Pairs of calls that are in one kernel, and must not be."""
    if pipeline.options:
        # The fused kernel is absent from such a build, or else wrong: a run tells.
        return []
    together = [set(group.members) for group in done.plan.groups]
    return [pair for pair in sorted(pipeline.apart) if any(set(pair) <= g for g in together)]
