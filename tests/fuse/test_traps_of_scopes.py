"""Where a value may be loaded and stored: its index has variables of its own, on PoCL."""

from __future__ import annotations

import pytest

from tests.support.kernel_side import fused_and_same, fused_text

INDEX = "int i = get_global_id(0);"


def f(body: str) -> str:
    return f"kernel void f(global float *y, global const float *x)\n{{ {body} }}\n"


def g(body: str) -> str:
    return (
        "kernel void g(global float *z, global float *y, global const float *x)\n"
        f"{{ {INDEX} {body} }}\n"
    )


CALLS = ["f(y, x)", "g(z, y, x)"]


@pytest.mark.parametrize(
    "body",
    [
        f"{INDEX} {{ int j = i; y[j] = x[j] * x[j]; }}",
        f"{INDEX} int j; {{ j = i; y[j] = x[j] * x[j]; }}",
        f"{INDEX} {{ {{ const int j = i; y[i] = x[j] * x[j]; }} }}",
        "int i = get_global_id(0), v = 1, w = x[i] * x[i]; y[i] = w + v;",
        "int i = get_global_id(0), w = x[i] * x[i]; y[i] = w + x[i];",
        f"{INDEX} float w = x[i], v = x[i]; y[i] = v + w;",
        f"{INDEX} int j; float w = (j = i, x[j]) * x[j]; y[j] = w;",
        f"{INDEX} for (int k = 0; k < 3; k++) {{ int j = i; y[j] = x[j] + k; }}",
        f"{INDEX} if (x[i] > 0) {{ int j = i; y[j] = x[j]; }} else {{ int j = i; y[j] = -x[j]; }}",
        f"{INDEX} y[i] = 1; for (int k = 0; k < 3; k++) y[i + k - k] += x[i + k - k];",
        f"{INDEX} y[i] = 1; for (int k = 0; k < 3; k++) {{ int j = i; y[j] = y[j] + k; }}",
        f"{INDEX} y[i] = 1; if (x[i] > 0) {{ int j = i; y[j] -= x[j]; }}",
        f"{INDEX} y[i] = 1; {{ int j = i; y[j]++; }} y[i] *= x[i];",
        f"int j; {{ {INDEX} j = i; y[j] = x[j]; }} y[j] += 2 * x[j];",
    ],
)
@pytest.mark.parametrize(
    ("then", "out"),
    [
        ("y[i] = y[i] + x[i]; z[i] = y[i];", ["z"]),
        ("for (int k = 0; k < 4; k++) { int j = i; y[j] = y[j] + x[j]; } z[i] = 1;", None),
    ],
    ids=["own", "inner"],
)
def test_index_of_an_inner_block(body: str, then: str, out: list[str] | None) -> None:
    fused_and_same(f(body) + g(then), CALLS, out, launches=1)


def test_index_of_an_inner_block_is_not_that_of_another_stage() -> None:
    """Both have a `j`: outside of the block, the text would name the other one."""
    source = (
        f("int i = get_global_id(0); int j = 63 - i; y[i] = x[j] * x[j];")
        + "kernel void g(global float *z, global const float *x, global const float *y)\n"
        + f"{{ {INDEX} for (int k = 0; k < 4; k++) {{ int j = i; z[j] = z[j] * 0.5f + k; }} }}\n"
    )
    fused_and_same(source, ["f(y, x)", "g(y, x, x)"], launches=1)


def test_value_of_an_inner_block_starts_later() -> None:
    """What stays in memory at first may still live in a variable from the next access on."""
    source = f(f"{INDEX} {{ int j = i; y[j] = x[j]; }}") + g("z[i] = y[i] * y[i] + x[i] * x[i];")
    text = fused_text(fused_and_same(source, CALLS, launches=1))
    assert "const float y_i = y[i];" in text
    assert "const float x_i = x[i];" in text


@pytest.mark.parametrize(
    "block",
    [
        "{ if (x[i] > 0) y[i] = 3; z[i] = y[i]; }",
        "{ for (int k = 0; k < 2; k++) y[i] += 3; z[i] = y[i]; }",
        "{ y[i] = 3; z[i] = y[i] * y[i]; }",
        "{ y[i] += x[i]; z[i] = y[i] * y[i]; }",
        "{ int j = i; y[j] = 3; z[i] = y[i]; }",
    ],
    ids=["condition", "loop", "store", "update", "inner"],
)
def test_value_is_not_loaded_above_a_store_in_its_block(block: str) -> None:
    copy = f"kernel void f(global float *y, global const float *x)\n{{ {INDEX} y[i] = x[i]; }}\n"
    calls = ["g(z, y, x)", "f(w, y)", "f(v, y)"]
    fused_and_same(copy + g(block), calls, launches=1)
