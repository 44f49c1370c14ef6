"""Fuse a pipeline, and compare the plan with what is known of the pipeline."""

from __future__ import annotations

from dataclasses import replace

from kfusion.api import Fused, fuse
from kfusion.graph.target import TARGETS, Target
from tests.random.model import Pipeline

# Items wait wherever they may: no kernel of a pipeline has much work.
DEVICES = (TARGETS["any"], replace(TARGETS["cpu"], pauses=1), TARGETS["nvidia"])


def device_of(pipeline: Pipeline) -> Target:
    return DEVICES[pipeline.seed // 4]


def fused(pipeline: Pipeline) -> Fused:
    return fuse(
        pipeline.source,
        [call.text for call in pipeline.calls],
        pipeline.out,
        defines=pipeline.defines,
        ranges=[call.shape.range for call in pipeline.calls],
        elements=1 + pipeline.seed % 4,
        target=device_of(pipeline),
    )


def forbidden(pipeline: Pipeline, done: Fused) -> list[tuple[int, int]]:
    """Pairs of calls that are in one kernel, and must not be."""
    if pipeline.options:
        # The fused kernel is absent from such a build, or else wrong: a run tells.
        return []
    together = [set(group.members) for group in done.plan.groups]
    return [pair for pair in sorted(pipeline.apart) if any(set(pair) <= g for g in together)]
