"""Proofs that hold for integers, but not for C's: narrow, unsigned or changed in between."""

from __future__ import annotations

import numpy as np
import pytest

from kfusion.api import CheckError, Fused, fuse
from kfusion.graph.model import Within
from kfusion.graph.target import ANY
from tests.support.kernel_side import fused_and_same

F = "kernel void f(global float *t, global const float *a"
G = "kernel void g(global float *o, global const float *t"
I = "int i = get_global_id(0);"  # noqa: E741
XY = "size_t x = get_global_id(0), y = get_global_id(1);"
UXY = "uint x = get_global_id(0), y = get_global_id(1);"
OF_GROUPS = "get_group_id(0)*get_local_size(0) + get_local_id(0)"
IXY = "int x = get_global_id(0), y = get_global_id(1);"


def launches(first: str, second: str, scalars: str = "") -> int:
    return len(fused(first, second, scalars).kernels)


def fused(first: str, second: str, scalars: str = "") -> Fused:
    declared = "".join(f", {part}" for part in scalars.split(", ") if part)
    names = "".join(f", {part.split()[-1]}" for part in scalars.split(", ") if part)
    source = f"{F}{declared})\n{{ {first} }}\n{G}{declared})\n{{ {second} }}\n"
    return fuse(source, [f"f(t, a{names})", f"g(o, t{names})"])


ROWS = (
    f"{I} if (i == 0) return; float s = 0; for (int k = 0; k < w; k++) s += t[i*w + k]; o[i] = s;"
)


@pytest.mark.parametrize(
    ("first", "second", "scalars"),
    [
        # The condition changes the loop variable; a char wraps around.
        (
            f"{I} if (!i) return; for (int k = 0; k < w && (k -= 2) > -w; k++) t[i*w + k] = a[i];",
            ROWS,
            "int w",
        ),
        (
            f"{I} if (!i) return; for (char k = 100; k != -100 && k < w; k++) t[i*w + k] = a[i];",
            ROWS,
            "int w",
        ),
        # Products that wrap around.
        pytest.param(
            f"{UXY} if (x < w) {{ if (y == 2) t[y*w + x] = a[x]; }}",
            f"{UXY} if (x < w) {{ if (!(y & 1)) o[y*8 + x] = t[y*w + x]; }}",
            "uint w",
            id="product-without-sign",
        ),
        # The store may leave out the item that would meet another.
        (
            f"{IXY} if (x < w) {{ if (a[x] > 0) t[y*w + x] = a[x]; }}",
            f"{IXY} if (x < w) o[y*8 + x] = t[y*w + x];",
            "uint w",
        ),
        # The indices differ where they wrap around.
        (
            f"{XY} if (x < w) t[y*w + x] = a[x];",
            f"{XY} uint j = y*w + x; if (x < w) o[j] = t[j];",
            "int w",
        ),
        # Not needed, but not proved: an index without sign and one with.
        (
            f"{I} for (uint k = 0; k < 4; k++) t[i*4 + k] = a[i];",
            f"{I} for (int k = 0; k < 4; k++) o[i*4 + k] = t[i*4 + k];",
            "",
        ),
        (
            "uint i = get_global_id(0); if (i == 4) t[i << 30] = a[i];",
            "uint i = get_global_id(0); if (!(i & 3)) o[i] = t[i << 30];",
            "",
        ),
        # Conversions that change the value.
        (
            f"{XY} int j = y*w + x; if (x < w) {{ if (y == 2) t[j] = a[x]; }}",
            f"{XY} int j = y*w + x; if (x < w) {{ if (!(y & 1)) o[y*8 + x] = t[j]; }}",
            "uint w",
        ),
        # The number of dimensions is not known.
        (
            f"{I} t[i] = a[get_global_linear_id()];",
            f"{I} if (get_global_linear_id() < 8) o[i] = t[i];",
            "",
        ),
    ],
)
def test_cut(first: str, second: str, scalars: str) -> None:
    assert launches(first, second, scalars) == 2


@pytest.mark.parametrize("n", [0, 1])
def test_what_all_items_store_on_purpose(n: int) -> None:
    """Nothing bounds the distance: each item computes what all store where it is 0."""
    source = f"{F}, uint n) {{ uint i = get_global_id(0); t[i*n] = a[0]; }}\n"
    source += f"{G}, uint n) {{ uint i = get_global_id(0); o[i] = t[i*n]; }}\n"
    calls, scalars = ["f(t, a, n)", "g(o, t, n)"], {"n": np.uint32(n)}
    fused_and_same(source, calls, launches=1, scalars=scalars, target=ANY)


@pytest.mark.parametrize(
    ("first", "second", "scalars"),
    [
        (
            f"{XY} if (x < w) t[y*w + x] = a[x];",
            f"{XY} if (x < w) o[y*w + x] = t[y*w + x];",
            "uint w",
        ),
        (
            "int i = get_global_id(0); if (i < n) t[i] = a[i];",
            "int i = get_global_id(0); if (i < n) o[i] = t[i];",
            "uint n",
        ),
        (
            "uint i = get_global_id(0); if ((size_t)i < n) t[i] = a[i];",
            "int i = get_global_id(0); if ((size_t)i < n) o[i] = t[i];",
            "ulong n",
        ),
        (
            f"{I} for (uint k = 0; k < 4; k++) t[i] = a[i];",
            f"{I} for (int k = 0; k < 4; k++) o[i] = t[i];",
            "",
        ),
        # The store covers what the other kernel reads.
        (
            f"{XY} if (x < w) t[y*w + x] = a[x];",
            f"{XY} if (x < w && y != 3) {{ if (o[x] > 0) o[y*w + x] = t[y*w + x]; }}",
            "int w",
        ),
    ],
)
def test_still_one_kernel(first: str, second: str, scalars: str) -> None:
    assert launches(first, second, scalars) == 1


@pytest.mark.parametrize("width", ["int w", "uint w", "size_t w"])
@pytest.mark.parametrize(
    ("setup", "index"),
    [
        (XY, "y*w + x"),
        (UXY, "y*w + x"),
        (IXY, "y*w + x"),
        (f"{IXY} int i = y*w + x;", "i"),
        ("int x = get_global_id(0); int i = get_global_id(1)*w + get_global_id(0);", "i"),
        ("uint x = get_global_id(0); uint i = get_global_id(1)*w + get_global_id(0);", "i"),
        (f"int x = {OF_GROUPS}; int y = {OF_GROUPS.replace('(0)', '(1)')};", "y*w + x"),
        ("size_t x = get_global_id(0); int i = get_global_id(1)*w + get_global_id(0);", "i"),
    ],
)
def test_rows_of_an_image(setup: str, index: str, width: str) -> None:
    """However the row is computed: items that meet would have a race in the first kernel."""
    for guard in ("if (x < w) ", "if (x >= w) return; "):
        first, second = f"t[{index}] = a[{index}];", f"o[{index}] = t[{index}];"
        assert launches(f"{setup} {guard}{first}", f"{setup} {guard}{second}", width) == 1
        # Then they are launched for no more columns than there are.
        unguarded = fused(f"{setup} {first}", f"{setup} {guard}{second}", width)
        assumed = unguarded.plan.groups[0].assumptions
        limits = {(a.dimension, a.scalar) for a in assumed if isinstance(a, Within)}
        assert limits == (set() if width == "size_t w" else {(0, "w")})


def test_rows_without_a_guard_are_as_long_as_the_range() -> None:
    """All items of a column may store the same on purpose, if `w` is 0."""
    made = fused(f"{XY} t[y*w + x] = a[0];", f"{XY} o[y*8 + x] = t[y*w + x];", "int w")
    assert len(made.kernels) == 1
    buffers = {name: np.zeros(64, np.float32) for name in "tao"}
    made.check({**buffers, "w": 8}, [(8, 4), (8, 4)])
    for w, size, message in [
        (0, (8, 4), "the range of call 0 ends at 8 in dimension 0, behind 'w', which is 0"),
        (8, (9, 4), "the range of call 0 ends at 9 in dimension 0, behind 'w', which is 8"),
    ]:
        with pytest.raises(CheckError) as caught:
            made.check({**buffers, "w": w}, [size, size])
        assert str(caught.value) == message


@pytest.mark.parametrize("width", ["int", "uint"])
@pytest.mark.parametrize("setup", [XY, UXY, IXY])
def test_rows_of_an_image_on_a_device(setup: str, width: str) -> None:
    body = f"{setup} if (x >= w) return;"
    source = (
        f"{F}, {width} w)\n{{ {body} t[y*w + x] = a[y*w + x] * 2; }}\n"
        f"{G}, {width} w)\n{{ {body} o[y*w + x] = t[y*w + x] + 1; }}\n"
    )
    scalars = {"w": np.dtype(f"{width}32").type(6)}
    calls = ["f(t, a, w)", "g(o, t, w)"]
    fused_and_same(source, calls, ["o"], launches=1, scalars=scalars, size=(8, 8))


@pytest.mark.parametrize("type_", ["int", "uint", "size_t"])
def test_rows_of_the_range(type_: str) -> None:
    """A width that is the global size needs no guard."""
    setup = f"{XY} {type_} w = get_global_size(0); "
    assert launches(f"{setup} t[y*w + x] = a[x];", f"{setup} o[y*w + x] = t[y*w + x];") == 1


GUARD = "int i = get_global_id(0); int j = i - 2; if ((long)j < 10L) o[i] = t[i];"


@pytest.mark.parametrize(
    ("first", "second", "scalars"),
    [
        (
            "int i = get_global_id(0); uint j = i - 2; if ((long)j < 10L) t[i] = a[i];",
            GUARD,
            "",
        ),
        (
            "int i = get_global_id(0); uint j = i - 2; long k = j; if (k < 10L) t[i] = a[i];",
            GUARD,
            "",
        ),
        (
            "int i = get_global_id(0); long m = (int)n; if (i < m) t[i] = a[i];",
            "int i = get_global_id(0); if (i < n) o[i] = t[i];",
            "long n",
        ),
    ],
)
def test_guards_are_not_the_same(first: str, second: str, scalars: str) -> None:
    declared = f", {scalars}" if scalars else ""
    source = f"{F}{declared})\n{{ {first} }}\n{G}{declared})\n{{ {second} }}\n"
    names = f", {scalars.rsplit(maxsplit=1)[-1]}" if scalars else ""
    fused = fuse(source, [f"f(t, a{names})", f"g(o, t{names})"])
    text = fused.source[len(source) :]
    assert not text.strip() or text.count("if (") == 2


def test_parameter_that_only_a_macro_names() -> None:
    source = f"#define VAL a[i]\n{F}) {{ {I} t[i] = VAL; }}\n{G}) {{ {I} o[i] = t[i] + 1; }}\n"
    fused = fuse(source, ["f(t, a)", "g(o, t)"])
    (kernel,) = fused.kernels
    assert "a" in kernel.arguments
    assert "float *a" in fused.source[len(source) :]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            f"{XY} if (x < w) {{ if (y == 2) t[base + y*w + x] = a[x]; }}",
            f"{XY} if (x < w) {{ o[y*8 + x] = t[base + y*w + x]; }}",
        ),
        (
            f"{XY} if (x < w && y < 2) t[y*w + x] = a[x];",
            f"{XY} if (x < w) o[y*8 + x] = t[y*w + x];",
        ),
    ],
)
def test_width_that_is_compared_without_sign(first: str, second: str) -> None:
    """`x < w` says nothing of a negative w: that is refused."""
    made = fused(first, second, "int w, int base")
    assert len(made.kernels) == 1
    given = {name: np.zeros(4, np.float32) for name in "ato"} | {"base": 1}
    made.check(given | {"w": 0})
    with pytest.raises(CheckError, match="'w'"):
        made.check(given | {"w": -1})
