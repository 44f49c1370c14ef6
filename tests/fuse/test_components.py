"""Trap 13, for vectors and structs: stores and loads of components, on PoCL."""

from __future__ import annotations

import pytest

from tests.support.kernel_side import fused_and_same, fused_text

I = "int i = get_global_id(0);"  # noqa: E741


def source(first: str, second: str, type_: str = "float4") -> str:
    return (
        "struct P { float x, y, z, w; };\n"
        f"kernel void f(global {type_} *t, global const {type_} *a)\n{{ {I} {first} }}\n"
        f"kernel void g(global {type_} *o, global const {type_} *t)\n{{ {I} {second} }}\n"
    )


@pytest.mark.parametrize("out", [["t", "o"], ["o"]])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("t[i].w = a[i].x;", "o[i] = t[i];"),
        ("t[i].xyz = a[i].yzw * 2;", "o[i] = t[i] + 1;"),
        ("t[i] = a[i]; t[i].w = 1;", "o[i] = t[i].wzyx;"),
        ("t[i] = a[i] * 2;", "o[i].xyz = t[i].xyz; o[i].w = t[i].w;"),
        ("t[i].s0 = a[i].s3; t[i].s12 = a[i].s01;", "o[i] = t[i] * 2;"),
        ("t[i].x += a[i].y;", "o[i] = t[i];"),
        ("t[i].x++;", "o[i] = t[i];"),
        ("if (a[i].x > 0) t[i].y = 3;", "o[i] = t[i] * 2;"),
        ("(t[i]).y = a[i].x;", "o[i] = (t[i]).yyyy;"),
        ("(*(t + i)).y = a[i].x;", "o[i] = t[i];"),
        ("t[i][1] = a[i][2];", "o[i] = t[i];"),
    ],
)
def test_trap_13_components(first: str, second: str, out: list[str]) -> None:
    """What a component's store leaves of the element is still there for the next stage."""
    fused_and_same(source(first, second), ["f(t, a)", "g(o, t)"], out, launches=1, size=(16,))


def test_trap_13_members_of_structs() -> None:
    text = source("t[i].x = a[i].y; t[i].y = 2;", "o[i] = t[i]; o[i].x += 1;", "struct P")
    fused_and_same(text, ["f(t, a)", "g(o, t)"], launches=1, size=(16,))


def test_trap_13_component_of_an_element_that_is_overwritten() -> None:
    """A store of a component does not make the store of the element dead."""
    text = source("t[i] = a[i];", "o[i].y = t[i].z;")
    fused = fused_and_same(text, ["f(t, a)", "g(t, b)"], ["t"], launches=1, size=(16,))
    assert "float4 t_i = a[i];" in fused_text(fused)
    assert "t[i] = t_i;" in fused_text(fused)
