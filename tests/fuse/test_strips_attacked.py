"""Programs whose strips were once wrong, or could not be made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from kfusion.api import CheckError, Fused, fuse
from kfusion.graph.model import LaunchRange, Within
from kfusion.notation import Agreement
from tests.fuse.test_stencils import ALL, EXTENTS, PLANE, XY, kernel
from tests.stencils.running import STRIPS
from tests.support.kernel_side import fused_and_same, random_data

NAMES = ", ".join(EXTENTS)
LEFT = f"{ALL} o[i] = t[y*w + max(x - 1, 0)];"
PITCH = f"{XY} if (x < r - 3 && y < h) o[y*r + x] = t[y*r + max(x - 1, 0)];"
CALLS = (f"f(t, a, {NAMES})", f"g(o, t, {NAMES})")
SIZE = np.dtype([("w", np.int32), ("h", np.int32)])


def check(
    source: str,
    calls: Sequence[str] = CALLS,
    scalars: Mapping[str, int] | None = None,
    *,
    strips: bool = True,
) -> Fused:
    """One kernel, that walks down strips or does not."""
    size: Any = np.array((13, 7), SIZE)[()]
    numbers = {"w": 13, "h": 7, "d": 3, "r": 16, "n": 1, **(scalars or {})}
    fused = fused_and_same(
        source,
        calls,
        ["o"],
        launches=1,
        scalars={name: np.int32(number) for name, number in numbers.items()} | {"s": size},
        buffers=random_data("ato", 512),
        size=(13, 7),
        target=STRIPS,
    )
    assert (fused.kernels[0].tiles is not None) == strips
    return fused


@pytest.mark.parametrize(
    ("guard", "scalars"),
    [
        ("x != n && x < r - 3", {}),
        ("n != 2 && x < r - 3", {}),
        ("(uint)(x - 1) < (uint)w - 2 && x < r - 3", {"w": 1}),
        ("(uint)x != (uint)n && x < r - 3", {}),
    ],
)
def test_items_that_a_guard_lets_in(guard: str, scalars: Mapping[str, int]) -> None:
    """Those of a level are a range: no guard may let in others."""
    made = f"{XY} if (y < h && {guard}) t[y*r + x] = a[y*r + x] + 1.5f;"
    check(kernel("f", "t a", made) + kernel("g", "o t", PITCH), CALLS, scalars, strips=False)


@pytest.mark.parametrize(
    ("guard", "scalar"),
    [("(uint)x < w && x < r - 3", "w"), ("(uint)d < (uint)n && x < r - 3", "n")],
)
def test_negative_scalar_in_a_guard_without_sign(guard: str, scalar: str) -> None:
    made = f"{XY} if (y < h && {guard}) t[y*r + x] = a[y*r + x] + 1.5f;"
    source = kernel("f", "t a", made) + kernel("g", "o t", PITCH)
    fused = check(source, CALLS, {scalar: 9})
    with pytest.raises(CheckError):
        fused.check({"w": 13, "h": 7, "d": 3, "r": 16, "n": 1} | {scalar: -1})


def test_other_variable_with_the_name_of_the_loops_in_a_load() -> None:
    read = (
        f"{ALL} float s = t[y*w + max(x - 1, 0)]; for (int k = -1; k <= 1; k++) {{ int j = "
        "clamp(x + k, 0, w - 1); { int k = 1; s += (k + 1)*a[y*w + j]; } } o[i] = s;"
    )
    check(
        kernel("f", "t a", PLANE) + kernel("g", "o t a", read), (CALLS[0], f"g(o, t, a, {NAMES})")
    )


@pytest.mark.parametrize("index", ["x + n < w ? x : 0", "x + n >= w ? x : 0"])
def test_sum_without_sign_in_an_index(index: str) -> None:
    """It wraps around: nothing follows from it for integers that do not."""
    read = f"{LEFT} o[i] += a[y*w + ({index})];"
    source = kernel("f", "t a", PLANE) + kernel("g", "o t a", read)
    calls = (CALLS[0], f"g(o, t, a, {NAMES})")
    check(source.replace("int n)", "uint n)"), calls, {"n": -1})


def test_sum_without_sign_in_a_guard_of_the_last_kernel() -> None:
    read = f"{XY} if (x < w && y < h && x < (uint)n + 1) o[y*w + x] = t[y*w + max(x - 1, 0)];"
    check(kernel("f", "t a", PLANE) + kernel("g", "o t", read), CALLS, {"n": -1}, strips=False)


def test_rows_of_a_far_reach_are_too_many_for_any_width() -> None:
    read = f"{ALL} o[i] = t[min(y + 300, h - 1)*w + max(x - 500, 0)];"
    check(kernel("f", "t a", PLANE) + kernel("g", "o t", read), strips=False)


@pytest.mark.parametrize("guard", ["x < w && y < h && x < s.w", "x < w && y < h"])
def test_member_of_a_structure(guard: str) -> None:
    made = f"{XY} if ({guard}) t[y*w + x] = a[min(x, s.h) + y*w];"
    source = (kernel("f", "t a", made) + kernel("g", "o t", LEFT)).replace(
        "int n)", "int n, size s)"
    )
    calls = [call.replace(")", ", s)") for call in CALLS]
    source = f"typedef struct {{ int w, h; }} size;\n{source}"
    check(source, calls)


@pytest.mark.parametrize("macro", ["min(a, b, c) a", "max(a, b, c) a", "clamp(a, b, c) 99"])
def test_macro_that_is_called_like_a_function_of_the_language(macro: str) -> None:
    made = f"{XY} if (x > 0 && x < w && y < h) t[y*w + x] = a[y*w + x];"
    source = kernel("f", "t a", made) + kernel("g", "o t", f"{ALL} o[i] = t[x > 0 ? i - 1 : i];")
    check(f"#define {macro}\n{source}", strips=False)


def test_each_group_assumes_something_of_its_own_launches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Agreement, "within", lambda *_, **__: True)
    made = f"{XY} if (x < r && y < h) t[y*r + x] = a[y*r + x];"
    read = f"{XY} if (w > 0 && y < h) o[y*r + x] = t[y*r + clamp(x + 1, 0, w - 1)];"
    source = kernel("f", "t a", made) + kernel("g", "o t", read)
    others = [call.replace("t,", "u,").replace("o,", "c,") for call in CALLS]
    ranges = [LaunchRange(2, name) for name in "rrss"]
    fused = fuse(source, [*CALLS, *others], ["o", "c"], ranges=ranges, target=STRIPS, tiles=True)
    assert [group.members for group in fused.plan.groups] == [(0, 1), (2, 3)]
    for group in fused.plan.groups:
        assumed = {a.invocation for a in group.assumptions if isinstance(a, Within)}
        assert assumed
        assert assumed <= {*group.members}
