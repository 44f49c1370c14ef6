"""The random pipelines are what they are meant to be: otherwise they would prove little."""

from __future__ import annotations

from collections import Counter
from itertools import chain

import pytest

from kfusion.api import Fused
from tests.random.chunks import CHUNKS, SIZE
from tests.random.chunks import planned as planned_chunk
from tests.random.hazards import ONE_DIMENSION, TWO_DIMENSIONS
from tests.random.image_hazards import IMAGES
from tests.random.model import Feature, Pipeline
from tests.random.planning import device_of
from tests.random.sample import sample

pytestmark = pytest.mark.xdist_group("pipelines")  # what is planned is kept for other tests
DRAWN = 200
PLANNED = CHUNKS * SIZE


def planned() -> list[tuple[Pipeline, Fused]]:
    return list(chain.from_iterable(map(planned_chunk, range(CHUNKS))))


def test_every_feature_is_in_some_of_the_pipelines() -> None:
    counted = Counter(feature for pipeline in sample(DRAWN) for feature in pipeline.features)
    rare = {f.value: counted[f] / DRAWN for f in Feature if counted[f] < 0.05 * DRAWN}
    assert rare == {}


def test_every_hazard_occurs() -> None:
    found = {name for pipeline in sample(3 * DRAWN) for name in pipeline.hazards}
    assert found == {*ONE_DIMENSION, *IMAGES, *TWO_DIMENSIONS}


def test_many_pipelines_hold_calls_that_must_not_be_fused() -> None:
    assert sum(bool(pipeline.apart) for pipeline in sample(DRAWN)) >= 0.2 * DRAWN


def test_many_pipelines_are_fused() -> None:
    assert sum(done.plan.fuses for _, done in planned()) >= 0.4 * PLANNED


def test_each_device_has_what_is_done_for_it() -> None:
    plans = [(device_of(pipeline).name, done.plan.groups) for pipeline, done in planned()]
    counted = Counter(
        (name, what)
        for name, groups in plans
        for what, found in (
            ("any", True),
            ("pauses", any(g.pauses for g in groups)),
            ("direct", any(g.direct for g in groups)),
            ("elements", any(g.elements > 1 for g in groups)),
            ("by group", any(g.by_group for g in groups)),
        )
        if found
    )
    for name in ("any", "cpu", "nvidia"):
        assert counted[name, "any"] >= 0.2 * PLANNED
        assert counted[name, "elements"]
    assert counted["cpu", "pauses"]
    assert counted["cpu", "by group"]
    assert counted["cpu", "direct"] + counted["nvidia", "direct"]
    assert counted["any", "pauses"] == counted["any", "direct"] == counted["nvidia", "pauses"] == 0


def test_most_legal_pipelines_become_one_kernel() -> None:
    legal = [done for pipeline, done in planned() if pipeline.legal]
    assert len(legal) >= 0.2 * PLANNED
    # Of the others, values stay in memory: pointers to them are given to functions.
    assert sum(len(done.kernels) == 1 for done in legal) >= 0.8 * len(legal)


def test_pipelines_differ() -> None:
    texts = {(p.source, p.out, *(c.text for c in p.calls)) for p in sample(DRAWN)}
    assert len(texts) >= 0.8 * DRAWN
