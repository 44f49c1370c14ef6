"""Kernels that change indices and pointers, cast them, and give them to functions: on PoCL."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.kernel_side import fused_and_same, fused_text, refusal

INDEX = "int i = get_global_id(0);"
HELPERS = """\
float at(global const float *p, int i) { return p[i]; }
void put(global float *p, float v) { if (v < 0) return; *p = v; }
void both(global float *p, float v) { put(p, v); *p += 1; }
float row(global const float *p, int n) { float s = 0; while (n--) s += *p++; return s; }
"""


def f(body: str) -> str:
    return f"kernel void f(global float *y, global const float *x, int n)\n{{ {INDEX} {body} }}\n"


def g(body: str) -> str:
    return f"kernel void g(global float *z, global const float *y, int n)\n{{ {INDEX} {body} }}\n"


CALLS = ["f(y, x, n)", "g(z, y, n)"]
SQUARE_ = "y[i] = x[i] * x[i];"
SQUARE = f(SQUARE_)
HALF = g("z[i] = y[i] * 0.5f;")
N = {"n": np.int32(60)}


@pytest.mark.parametrize(
    "body",
    [
        "int j = 3; j += i; j -= 3; z[j] = y[j];",
        "int j; if (n > 3) j = i; else j = i; z[j] = y[j];",
        "int j = i; if (j >= n) return; j = j * 2; j /= 2; z[j] = y[j] + 1;",
        "z += i; *z = y[i];",
        "global float *p = z + 4; p -= 4; global const float *q; q = y; q += i; p[i] = *q;",
        "put(z + i, at(y, i));",
        "put(&z[i], at(y + i, 0));",
    ],
)
def test_reader_of_its_own_elements(body: str) -> None:
    fused_and_same(HELPERS + SQUARE + g(body), CALLS, launches=1, scalars=N)


@pytest.mark.parametrize(
    "body",
    [
        "int j = 3; j += i; j -= 2; z[i] = y[j & 63];",
        "while (i < n) { z[i] = y[n - 1 - i]; i += get_global_size(0); }",
        "int j = i; while (j < n) { z[i] = y[j]; j += 1; }",
        "y += 1; z[i] = y[i & 31];",
        "global const float *q = y + i; z[i] = 0; for (int k = i; k < n; k++) z[i] += *q++;",
        "put(z + i, at(y, i ^ 1));",
        "z[i] = row(y, i);",
        "both(z + i, at(y, 63 - i));",
    ],
)
def test_reader_of_other_elements(body: str) -> None:
    fused_and_same(HELPERS + SQUARE + g(body), CALLS, ["y"], launches=2, scalars=N)


def test_loops_over_one_range() -> None:
    """Twenty items, for sixty elements."""
    loop = "while (i < n) {{ {} i += get_global_size(0); }}"
    source = f(loop.format(SQUARE_)) + g("for (; i < n; i += get_global_size(0)) z[i] = y[i];")
    fused_and_same(source, CALLS, launches=1, scalars=N, size=(20,))


def test_value_that_branches_do_not_agree_in() -> None:
    cut = refusal(SQUARE + g("int j; if (i % 2 == 0) j = i; else j = i - 1; z[i] = y[j];"), CALLS)
    assert cut.message.startswith("the index of 'y[j]' in g() is not understood")


def test_value_that_a_loop_changes() -> None:
    body = "int j = i; z[i] = 0; for (int k = 0; k < 2; k++) { z[i] += y[j]; j ^= 1; }"
    cut = refusal(SQUARE + g(body), CALLS)
    assert cut.message.startswith("the index of 'y[j]' in g() is not understood")


def test_pointer_that_is_not_followed() -> None:
    cut = refusal(SQUARE + g("global const float *p = i % 2 ? y : y + 1; z[i] = p[i];"), CALLS)
    assert (cut.code, cut.message) == (
        "KF205",
        (
            "g() passes on, copies or casts a pointer into 'y', so any element may be read, and "
            "f() writes it too"
        ),
    )


def test_elements_of_two_widths() -> None:
    source = f("if (i < 16) ((global float4 *)y)[i] = vload4(i, x);") + HALF
    cut = refusal(source, CALLS)
    assert cut.code == "KF201"


@pytest.mark.parametrize(
    ("store", "load"),
    [
        ("((global float4 *)y)[i] = vload4(i, x);", "vstore4(2 * ((global float4 *)y)[i], i, z);"),
        ("vstore4(vload4(i, x), i, y);", "vstore4(vload4(i, y) + 1, i, z);"),
        ("vstore4(vload4(0, x + 4 * i), 0, y + 4 * i);", "vstore4(vload4(i, y) + 1, i, z);"),
        ("vstore3((float3)(x[i]), i, y);", "z[i] = dot(vload3(i, y), (float3)(1));"),
        ("((global int2 *)y)[i] = as_int2(vload2(i, x));", "z[i] = ((global int2 *)y)[i].y;"),
        (
            "y = (global float *)((global char *)y + 4 * n); y[i - n] = x[i];",
            "z[i] = ((global float *)((global char *)y + 4 * n))[i - n];",
        ),
    ],
)
def test_elements_of_one_width(store: str, load: str) -> None:
    """In sixteen items, each of four elements at most."""
    fused_and_same(f(store) + g(load), CALLS, launches=1, scalars={"n": np.int32(3)}, size=(16,))


def test_pointer_that_is_passed_on_blocks_only_its_buffer() -> None:
    """Nothing that is written is reached through it."""
    source = SQUARE + (
        "kernel void g(global float *z, global const float *y, global const float *t)\n"
        f"{{ {INDEX} global const float *p = i % 2 ? t : t + 1; z[i] = y[i] * p[i]; }}\n"
    )
    fused = fused_and_same(source, [CALLS[0], "g(z, y, t)"], ["z"], launches=1, scalars=N)
    assert "const float y_i" in fused_text(fused)
