"""Steps between two buffers that take turns, written out: all buffers hold what they would."""

from __future__ import annotations

import numpy as np
import pytest

from kfusion.api import Fused
from kfusion.graph.target import Target
from tests.stencils.running import STRIPS
from tests.support.kernel_side import fused_and_same, random_data

SCALARS = {"w": np.int32(13), "h": np.int32(7)}
STEPS = {
    "all elements": "if (x >= w || y >= h) return; b[y*w + x] = a[y*w + max(x - 1, 0)] / 4 "
    "+ a[y*w + min(x + 1, w - 1)] / 2 + a[min(y + 1, h - 1)*w + x] / 8;",
    "inner elements": "if (x > 0 && x < w - 1 && y > 0 && y < h - 1) "
    "b[y*w + x] = a[y*w + x - 1] / 4 + a[y*w + x + 1] / 2 + a[(y + 1)*w + x] / 8;",
}
HEAD = "global float *b, global const float *a, int w, int h)"
TWO = (
    "if (x < w && y < h) b[y*w + x] = a[y*w + max(x - 1, 0)] + a[y*w + min(x + 1, w - 1)] / 2 "
    "+ c[y*w + x] / 4;"
)


def source(step: str) -> str:
    inner = STEPS["inner elements"]
    return "".join(
        f"kernel void {name} {{ const int x = get_global_id(0), y = get_global_id(1); {body} }}\n"
        for name, body in (
            (f"turn({HEAD}", step),
            (f"inner({HEAD}", inner),
            (f"two({HEAD.replace('int w', 'global const float *c, int w')}", TWO),
        )
    )


def turns(count: int) -> list[str]:
    """Of `a` and `b`, which is written first."""
    return [f"turn({'ba'[n % 2]}, {'ab'[n % 2]}, w, h)" for n in range(count)]


def check(step: str, calls: list[str], launches: int, target: Target, out: list[str]) -> Fused:
    return fused_and_same(
        source(step),
        calls,
        out,
        launches=launches,
        scalars=SCALARS,
        buffers=random_data(["a", "b", "c"], 13 * 7),
        size=(16, 8),
        target=target,
    )


# By the number of steps, into how many kernels, if both buffers are read later or the last one.
LAUNCHES = {1: (1, 1), 2: (2, 2), 3: (3, 1), 4: (2, 2), 5: (3, 1), 6: (2, 2), 7: (3, 1), 8: (2, 2)}


@pytest.mark.parametrize("count", LAUNCHES)
@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_turns(step: str, count: int) -> None:
    for launches, out in zip(LAUNCHES[count], (["a", "b"], ["ab"[count % 2]]), strict=True):
        check(step, turns(count), launches, STRIPS, out)


STAY = {
    "the first two results are never overwritten": (turns(3), ["a", "b"]),
    "the next step writes fewer elements": ([*turns(3), "inner(a, b, w, h)"], ["a", "b"]),
    "reads two earlier states": (
        ["two(c, b, a, w, h)", "two(a, c, b, w, h)", "two(b, a, c, w, h)"] * 2,
        ["a", "b", "c"],
    ),
    "reads its own destination": (
        [f"two({p}, {q}, {p}, w, h)" for p, q in ("ba", "ab", "ba", "ab")],
        ["a", "b"],
    ),
}


@pytest.mark.parametrize("name", STAY)
def test_turns_that_stay(name: str) -> None:
    calls, out = STAY[name]
    check(STEPS["all elements"], calls, len(calls), STRIPS, out)
