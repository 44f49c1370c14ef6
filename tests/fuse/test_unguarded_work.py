"""Kernels that work without a guard, and store behind one: `acc += ...; if (i < n) c[i] = acc;`"""

from __future__ import annotations

import numpy as np
import pytest

from kfusion.api import fuse
from kfusion.graph.model import LaunchRange
from tests.support.kernel_side import ITEMS, fused_text, random_data
from tests.support.pyopencl_run import Case, assert_same

N = ITEMS - 7
NUMBERS = {"n": np.int32(N), "m": np.int32(8)}
WORK = {
    "a load": "const float acc = a[0];",
    "a loop": "float acc = 0; for (int k = 0; k < 8; k++) acc += a[k] * a[(i + k) % n];",
    "local memory": """local float s[64];
    const int l = get_local_id(0);
    s[l] = i < n ? a[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    float acc = s[l] + s[l ^ 1];
    barrier(CLK_LOCAL_MEM_FENCE);""",
}
ADD = "if (i < n) c[i] += b[i];"
LATER = {
    "it is changed": ADD,
    "it is read": "if (i >= n) return; d[i] = c[i] * b[i];",
    "it is stored": "if (i < n) { const float v = c[i]; c[i] = v * v; }",
}


def kernels(work: str, store: str, later: str) -> str:
    return f"""
kernel void first(global float *c, global const float *a, const int n, const int m)
{{
    const int i = get_global_id(0);
    {work}
    {store}
}}
kernel void second(global float *c, global float *d, global const float *b, const int n)
{{
    const int i = get_global_id(0);
    {later}
}}
kernel void third(global float *d, global const float *c, const int n)
{{
    const int i = get_global_id(0);
    if (i < n)
        d[i] = 3.0f * c[i] + 1.0f;
}}
"""


CALLS = ["first(c, a, n, m)", "second(c, e, b, n)", "third(d, c, n)"]


def check(source: str, calls: list[str], out: list[str], kept: set[str]) -> str:
    local = "64" if "local" in source else None
    fused = fuse(source, calls, out, ranges=[LaunchRange(1, "n", local)] * len(calls))
    assert len(fused.kernels) == 1, [d.message for d in fused.diagnostics]
    (group,) = fused.plan.groups
    assert set(group.internalised) | set(group.forwarded) == kept
    case = Case(random_data("abcde"), dict(NUMBERS), (ITEMS,), (64,) if local else None)
    assert_same(fused, source, case, out)
    return fused_text(fused)


@pytest.mark.parametrize("later", LATER.values(), ids=list(LATER))
@pytest.mark.parametrize("work", WORK.values(), ids=list(WORK))
def test_the_element_is_in_a_variable(work: str, later: str) -> None:
    source = kernels(work, "if (i < n) c[i] = acc;", later)
    assert "c[i]" not in check(source, CALLS, ["d", "e"], {"c"})
    assert check(source, CALLS, ["c", "d", "e"], {"c"}).count("c[i]") == 1  # it is stored once


OTHER_CONDITIONS = {
    "fewer items": "if (i < n - 4) c[i] = acc;",
    "more items": "if (i < n + 4) c[i] = acc;",
    "both ways": "if (i < n) c[i] = acc; else c[i] = 1;",
    "a condition that is not understood": "if (i < n && acc > 0) c[i] = acc;",
    "a condition of another condition": "if (i < n) { if (acc > 0) c[i] = acc; }",
    "in a loop": "for (int k = 0; k < m; k++) if (i < n) c[i] = acc + k;",
    "some way ends before": "if (acc > 0) return; if (i < n) c[i] = acc;",
    "it is jumped to": "switch (m) { case 7: if (i < n) c[i] = acc; }",
    "twice": "if (i < n) c[i] = acc; if (i < n - 4) c[i] = 2 * acc;",
}


@pytest.mark.parametrize("store", OTHER_CONDITIONS.values(), ids=list(OTHER_CONDITIONS))
def test_conditions_are_others(store: str) -> None:
    source = kernels("const float acc = a[i];", store, "if (i < n) d[i] = c[i];")
    kept = {"c"} if "else" in store else set[str]()  # each way comes to a store
    check(source, CALLS[:2], ["c", "e"], kept)
