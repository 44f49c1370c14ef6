"""Random stencils: what is fused is right, and the judge says so, too."""

from __future__ import annotations

from random import Random

import pytest

from tests.random.chunks import EXAMPLES, FUZZ, START
from tests.stencils.judge import filled, has_race
from tests.stencils.pipelines import BUFFERS, pipeline
from tests.stencils.running import AT_A_TIME, MARCH, STRIPS, check


@pytest.mark.parametrize("chunk", range(max(EXAMPLES // AT_A_TIME, 1) if FUZZ else 3))
def test_bits_are_the_same(chunk: int) -> None:
    found = check(START * 1000 + chunk, on_pocl=None if FUZZ else 2)
    assert found["wholly"] + found["partly"] + found["partly, and legal"] > 0


def test_bits_are_the_same_where_groups_march() -> None:
    found = check(START * 1000, 3 * AT_A_TIME if FUZZ else AT_A_TIME, on_pocl=4, target=MARCH)
    assert found["in rows"] > 0


def test_bits_are_the_same_in_strips() -> None:
    found = check(START * 1000, 3 * AT_A_TIME if FUZZ else AT_A_TIME, on_pocl=4, target=STRIPS)
    assert found["in rows"] > 0
    assert FUZZ or found["in planes"] > 0


def test_programs_have_no_races_and_may_be_fused_or_not() -> None:
    random = Random(START)
    drawn = [pipeline(random, f"k{number}") for number in range(60)]
    for each in drawn:
        stages = [call.stage(each.tried) for call in each.calls]
        assert not has_race(stages, filled(BUFFERS, each.tried)), each.source
    legal = sum(each.may_be_one for each in drawn)
    assert 10 < legal < len(drawn) - 5
