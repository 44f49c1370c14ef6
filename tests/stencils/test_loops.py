"""Steps between two buffers that take turns, written out: all buffers hold what they would."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kfusion.api import Fused
from kfusion.graph.target import Target
from kfusion.report.plan import plan_table
from tests.stencils.running import EAGER, MARCH, STRIPS
from tests.support.kernel_side import fused_and_same, random_data

SCALARS = {"w": np.int32(13), "h": np.int32(7)}
STEPS = {
    "all elements": "if (x >= w || y >= h) return; b[y*w + x] = a[y*w + max(x - 1, 0)] / 4 "
    "+ a[y*w + min(x + 1, w - 1)] / 2 + a[min(y + 1, h - 1)*w + x] / 8;",
    "inner elements": "if (x > 0 && x < w - 1 && y > 0 && y < h - 1) "
    "b[y*w + x] = a[y*w + x - 1] / 4 + a[y*w + x + 1] / 2 + a[(y + 1)*w + x] / 8;",
}
ALL = "if (x >= w || y >= h) return; const int i = y*w + x;"
BORDER = "x == 0 || y == 0 || x == w - 1 || y == h - 1"
MIX = "b[i] = a[i - 1] / 4 + a[i + 1] / 2 + a[i + w] / 8;"
BRANCHES = {
    "return on the border": f"{ALL} if ({BORDER}) {{ b[i] = a[i]; return; }} {MIX}",
    "border, else": f"{ALL} if ({BORDER}) b[i] = a[i]; else {MIX}",
    "inside, else": f"{ALL} if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {MIX} else b[i] = a[i];",
    "three branches": f"{ALL} if (x == 0 || x == w - 1) b[i] = a[i] / 2; "
    f"else if ({BORDER}) b[i] = a[i]; else {MIX}",
    "three returns": f"{ALL} if (x == 0 || x == w - 1) {{ b[i] = a[i] / 2; return; }} "
    f"if ({BORDER}) {{ b[i] = a[i]; return; }} {MIX}",
}
MISSES = {
    "branch without a store": f"{ALL} if (x == 0 || x == w - 1) b[i] = a[i]; "
    f"else if (!({BORDER})) {MIX}",
    "return without a store": f"{ALL} if (x == 0) {{ b[i] = a[i]; return; }} "
    f"if ({BORDER}) return; {MIX}",
    "another element": f"{ALL} if (x == 0) b[i] = a[i]; else b[y*w + w - x] = a[i - 1] / 2;",
    "neither condition": f"{ALL} if (x < 1) b[i] = a[i]; if (x > 1) b[i] = a[i - 1] / 2;",
    "in a loop": f"{ALL} for (int k = 0; k < x; k++) b[i] = a[i - 1] / 2 + k;",
}
WIDE = replace(MARCH, marchers=16)
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


@pytest.mark.parametrize("target", [EAGER, STRIPS, WIDE], ids=["inline", "strips", "march"])
@pytest.mark.parametrize("step", BRANCHES.values(), ids=BRANCHES)
def test_turns_that_store_on_each_branch(step: str, target: Target) -> None:
    for count in (3, 4, 5):
        for launches, out in zip(LAUNCHES[count], (["a", "b"], ["ab"[count % 2]]), strict=True):
            fused = check(step, turns(count), launches, target, out)
            shapes = {kernel.tiles is not None for kernel in fused.fused}
            assert shapes <= {target is not EAGER}


@pytest.mark.parametrize("step", MISSES.values(), ids=MISSES)
def test_turns_that_may_store_nothing(step: str) -> None:
    for count in (3, 4):
        check(step, turns(count), count, STRIPS, ["ab"[count % 2]])


def test_what_keeps_all_steps_apart_is_said_once() -> None:
    step = MISSES["in a loop"]
    plan = check(step, turns(4), 4, STRIPS, ["a"]).plan
    table = plan_table([("", plan, "", True)])
    assert table.count("cut between") == 1
    assert "3 times in a row, up to turn(a, b, w, h)" in table


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


def test_what_is_read_before_it_is_overwritten_is_stored() -> None:
    """On each branch, and read under other conditions than it was stored."""
    step = f"{ALL} if (x > 2) b[i] = a[i]; else b[i] = a[i] * 2;"
    text = source(step) + f"kernel void add({HEAD} {{ const int x = get_global_id(0), "
    text += f"y = get_global_id(1); {ALL} b[i] += a[i]; }}\n"
    calls = ["turn(b, a, w, h)", "add(c, b, w, h)", "turn(b, c, w, h)"]
    data, size = random_data(["a", "b", "c"], 13 * 7), (16, 8)
    fused_and_same(
        text, calls, ["b", "c"], launches=1, scalars=SCALARS, buffers=data, size=size, target=EAGER
    )
