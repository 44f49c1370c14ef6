"""Which pipelines the tests look at: fixed ones, or as many others as `make fuzz` asks for."""

from __future__ import annotations

import os
from functools import cache
from itertools import islice

from kfusion.api import Fused
from tests.random.model import Pipeline
from tests.random.planning import fused
from tests.random.sample import stream

FUZZ = bool(os.environ.get("KFUSION_FUZZ"))
SIZE = 40
EXAMPLES = int(os.environ.get("KFUSION_TEST_EXAMPLES", "1000")) if FUZZ else 120
CHUNKS = -(-EXAMPLES // SIZE)
# The workers of one run have to agree: so the command says it, not the clock.
START = int(os.environ.get("KFUSION_FUZZ_SEED", "1")) if FUZZ else 0


def chunk(number: int) -> list[Pipeline]:
    return list(islice(stream(START * 1000 + number), SIZE))


@cache
def planned(number: int) -> list[tuple[Pipeline, Fused]]:
    return [(pipeline, fused(pipeline)) for pipeline in chunk(number)]
