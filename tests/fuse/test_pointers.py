"""Kernels that change indices and pointers, cast them, and give them to functions: on PoCL."""

from __future__ import annotations

import numpy as np
import pytest

from kfusion.api import CheckError
from kfusion.graph.model import AtMost
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
    cut = refusal(SQUARE + g("int j; if (y[i] > 1) j = i; else j = i - 1; z[i] = y[j];"), CALLS)
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


def test_rows_that_pointers_walk_along() -> None:
    head = "kernel void {}(global float *{}, global const float *{}, int w, int n)\n"
    start = "int j = get_global_id(0); if (j >= n) return; "
    source = head.format("f", "y", "x") + (
        f"{{ {start}global const float *p = x + j * w; global float *q = y + j * w;\n"
        "  for (int k = 0; k < w; k++) *q++ = *p++ * 2.0f; }\n"
    )
    calls = ["f(y, x, w, n)", "g(z, y, w, n)"]
    scalars = {"w": np.int32(7), "n": np.int32(9)}
    for row, first, launches in [("&y[j * w]", "k = 0", 1), ("y + j * w + 1", "k = 0", 2)]:
        body = f"global const float *p = {row}; float s = 0; for (int {first}; k < w; ++k)"
        reader = head.format("g", "z", "y") + f"{{ {start}{body} s += p[k]; z[j] = s; }}\n"
        fused_and_same(source + reader, calls, launches=launches, scalars=scalars, size=(9,))


BYTES = """
kernel void f(global uchar *y, global const uchar *x, int pitch, int w, int h)
{
    const int i = get_global_id(0), j = get_global_id(1);
    if (i < w && j < h) {
        const int at = mad24(j, pitch, i * (int)sizeof(float));
        *(global float *)(y + at) = 2.0f * *(global const float *)(x + at);
    }
}
kernel void g(global uchar *z, global const uchar *y, int pitch, int w, int h)
{
    const int i = get_global_id(0), j = get_global_id(1);
    if (i < w && j < h) {
        global const float *row = (global const float *)(y + j * pitch);
        ((global float *)(z + j * pitch))[i] = 1.0f + row[INDEX];
    }
}
"""


@pytest.mark.parametrize(("index", "launches"), [("i", 1), ("w - 1 - i", 2)])
def test_rows_with_a_pitch_in_bytes(index: str, launches: int) -> None:
    data = np.random.default_rng(5).random((6, 12)).astype(np.float32)
    scalars = {"pitch": np.int32(48), "w": np.int32(9), "h": np.int32(5)}
    calls = ["f(y, x, pitch, w, h)", "g(z, y, pitch, w, h)"]
    source = BYTES.replace("INDEX", index)
    buffers = {name: data.view(np.uint8).reshape(-1) for name in "xyz"}
    made = fused_and_same(
        source, calls, launches=launches, scalars=scalars, buffers=buffers, size=(12, 6)
    )
    if launches == 1:
        assert AtMost("w", "pitch", "int", 4) in made.plan.groups[0].assumptions
        with pytest.raises(CheckError, match="4 times 'w' is 52, more than 'pitch', which is 48"):
            made.check({**buffers, "w": 13, "pitch": 48})


@pytest.mark.parametrize(
    ("store", "load", "launches"),
    [
        ("vstore4(vload4(i, x), i, y);", "for (int k = 0; k < 4; k++) z[4*i + k] = y[4*i + k];", 1),
        ("vstore4(vload4(i, x), i, y);", "z[4*i] = y[61 - 4*i];", 2),
        ("((global float2 *)y)[i] = vload2(i, x);", "z[i] = y[2 * i] - y[2 * i + 1];", 1),
        ("((global float2 *)y)[i] = vload2(i, x);", "z[i] = y[2 * i] - y[2 * i + 2];", 2),
        ("((global float2 *)y)[2*i] = vload2(i, x);", "vstore2(vload2(0, y + 61 - 4*i), i, z);", 2),
        ("y[i] = x[i];", "z[i] = ((global const uchar *)y)[4 * i + 2];", 1),
        ("y[i] = x[i];", "z[i] = ((global const uchar *)y)[i];", 2),
        ("y[i] = x[i];", "z[i] = vload_half(2 * i + 1, (global const half *)y);", 1),
    ],
)
def test_parts_of_elements(store: str, load: str, launches: int) -> None:
    """In sixteen items, each of four elements at most."""
    scalars = {"n": np.int32(3)}
    fused_and_same(f(store) + g(load), CALLS, launches=launches, scalars=scalars, size=(16,))


def test_store_of_wider_elements_is_kept() -> None:
    """What comes later writes the same indices, of smaller elements."""
    source = f("((global float4 *)y)[i] = vload4(i, x);") + g("y[i] = 3.0f; z[i] = n;")
    source = source.replace(
        "global float *z, global const float *y", "global float *z, global float *y"
    )
    other = g("z[i] = n;").replace("void g", "void h")
    calls = ["f(y, x, n)", "h(z, x, n)", "g(w, y, n)"]
    fused_and_same(source + other, calls, launches=2, scalars={"n": np.int32(3)}, size=(16,))


def test_a_vector_that_is_loaded_is_kept_in_a_variable() -> None:
    """`vload4` changes nothing: the statement that stores its value does only that."""
    source = f"kernel void f(global float4 *y, global const float *x, int n) {{ {INDEX} "
    source += "y[i] = vload4(i, x) / 3.0f; }\n"
    source += f"kernel void g(global float4 *y, int n) {{ {INDEX} y[i] = y[i] * y[i]; }}\n"
    calls = ["f(y, x, n)", "g(y, n)"]
    fused = fused_and_same(source, calls, launches=1, scalars={"n": np.int32(3)}, size=(16,))
    assert "const float4 y_i = vload4(i, x) / 3.0f;" in fused_text(fused)
    assert fused.plan.groups[0].stores_after == 1


@pytest.mark.parametrize(
    ("store", "load"),
    [
        ("((global float4 *)y)[i] = vload4(i, x);", "vstore4(2 * ((global float4 *)y)[i], i, z);"),
        ("vstore4(vload4(i, x), i, y);", "vstore4(vload4(i, y) + 1, i, z);"),
        ("vstore4(vload4(0, x + 4 * i), 0, y + 4 * i);", "vstore4(vload4(i, y) + 1, i, z);"),
        ("vstore3((float3)(x[i]), i, y);", "z[i] = dot(vload3(i, y), (float3)(1));"),
        ("((global int2 *)y)[i] = as_int2(vload2(i, x));", "z[i] = ((global int2 *)y)[i].y;"),
        ("*((global int *)y + i) = x[i] * 9;", "z[i] = *((global const int *)y + i);"),
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


CAST = """\
DEFINITION
kernel void f(global uchar *y, global const uchar *x, int step, int start, int w, int h)
{
    const int i = get_global_id(0), j = get_global_id(1);
    if (i < w && j < h)
        *(global T *)(y + j*step + i*4 + start) = *(global const T *)(x + j*step + i*4 + start) * 2;
}
kernel void g(global uchar *z, global const uchar *y, int step, int start, int w, int h)
{
    const int i = get_global_id(0), j = get_global_id(1);
    if (i < w && j < h)
        ((global T *)(z + j*step + start))[i] = INDEX;
}
"""
OWN = "*(global const T *)(y + j*step + i*4 + start)"


@pytest.mark.parametrize(
    ("definition", "index", "told"),
    [
        ("#define T float", OWN, ""),
        ("#define T float", OWN.replace("i*4", "(i ^ 1)*4"), "*(global const T *)(y + j*step"),
        ("#define T float", "((global const T *)(y + j*step))[i ^ 1]", "((global const T *)(y"),
        ("#define T float", "*(global const T *)&y[j*step + (i ^ 1)*4]", "*(global const T *)&y[j"),
        ("#ifdef WIDE\n#define T double\n#else\n#define T float\n#endif", OWN, "*(global T *)(y"),
        ("#define T float\n#undef T\n#define T float", OWN, "*(global T *)(y"),
    ],
)
def test_cast_to_a_type_that_the_file_defines(definition: str, index: str, told: str) -> None:
    source = CAST.replace("DEFINITION", definition).replace("INDEX", index)
    calls = ["f(y, x, step, start, w, h)", "g(z, y, step, start, w, h)"]
    if told:
        start = f"the index of '{told}"
        assert refusal(source, calls).message.startswith(start)
    scalars = {"step": np.int32(48), "start": np.int32(8), "w": np.int32(8), "h": np.int32(5)}
    data = np.random.default_rng(3).random(72, np.float32)
    buffers = {name: data.view(np.uint8).reshape(-1) for name in "xyz"}
    launches = 2 if told else 1
    fused_and_same(source, calls, launches=launches, scalars=scalars, buffers=buffers, size=(12, 6))
