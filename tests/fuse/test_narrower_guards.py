"""A value goes on to stages under narrower guards: there it has been made for every item."""

from __future__ import annotations

import numpy as np
import pyopencl.cltypes as cltypes
import pytest

from kfusion.api import CheckError, fuse
from kfusion.graph.model import LaunchRange
from tests.support.kernel_side import fused_and_same, fused_text, random_data

SCALARS = {"n": np.int32(50), "m": np.int32(40), "k": np.uint32(0)}
CALLS = ["first(t, a, n, m, k)", "second(c, t, a, n, m, k)"]


def program(first: str, second: str, *, more: str = "") -> str:
    head = "const int i = get_global_id(0);"
    return (
        "kernel void first(global float *t, global const float *a, int n, int m, uint k)\n"
        f"{{ {head} {first} }}\n"
        "kernel void second(global float *c, global float *t, global const float *a, int n, "
        f"int m, uint k)\n{{ {head} {second} }}\n{more}"
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("if (i < n) t[i] = 2 * a[i];", "if (i < n - 1) c[i] = t[i] + a[i];"),
        ("if (i < n) t[i] = 2 * a[i];", "if (i > 0 && i < n - 1) c[i] = t[i] + a[i];"),
        ("if (i >= n) return; t[i] = 2 * a[i];", "if (i < 3 || i >= n) return; c[i] = t[i];"),
        ("t[i] = 2 * a[i];", "if (i < n) c[i] = t[i] + a[i];"),
        ("t[i] = 2 * a[i]; t[i] += 1;", "if (i < n) c[i] = t[i] + a[i];"),
        ("if (i < n) { t[i] = 2 * a[i]; t[i] *= t[i]; }", "if (i < n && i < m) c[i] = t[i];"),
        ("if (i < n) t[i] = 2 * a[i];", "if (i < n && a[i] > 0) c[i] = t[i];"),
        ("if (i < n && i < m) t[i] = 2 * a[i];", "if (i < m && i != 7 && i < n) c[i] = t[i];"),
        ("if ((size_t)i < n) t[i] = 2 * a[i];", "if (i > 0 && i < n) c[i] = t[i];"),
        ("if (i < n) t[i] = 2 * a[i];", "if ((uint)i < n && (size_t)i > 0) c[i] = t[i];"),
        ("if (i < k) t[i] = 2 * a[i];", "if ((size_t)i < k) c[i] = t[i] + a[i];"),
        ("if (i >= 9) t[i] = 2 * a[i];", "if ((size_t)i >= 9) c[i] = t[i] + a[i];"),
        # Both give C's answer without a sign, where k is 0.
        ("if (i < k) t[i] = 2 * a[i];", "if (i < k && i < k - 1) c[i] = t[i];"),
    ],
)
def test_value_is_a_variable(first: str, second: str) -> None:
    fused = fused_and_same(program(first, second), CALLS, ["c"], launches=1, scalars=SCALARS)
    assert fused.plan.groups[0].internalised == {"t"}
    assert "t[" not in fused_text(fused)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("if (i < n - 1) t[i] = 2 * a[i];", "if (i < n) c[i] = t[i] + a[i];"),
        ("if (i < n) t[i] = 2 * a[i];", "c[i] = t[i] + a[i];"),
        ("if (i < n) t[i] = 2 * a[i];", "if (i < m) c[i] = t[i] + a[i];"),
        ("if (i > 0 && i < n) t[i] = 2 * a[i];", "if (i < n - 1) c[i] = t[i] + a[i];"),
        # Where k is 0, k - 1 is the largest number: the second one has items, the first none.
        ("if (i < k) t[i] = 2 * a[i];", "if (i < k - 1) c[i] = t[i] + a[i];"),
        # Without a sign, what is less than 0 is a large number.
        ("if ((size_t)i - 1 < n) t[i] = 2 * a[i];", "if (i - 1 < n) c[i] = t[i];"),
        (
            "if (i < (int)(n + 4294967245L)) t[i] = 2 * a[i];",  # -1
            "if ((size_t)i < (int)(n + 4294967245L)) c[i] = t[i];",
        ),
        # An int and a uint of one value are no one scalar.
        ("if (i < n) t[i] = 2 * a[i];", "if ((size_t)i < k) c[i] = t[i] + a[i];"),
        # The guard of the second one is C's without a sign, and -1 more than any id.
        ("if (i < m - 41) t[i] = 2 * a[i];", "if (i < (uint)(m - 41)) c[i] = t[i] + a[i];"),
        ("if (i < n) if (a[i] > 0) t[i] = 2 * a[i];", "if (i < n - 1) c[i] = t[i] + a[i];"),
    ],
)
def test_value_that_not_all_items_have_made(first: str, second: str) -> None:
    fused = fused_and_same(program(first, second), CALLS, ["c"], launches=1, scalars=SCALARS)
    assert fused.plan.groups[0].internalised == frozenset()


def test_sum_that_wraps_around_is_another_guard() -> None:
    source = program("if (i < k + 1) t[i] = 2 * a[i];", "if (i < (size_t)k + 1) c[i] = t[i];")
    most = {**SCALARS, "k": np.uint32((1 << 32) - 1)}
    fused_and_same(source, CALLS, ["c"], launches=1, scalars=most)


def test_part_of_a_vector_is_looked_at() -> None:
    source = program("if (i < n.x) t[i] = 2 * a[i];", "if ((size_t)i < n.x) c[i] = t[i];")
    source = source.replace("int n", "int2 n")
    fused = fuse(source, CALLS, ["c"])
    assert fused.plan.groups[0].internalised == {"t"}
    data = random_data("act")
    fused.check({**data, "n": cltypes.make_int2(3, -1)}, [64] * 2)  # type: ignore[attr-defined]
    with pytest.raises(CheckError, match="less than 0"):
        fused.check({**data, "n": cltypes.make_int2(-1, 3)}, [64] * 2)  # type: ignore[attr-defined]


def test_from_an_offset_on_an_int_need_not_be_the_id() -> None:
    """From 2^32 on an int counts from 0, and a size_t does not."""
    source = program("if (i < n) t[i] = 2 * a[i];", "if (get_global_id(0) < n) c[i] = t[i];")
    for offset, kept in [(False, {"t"}), (True, set[str]())]:
        fused = fuse(source, CALLS, ["c"], ranges=[LaunchRange(1, "all", offset=offset)] * 2)
        assert fused.plan.groups[0].internalised == kept


STORING = (
    "kernel void between(global float *t, int n)\n"
    "{ const int i = get_global_id(0); if (i < n - 9) t[i] = 3; }\n"
)


def test_store_in_between_is_what_is_read() -> None:
    source = program("if (i < n) t[i] = 2 * a[i];", "if (i < n - 1) c[i] = t[i];", more=STORING)
    calls = [CALLS[0], "between(t, n)", CALLS[1]]
    fused_and_same(source, calls, ["c"], launches=1, scalars=SCALARS)


def test_value_is_stored_and_goes_on() -> None:
    source = program("if (i < n) t[i] = 2 * a[i];", "if (i < n - 1) c[i] = t[i] + a[i];")
    fused = fused_and_same(source, CALLS, ["c", "t"], launches=1, scalars=SCALARS)
    assert fused_text(fused).count("t[i]") == 1


def test_value_goes_on_over_two_narrower_guards() -> None:
    source = program("t[i] = 2 * a[i];", "if (i < n) c[i] = t[i] + a[i];")
    calls = [*CALLS, "second(d, t, c, m, m, k)", "first(e, t, n, m, k)"]
    fused = fused_and_same(source, calls, ["d", "e"], launches=1, scalars=SCALARS)
    assert "t" in fused.plan.groups[0].internalised


def test_loop_over_the_range_has_one_value_for_each_round() -> None:
    """Behind the loop its variable would have the last one."""
    loop = "for (int j = i; j < n; j += get_global_size(0))"
    source = program(f"{loop} t[j] = 2 * a[j];", f"{loop.replace('< n', '< m')} c[j] = t[j];")
    fused = fused_and_same(source, CALLS, ["c"], launches=1, scalars=SCALARS, size=(8,))
    assert fused.plan.groups[0].internalised == frozenset()


def test_value_is_read_through_a_barrier_in_memory() -> None:
    """Other items have stored what is read behind it."""
    source = program("t[i] = 2 * a[i];", "if (i < n) c[i] = t[i ^ 1];")
    fused = fused_and_same(
        source, CALLS, ["c"], launches=2, scalars=SCALARS, size=(64,), local=(64,)
    )
    assert not fused.fused
