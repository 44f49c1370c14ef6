"""What is computed again for other items is what they have computed, and not what the item has."""

from __future__ import annotations

import numpy as np
import pytest

from kfusion.graph.target import Target
from tests.support.kernel_side import fused_and_same

EAGER = Target(near=1 << 20)  # whatever it costs to compute again
SOURCE = """\
kernel void f(global float *t, global const float *a, int n)
{
    int i = get_global_id(0);
    if (i < n) t[i] = %s;
}
kernel void g(global float *c, global float *t, int n)
{
    int i = get_global_id(0);
    if (i < n) { %s }
}
kernel void k(global float *u, global const float *t, int n)
{
    int i = get_global_id(0);
    if (i < n) u[i] = t[min(i + 1, n - 1)];
}
"""
N = {"n": np.int32(64)}


@pytest.mark.parametrize(
    "body",
    [
        "t[i] = t[i] * 3; c[i] = t[i];",
        "c[i] = (t[i] = 4, t[i]);",
        "for (int j = 0; j < 3; j++) t[i] = t[i] * 2; c[i] = t[i];",
    ],
)
def test_element_that_the_item_has_changed(body: str) -> None:
    calls = ["f(t, a, n)", "k(u, t, n)", "g(c, t, n)"]
    source = SOURCE % ("a[i]", body)
    fused_and_same(source, calls, ["u", "c"], launches=1, scalars=N, target=EAGER)


def test_element_by_another_index_that_the_item_has_changed() -> None:
    body = "if (i == n - 1) { %s }"
    calls = ["f(t, a, n)", "g(c, t, n)"]
    for inside, launches in [("c[i] = t[n - 1];", 1), ("t[i] = 7; c[i] = t[n - 1];", 2)]:
        source = SOURCE % ("a[i]", body % inside)
        fused_and_same(source, calls, ["c"], launches=launches, scalars=N, target=EAGER)


@pytest.mark.parametrize("value", ["get_global_id(0) - 5", "sizeof get_global_id(0)"])
def test_id_has_the_type_that_it_had(value: str) -> None:
    calls = ["f(t, a, n)", "k(u, t, n)"]
    source = SOURCE % (f"a[i] + ({value})", "c[i] = 1;")
    fused_and_same(source, calls, ["u"], launches=1, scalars=N, target=EAGER)
