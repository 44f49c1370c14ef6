"""Fuse a pipeline, and compare the plan with what is known of the pipeline."""

from __future__ import annotations

from dataclasses import replace

from kfusion.api import Fused, fuse
from kfusion.graph.model import AtLeast, Group, Reaches
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
    return [
        pair
        for pair, why in sorted(pipeline.apart.items())
        for group in done.plan.groups
        if set(pair) <= set(group.members)
        and why & {"", *group.stored} - _again(pipeline, group, pair)
    ]


def _again(pipeline: Pipeline, group: Group, pair: tuple[int, int]) -> set[str]:
    """Memory of which one of the two reads nothing, and does not store: it computes once more what
    the other one makes, or what an even earlier call does."""
    earlier, _ = pair
    return {
        each.memory
        for each in group.again
        if (group.members[each.producer], group.members[each.reader]) == pair
        or (
            group.members[each.reader] == earlier
            and each.memory not in pipeline.calls[earlier].written
        )
    }


def is_refused(pipeline: Pipeline, done: Fused) -> bool:
    """`Fused.check` would say that a scalar is less than was taken for granted, or that a launch
    does not have the items that a later one reads of."""
    assumptions = [assumed for group in done.plan.groups for assumed in group.assumptions]
    for assumed in assumptions:
        if isinstance(assumed, AtLeast) and pipeline.scalars[assumed.scalar] < assumed.least:
            return True
        if isinstance(assumed, Reaches):
            end = pipeline.scalars[assumed.scalar] if assumed.scalar else 0
            size = pipeline.calls[assumed.invocation].shape.size[assumed.dimension]
            if end + assumed.more > size:
                return True
    return False
