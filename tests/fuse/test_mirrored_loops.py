"""Windows that are loops, mirrored at borders: `t[y * w + reflect(x + k, w)]` for k = -1, 0, 1."""

from __future__ import annotations

import numpy as np
import pytest

from kfusion.api import fuse
from kfusion.graph.target import TARGETS, Target
from tests.stencils.running import EAGER, MARCH, STRIPS
from tests.support.kernel_side import random_data
from tests.support.pyopencl_run import Case, assert_same

SOURCE = """
int reflect(int k, int n)
{
    return k < 0 ? -k : (k >= n ? 2 * n - 2 - k : k);
}
kernel void twice(global float *t, global const float *a, const int w, const int h)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < w && y < h)
        t[y * w + x] = 2.0f * a[y * w + x];
}
kernel void window(global float *o, global const float *t, const int w, const int h)
{
    const int x = get_global_id(0), y = get_global_id(1);
    float s = 0;
    if (x >= w || y >= h)
        return;
    WORK
    o[y * w + x] = s;
}
"""
WINDOWS = {
    "columns": "for (int k = -1; k <= 1; k++) s += t[y * w + reflect(x + k, w)] * (k + 2);",
    "columns on both sides": "for (int k = 1; k <= 2; k++)"
    " s += t[y * w + reflect(x - k, w)] - t[y * w + reflect(x + k, w)] * k;",
    "rows": "for (int k = -1; k <= 1; k++) s += t[reflect(y + k, h) * w + x] * (k + 2);",
    "both": "for (int j = -1; j <= 1; j++) for (int k = -1; k <= 1; k++)"
    " s += t[reflect(y + j, h) * w + reflect(x + k, w)] * (3 * j + k);",
    "by if": "for (int k = -2; k <= 2; k++) { int j = x + k; if (j < 0) j = -j;"
    " if (j >= w) j = 2 * w - 2 - j; s += t[y * w + j] * (k + 3); }",
    "around": "for (int k = -3; k <= 3; k++) s += t[y * w + (x + k + w) % w] * (k + 2);",
}


@pytest.mark.parametrize(
    "target", [EAGER, STRIPS, MARCH, TARGETS["cpu"]], ids=["inline", "strips", "march", "cpu"]
)
@pytest.mark.parametrize("window", WINDOWS)
def test_mirrored_windows(window: str, target: Target) -> None:
    source = SOURCE.replace("WORK", WINDOWS[window])
    calls = ["twice(t, a, w, h)", "window(o, t, w, h)"]
    for w, h in ((29, 13), (4, 3), (3, 3)):
        tiles = target.strip > 0 or target.march > 0
        fused = fuse(source, calls, ["o"], target=target, tiles=tiles, w=w, h=h)
        assert target.name == "cpu" or len(fused.kernels) == 1
        case = Case(random_data("ato", 512), {"w": np.int32(w), "h": np.int32(h)}, (w + 2, h + 1))
        assert_same(fused, source, case, ["o"])


def test_a_window_that_reaches_farther_than_what_there_is() -> None:
    source = SOURCE.replace("WORK", WINDOWS["columns on both sides"])
    calls = ["twice(t, a, w, h)", "window(o, t, w, h)"]
    assert len(fuse(source, calls, ["o"], target=EAGER, w=3, h=9).kernels) == 1
    assert len(fuse(source, calls, ["o"], target=EAGER, w=2, h=9).kernels) == 2
