"""Stores of components: `t[i].y *= f;` changes what a variable holds, if it holds the element."""

from __future__ import annotations

import numpy as np
import pytest

from kfusion.graph.target import Target
from tests.support.kernel_side import OWN_ELEMENTS, fused_and_same, fused_text

SCALARS = {"n": np.int32(60)}
CALLS = ["f(t, a, n)", "g(t, a, n)", "h(o, t, n)"]
WHOLE = "t[i] = a[i] * 2.0f;"


def program(first: str, second: str, type_: str = "float4") -> str:
    head = "const int i = get_global_id(0); if (i >= n) return;"
    parts = f"global {type_} *t, global const {type_} *a, int n"
    return (
        f"kernel void f({parts}) {{ {head} {first} }}\n"
        f"kernel void g({parts}) {{ {head} {second} }}\n"
        f"kernel void h(global {type_} *o, global const {type_} *t, int n)"
        f" {{ {head} o[i] = t[i] + ({type_})1; }}\n"
    )


def loads_and_stores(
    source: str, out: list[str], *, target: Target = OWN_ELEMENTS, bytes_: int = 1
) -> tuple[int, int, str]:
    data = np.random.default_rng(3)
    kind = {1: np.uint8, 4: np.float32}[bytes_]
    buffers = {name: data.integers(0, 9, 8 * 66).astype(kind) for name in ("t", "a", "o")}
    fused = fused_and_same(
        source, CALLS, out, launches=1, scalars=SCALARS, buffers=buffers, target=target
    )
    (group,) = fused.plan.groups
    return group.loads_after, group.stores_after, fused_text(fused)


IN_A_VARIABLE = {
    "t[i].y *= 3;": "t_i.y *= 3;",
    "t[i].xy = a[i].zw;": "t_i.xy = a_i.zw;",
    "t[i].lo.y += t[i].hi.x;": "t_i.lo.y += t_i.hi.x;",
    "t[i].s3++;": "t_i.s3++;",
    "t[i].x = t[i].y; t[i].y = 1;": "t_i.x = t_i.y;",
}


@pytest.mark.parametrize("work", IN_A_VARIABLE)
def test_components_of_a_variable(work: str) -> None:
    loads, stores, text = loads_and_stores(program(WHOLE, work), ["o"], bytes_=4)
    assert (loads, stores) == (1, 1)
    assert IN_A_VARIABLE[work] in text


def test_the_whole_is_stored_once() -> None:
    loads, stores, text = loads_and_stores(
        program(WHOLE, "t[i].y *= 3; t[i].x = 1;"), ["o", "t"], bytes_=4
    )
    assert (loads, stores) == (1, 2)
    assert text.count("t[i] = t_i;") == 1


def test_numbers_are_cut_as_in_memory() -> None:
    text = program("t[i] = a[i] + (uchar4)250;", "t[i].z += 200; t[i].w = 300;", "uchar4")
    assert loads_and_stores(text, ["o"])[:2] == (1, 1)


STAY_IN_MEMORY = [
    "if (a[i].x > 3) t[i].y = 1;",
    "for (int k = 0; k < 2; k++) t[i].y += 1;",
    "a[i].x > 3 ? (t[i].y = 1) : 0;",
    "t[i].y = 1, t[i].z = 2;",
    "{ int j = i; t[j].y *= 3; }",
    "t[i].s3 = 1; t[i][1] = 2;",
]


@pytest.mark.parametrize("work", STAY_IN_MEMORY)
def test_components_that_stay_in_memory(work: str) -> None:
    _, _, text = loads_and_stores(program("t[i].x = 2 * a[i].x;", work), ["o", "t"], bytes_=4)
    assert "t[i] = " not in text


def test_what_the_element_was_is_not_known() -> None:
    """Other items may store its other components."""
    _, _, text = loads_and_stores(program("t[i].x = a[i].y;", "t[i].y = a[i].x;"), ["t"], bytes_=4)
    assert "t[i].x = " in text
    assert "t[i].y = " in text


APART = """\
kernel void f(global float4 *u, global const float4 *a, int n)
{ const int i = get_global_id(0); if (i < n) u[i] = 2 * a[i]; }
kernel void g(global float4 *t, global const float4 *u, int n)
{
    const int i = get_global_id(0);
    if (i < n) { float x = t[i].x; t[i].y = x + u[i].x; t[i + 1].z = u[i].y; }
}
"""


def test_two_items_store_parts_of_one_element() -> None:
    data = np.random.default_rng(3)
    buffers = {name: data.random(4 * 66).astype(np.float32) for name in ("t", "a", "u")}
    calls = ["f(u, a, n)", "g(t, u, n)"]
    fused = fused_and_same(APART, calls, ["t"], launches=1, scalars=SCALARS, buffers=buffers)
    assert "t[i].y = " in fused_text(fused)
    assert "t[i] = " not in fused_text(fused)


def test_what_is_behind_three_components() -> None:
    """The fourth number of an element is not stored with the others."""
    source = program("t[i] = 2 * a[i];", "t[i].y = 1;", "float3")
    _, _, text = loads_and_stores(source, ["t"], bytes_=4)
    assert "t[i].y = 1;" in text


def test_a_later_store_is_not_reached_by_all() -> None:
    """Each store of a component is kept: the last one is under a condition, and ends the kernel."""
    work = "t[i].y *= 3; if (a[i].x > 3) { t[i] = a[i]; return; }"
    source = program(WHOLE, work).replace("kernel void h(", "kernel void unused(")
    data = np.random.default_rng(3)
    buffers = {name: data.integers(0, 9, 8 * 66).astype(np.float32) for name in ("t", "a")}
    fused = fused_and_same(source, CALLS[:2], ["t"], launches=1, scalars=SCALARS, buffers=buffers)
    assert "t_i.y *= 3;" in fused_text(fused)
