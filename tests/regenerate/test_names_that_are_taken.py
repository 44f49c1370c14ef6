"""A kernel that is written under another name takes its arguments in the order of its own text."""

from __future__ import annotations

import pytest

from kfusion.api import fuse
from kfusion.graph.model import LaunchRange
from kfusion.planning import Kernels

STEP = """
kernel void step(global float *b, global const float *a, const int w, const int h, const float k)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= h)
        return;
    b[y * w + x] = k * a[y * w + max(x - 1, 0)] + 0.3f * a[min(y + 1, h - 1) * w + x]
                   - a[y * w + min(x + 1, w - 1)];
}
"""
TAKEN = {"step", "a", "b", "w", "h", "k", "min", "max", "x", "y"}  # by the program's files
# What a call is of stands in comments: those of long names have several lines.
NAMES = {"short": "t", "long": "a_temperature_of_the_whole_plate_behind_step_"}


@pytest.mark.parametrize("length", NAMES)
@pytest.mark.parametrize("steps", [2, 3, 5])
def test_arguments_stand_in_the_order_of_the_text(steps: int, length: str) -> None:
    kernels = Kernels(exact=False, taken=set(TAKEN))
    between = [f"{NAMES[length]}{number}" for number in range(1, steps)]
    for buffers, weights in (
        (["a", *between, "b"], ["0.5f", "0.25f"]),
        (["a", *between, "b", "c"], ["2.0f", "4.0f"]),
    ):
        calls = [
            f"step({buffers[n + 1]}, {buffers[n]}, w, h, {weights[n % 2]})"
            for n in range(len(buffers) - 1)
        ]
        ranges = [LaunchRange(2, "space")] * len(calls)
        out = [name for name in buffers[1:] if name not in between]
        fused = fuse(STEP, calls, out, ranges=ranges, target="cpu", tiles=True)
        (kernel,) = kernels.form(fused.plan).kernels.values()
        (made,) = (each for each in kernels.made.values() if each.name == kernel.name)
        given = [parameter.argument.name for parameter in kernel.parameters]
        assert given == [parameter.argument.name for parameter in made.parameters]
        assert not set(given) & set(between)  # which are named in comments only
