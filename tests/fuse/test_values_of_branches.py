"""Elements that an item stores on each of its ways: later stages find them in a variable."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from kfusion.api import Fused
from kfusion.graph.target import Target
from tests.stencils.running import EAGER, MARCH, STRIPS
from tests.support.kernel_side import fused_and_same, fused_text, random_data

XY = "const int x = get_global_id(0), y = get_global_id(1);"
ALL = f"{XY} if (x >= w || y >= h) return; const int i = y*w + x;"
BORDER = "x == 0 || y == 0 || x == w - 1 || y == h - 1"
MIX = "t[i] = a[i - 1] / 4 + a[i + 1] / 2 + a[i + w] / 8;"
MADE = {
    "return on the border": f"{ALL} if ({BORDER}) {{ t[i] = a[i]; return; }} {MIX}",
    "two returns": f"{ALL} if (x == 0) {{ t[i] = a[i]; return; }} "
    f"if ({BORDER}) {{ t[i] = 2; return; }} {MIX}",
    "inside, else": f"{ALL} if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {MIX} else t[i] = a[i];",
    "under a guard": f"{XY} if (x < w && y < h) {{ const int i = y*w + x; "
    f"if ({BORDER}) t[i] = a[i]; else {{ float v = a[i]; {MIX} }} }}",
    "a variable of its own": f"{ALL} float v = a[i]; if (x == 0) {{ t[i] = v; return; }} "
    "v += 1; t[i] = v;",
    "one of them twice": f"{ALL} if (x == 0) {{ t[i] = 1; t[i] = a[i]; return; }} t[i] = a[i]*2;",
}
MISSES = {
    "a way without": f"{ALL} if (x == 0) {{ t[i] = a[i]; return; }} if (x == 1) return; "
    "t[i] = a[i] * 2;",
    "reads it on a way": f"{ALL} if (x == 0) t[i] = a[i]; else t[i] += a[i];",
    "in loops": f"{ALL} for (int k = 0; k < x; k++) t[i] = a[i] + k; "
    "for (int k = x; k < 3; k++) t[i] = a[i] - k;",
    "a way to the end of a loop": f"{ALL} for (int k = 0; k < 3; k++) {{ if (k < x) break; "
    "if (k == 1) t[i] = a[i]; else t[i] = 3; }",
    "neither condition": f"{ALL} if (x < 2) t[i] = a[i]; if (x > 2) t[i] = a[i] / 2;",
}
OWN = f"{ALL} o[i] = t[i] * t[i];"
INNER = f"{ALL} if (!({BORDER})) o[i] = t[i] + 1;"
ABOVE = f"{ALL} o[i] = t[max(y - 1, 0)*w + x] + t[i];"
SUM = f"""
kernel void g(global float *o, global const float *t, int w, int h)
{{
    {XY}
    const int l = get_local_id(0);
    local float sum[4];
    sum[l] = x < w && y < h ? t[y*w + x] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        o[y*4 + get_group_id(0)] = sum[0] + sum[1] + sum[2] + sum[3];
}}
"""
SCALARS = {"w": np.int32(13), "h": np.int32(7)}


def kernel(name: str, to: str, of: str, body: str) -> str:
    head = f"global float *{to}, global const float *{of}, int w, int h"
    return f"kernel void {name}({head}) {{ {body} }}\n"


def check(
    source: str,
    calls: Sequence[str],
    out: Sequence[str] = ("o",),
    target: Target = EAGER,
    *,
    local: tuple[int, int] | None = None,
    exact: bool = False,
) -> Fused:
    return fused_and_same(
        source,
        calls,
        out,
        launches=1,
        scalars=SCALARS,
        buffers=random_data(["a", "t", "u", "o"], 13 * 7),
        size=(16, 8),
        local=local,
        target=target,
        exact=exact,
    )


F, G = "f(t, a, w, h)", "g(o, t, w, h)"


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_in_a_variable(made: str) -> None:
    f = kernel("f", "t", "a", made)
    assert "t[" not in fused_text(check(f + kernel("g", "o", "t", OWN), [F, G]))
    stored = fused_text(check(f + kernel("g", "o", "t", INNER), [F, G], ["o", "t"]))
    assert "t[" in stored
    assert "t[i] + 1" not in stored


@pytest.mark.parametrize("made", MISSES.values(), ids=MISSES)
def test_in_memory(made: str) -> None:
    source = kernel("f", "t", "a", made) + kernel("g", "o", "t", OWN)
    assert "= t[i]" in fused_text(check(source, [F, G]))


@pytest.mark.parametrize("name", ["two returns", "under a guard"])
def test_read_by_a_sum(name: str) -> None:
    source = kernel("f", "t", "a", MADE[name]) + SUM
    assert "t[" not in fused_text(check(source, [F, G], local=(4, 1)))


@pytest.mark.parametrize("target", [EAGER, STRIPS, MARCH], ids=["inline", "strips", "march"])
@pytest.mark.parametrize("name", ["return on the border", "inside, else"])
def test_made_again_of_it_for_neighbours(name: str, target: Target) -> None:
    """Changed in place, under a condition; and once more."""
    update = "if (x > 2) t[i] = t[i] * 2; else if (y > 2) t[i] -= 1;"
    source = kernel("f", "t", "a", MADE[name]) + kernel("g", "o", "u", ABOVE.replace("t[", "u["))
    source += f"kernel void e(global float *t, int w, int h) {{ {ALL} {update} }}\n"
    source += kernel("k", "u", "t", f"{ALL} if (y == 1) u[i] = t[i]; else u[i] = t[i] + 1;")
    calls = [F, "e(t, w, h)", "k(u, t, w, h)", "g(o, u, w, h)"]
    exact = target is EAGER
    assert "t[i]" not in fused_text(check(source, calls, target=target, exact=exact))
