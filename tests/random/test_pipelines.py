"""Random pipelines: what is fused is right, and what is legal is fused."""

from __future__ import annotations

import pytest

from kfusion.api import Fused
from tests.random.chunks import CHUNKS, FUZZ, planned
from tests.random.model import Pipeline
from tests.random.planning import forbidden, is_refused
from tests.random.running import difference, job_of, simulated, told

# PoCL's compiler takes about a second for a pipeline: `make fuzz` has it look at all.
ON_POCL = None if FUZZ else 5


def fusing(number: int) -> list[tuple[Pipeline, Fused]]:
    fuses = [(p, d) for p, d in planned(number) if d.plan.fuses and p.runs]
    return [(p, d) for p, d in fuses if not is_refused(p, d)]


@pytest.mark.xdist_group("pipelines")  # what is planned is kept for the other tests
@pytest.mark.parametrize("number", range(CHUNKS))
class TestPipelines:
    def test_calls_that_must_be_apart_are_apart(self, number: int) -> None:
        for pipeline, done in planned(number):
            assert not forbidden(pipeline, done), told(pipeline, done)

    def test_what_is_legal_is_fused(self, number: int) -> None:
        """Into one kernel, unless that would load and store more than several do."""
        legal = [(p, d) for p, d in planned(number) if p.legal]
        assert legal
        for pipeline, done in legal:
            reasons = {why.code for cut in done.plan.cuts for why in cut.reasons}
            assert reasons <= {"KF224"}, told(pipeline, done)

    def test_bits_are_the_same_without_races_on_oclgrind(self, number: int) -> None:
        judged = [(p, d) for p, d in fusing(number) if p.simulates]
        complaints = simulated([job_of(p, d) for p, d in judged])
        assert complaints
        for (pipeline, done), complaint in zip(judged, complaints, strict=True):
            assert complaint is None, f"{complaint}\n{told(pipeline, done)}"

    def test_bits_are_the_same_on_pocl(self, number: int) -> None:
        judged = fusing(number)[:ON_POCL]
        assert judged
        for pipeline, done in judged:
            complaint = difference(pipeline, done)
            assert complaint is None, f"{complaint}\n{told(pipeline, done)}"
