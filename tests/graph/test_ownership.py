"""Can accesses of different work-items meet? Pairs of indices, and what is found."""

from __future__ import annotations

import pytest

from kfusion.graph.bind import BoundAccess, Stage
from kfusion.graph.bounds import Assumed, Floor, Limit, Nothing, Order, Proof
from kfusion.graph.model import Invocation, LaunchRange, Memory, Scalar
from kfusion.graph.ownership import Dependence, depend
from tests.support.kernel_side import kernel_of

SAME, NONE = Dependence.SAME_ITEM, Dependence.NONE
NEIGHBOUR, GROUP, OTHER = Dependence.NEIGHBOUR, Dependence.SAME_GROUP, Dependence.OTHER

SETUP = """
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int ix = get_global_id(0), iy = get_global_id(1);
    uint ux = get_global_id(0);
"""


def access(body: str, dimensions: int, index: int, uniform: bool = True) -> BoundAccess:
    """The last access of a kernel with that body."""
    kernel = kernel_of(
        f"__kernel void f(__global float *t, int w, int h, uint n, uint m)\n{{{SETUP}{body}\n}}\n"
    )
    arguments = tuple(
        Memory("t", "t") if p.pointer else Scalar(p.name, p.name) for p in kernel.parameters
    )
    range_ = LaunchRange(dimensions, "r", uniform=uniform)
    return Stage(Invocation(index, kernel, arguments, range_, "f()")).accesses[-1]


def found(first: str, second: str, dimensions: int, uniform: bool = True) -> Dependence:
    a, b = access(first, dimensions, 0, uniform), access(second, dimensions, 1, uniform)
    return depend(a, b, dimensions, Nothing())[0]


@pytest.mark.parametrize(
    ("first", "second", "dimensions", "expected"),
    [
        ("t[x] = 1;", "t[x] = 1;", 1, SAME),
        ("t[x] = 1;", "t[ix] = 1;", 1, SAME),
        ("t[x + 3] = 1;", "t[3 + x] = 1;", 1, SAME),
        ("t[n - 1 - x] = 1;", "t[n - 1 - x] = 1;", 1, SAME),
        ("t[x] = 1;", "t[x + 1] = 1;", 1, NEIGHBOUR),
        ("t[x] = 1;", "t[x + n] = 1;", 1, NEIGHBOUR),
        ("t[0] = 1;", "t[0] = 1;", 1, OTHER),
        ("t[n] = 1;", "t[x] = 1;", 1, OTHER),
        ("t[x] = 1;", "t[x] = 1;", 2, OTHER),
        ("t[x / 2] = 1;", "t[x / 2] = 1;", 1, OTHER),
        ("t[x * n] = 1;", "t[x * n] = 1;", 1, OTHER),  # n may be 0
        # Strides: 2x and 2x+1 never meet.
        ("t[2 * x] = 1;", "t[2 * x] = 1;", 1, SAME),
        ("t[2 * x] = 1;", "t[2 * x + 1] = 1;", 1, NONE),
        ("t[3 * x + 1] = 1;", "t[3 * x + 2] = 1;", 1, NONE),
        ("t[2 * x] = 1;", "t[2 * x + 2] = 1;", 1, NEIGHBOUR),
        ("t[0] = 1;", "t[1] = 1;", 1, NONE),
        # Two dimensions: x must stay below w at both.
        ("if (ix < w) t[iy * w + ix] = 1;", "if (ix < w) t[iy * w + ix] = 1;", 2, SAME),
        ("if (ix < w) t[iy * w + ix] = 1;", "t[iy * w + ix] = 1;", 2, OTHER),
        ("t[iy * w + ix] = 1;", "if (ix < w) t[iy * w + ix] = 1;", 2, OTHER),
        ("if (x < n) t[y * n + x] = 1;", "if (x < n && y < m) t[y * n + x] = 1;", 2, SAME),
        ("if (x < m) t[y * n + x] = 1;", "if (x < m) t[y * n + x] = 1;", 2, OTHER),
        ("if (x < n) t[y * n + x] = 1;", "if (x < n) t[y * n + x + 1] = 1;", 2, NEIGHBOUR),
        ("if (ix < w) t[iy * w + ix] = 1;", "if (ix < w) t[ix * w + iy] = 1;", 2, OTHER),
        ("if (ix <= w - 1) t[iy * w + ix] = 1;", "if (ix < w) t[iy * w + ix] = 1;", 2, SAME),
        ("if (x <= n - 1) t[y * n + x] = 1;", "if (x < n) t[y * n + x] = 1;", 2, OTHER),
        ("t[y * get_global_size(0) + x] = 1;", "t[y * get_global_size(0) + x] = 1;", 2, SAME),
        (
            "if (x < n && y < m) t[(z * m + y) * n + x] = 1;",
            "if (x < n && y < m) t[z * m * n + y * n + x] = 1;",
            3,
            SAME,
        ),
        (
            "if (x < n) t[(z * m + y) * n + x] = 1;",
            "if (x < n && y < m) t[(z * m + y) * n + x] = 1;",
            3,
            OTHER,
        ),
        # Rows in a loop.
        (
            "for (int j = 0; j < w; j++) t[x * w + j] = 1;",
            "for (int k = 0; k < w; k++) t[x * w + k] = 1;",
            1,
            SAME,
        ),
        ("for (int j = 0; j < w; j++) t[x * w + j] = 1;", "t[x * w] = 1;", 1, SAME),
        (
            "for (int j = 0; j <= w; j++) t[x * w + j] = 1;",
            "for (int j = 0; j < w; j++) t[x * w + j] = 1;",
            1,
            OTHER,
        ),
        (
            "for (int j = -1; j < w; j++) t[x * w + j] = 1;",
            "for (int j = 0; j < w; j++) t[x * w + j] = 1;",
            1,
            OTHER,
        ),
        ("for (int j = 0; j < 4; j++) t[4 * x + j] = 1;", "t[4 * x + 3] = 1;", 1, SAME),
        ("for (int j = 0; j < 5; j++) t[4 * x + j] = 1;", "t[4 * x + 3] = 1;", 1, OTHER),
        (
            "for (int j = w - 1; j >= 0; j--) t[x * w + j] = 1;",
            "for (int j = 0; j < w; j++) t[x * w + j] = 1;",
            1,
            SAME,
        ),
        # A stride by the size of the range.
        (
            "for (size_t i = x; i < n; i += get_global_size(0)) t[i] = 1;",
            "for (size_t i = x; i < m; i += get_global_size(0)) t[i] = 1;",
            1,
            SAME,
        ),
        (
            "for (size_t i = x; i < n; i += get_global_size(0)) t[i] = 1;",
            "for (size_t i = x; i < n; i += get_global_size(0)) t[i + 1] = 1;",
            1,
            NEIGHBOUR,
        ),
        (
            "for (size_t i = x; i < n; i += get_global_size(0)) t[i] = 1;",
            "t[x] = 1;",
            1,
            OTHER,
        ),
        # All iterations are of one item here, and each stores to the same element.
        (
            "for (size_t i = y; i < n; i += get_global_size(1)) t[x] = 1;",
            "for (size_t i = y; i < n; i += get_global_size(1)) t[x] = 1;",
            1,
            GROUP,
        ),
        # Iterations that store to one element are no race.
        (
            "for (size_t i = x; i < n; i += get_global_size(0)) t[i * w] = 1;",
            "for (size_t i = x; i < n; i += get_global_size(0)) t[i * w] = 1;",
            1,
            OTHER,
        ),
        # Groups.
        ("t[get_group_id(0) * get_local_size(0) + get_local_id(0)] = 1;", "t[x] = 1;", 1, SAME),
        ("t[get_group_id(0)] = 1;", "t[get_group_id(0)] = 1;", 1, GROUP),
        ("t[x % 4] = 1;", "t[x % 4] = 1;", 1, OTHER),
        # Conversions that lose bits.
        ("t[(uchar)x] = 1;", "t[(uchar)x] = 1;", 1, OTHER),
        ("t[ix - 1] = 1;", "t[x - 1] = 1;", 1, OTHER),  # below zero they differ
        ("t[ix - 1] = 1;", "t[ix - 1] = 1;", 1, SAME),
        # No launch has so many items that ids wrap around in 32 bits; sums with a scalar may.
        ("t[x] = 1;", "t[ux] = 1;", 1, SAME),
        ("t[x + 1] = 1;", "t[ux + 1] = 1;", 1, SAME),
        ("t[ux + n] = 1;", "t[ux + n] = 1;", 1, SAME),
        ("t[x + n] = 1;", "t[ux + n] = 1;", 1, OTHER),
        ("t[ux + n] = 1;", "t[x + n] = 1;", 1, OTHER),
    ],
)
def test_pairs(first: str, second: str, dimensions: int, expected: Dependence) -> None:
    assert found(first, second, dimensions) is expected


def test_group_arithmetic_is_no_global_id_where_groups_are_not_uniform() -> None:
    index = "t[get_group_id(0) * get_local_size(0) + get_local_id(0)] = 1;"
    assert found(index, "t[x] = 1;", 1, uniform=False) is not SAME
    assert found(index, index, 1) is SAME
    assert found(index, index, 1, uniform=False) is not SAME


def test_products_that_wrap_around_may_meet() -> None:
    """3*i and 3*j + 1 are equal modulo 2^32 for some i and j; 2*i and 2*j + 1 never are."""
    assert found("t[3 * ux + 1] = 1;", "t[3 * ux + 2] = 1;", 1) is NEIGHBOUR
    assert found("t[2 * ux] = 1;", "t[2 * ux + 1] = 1;", 1) is NONE


class Some:
    """Whoever may assume some things, and tells what was asked."""

    def __init__(self, *kinds: type[Assumed]) -> None:
        self.kinds = kinds

    def may(self, assumed: Assumed, *, implied: bool) -> bool:
        return isinstance(assumed, self.kinds)


def shown(proof: Proof) -> set[str]:
    names = {Limit: "{0.dimension} < {0.most}", Order: "{0.low} <= {0.high}"}
    return {names.get(type(a), "{0.scalar} >= {0.least}").format(a) for a in proof}


def test_range_known_to_stay_within_a_scalar() -> None:
    a, b = (access("t[y * n + x] = 1;", 2, index) for index in (0, 1))
    found, proof = depend(a, b, 2, Some(Limit))
    assert found is SAME
    assert shown(proof) == {"0 < n"}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # Rows of w elements, h elements apart; n and m are unsigned.
        ("if (ix < w) t[iy * h + ix] = 1;", "if (ix < w) t[iy * h + ix] = 1;", SAME),
        ("if (ix <= w - 1) t[iy * h + ix] = 1;", "if (ix < w) t[iy * h + ix] = 1;", SAME),
        ("if (x < n) t[y * m + x] = 1;", "if (x < n && y < n) t[y * m + x] = 1;", SAME),
        ("if (ix < w) t[iy * h + ix] = 1;", "t[iy * h + ix] = 1;", OTHER),
        ("if (ix < w) t[iy * h + ix] = 1;", "if (iy < w) t[iy * h + ix] = 1;", OTHER),
        ("if (ix <= w) t[iy * h + ix] = 1;", "if (ix <= w) t[iy * h + ix] = 1;", OTHER),
        ("if (ix < w) t[iy * h + ix] = 1;", "if (ix < w) t[iy * h + ix + 1] = 1;", NEIGHBOUR),
        ("if (ix < w) t[iy * h + ix] = 1;", "if (ix < w) t[ix * h + iy] = 1;", OTHER),
        # By how much one kernel reads behind, nothing says.
        ("if (ix < w) t[ix] = 1;", "if (ix < w) t[ix + h] = 1;", NEIGHBOUR),
    ],
)
def test_rows_that_end_before_the_next_one(first: str, second: str, expected: Dependence) -> None:
    a, b = access(first, 2, 0), access(second, 2, 1)
    kind, proof = depend(a, b, 2, Some(Order))
    assert kind is expected
    assert expected is not SAME or shown(proof) in ({"w <= h"}, {"n <= m"})


def test_sign_of_a_width_matters_where_items_may_read_what_others_write() -> None:
    """`x < w` of a size_t and an int holds everywhere when w is negative."""
    read = access("if (x < w) t[y * h + x] += 1;", 2, 0)
    write = access("if (x < w && y < n) t[y * h + x] = 1;", 2, 1)
    other = access("if (x < w && y < m) t[y * h + x] = 1;", 2, 1)
    assert depend(read, write, 2, Some(Order))[0] is SAME
    assert depend(other, write, 2, Some(Order))[0] is OTHER
    found, proof = depend(other, write, 2, Some(Order, Floor))
    assert found is SAME
    assert shown(proof) == {"w <= h", "w >= 0"}


@pytest.mark.parametrize(
    ("index", "expected", "assumed"),
    [
        ("min(ix, w - 1)", SAME, {"0 < w"}),
        ("ix < w ? ix : 0", SAME, {"0 < w"}),
        ("min(x, (size_t)63)", SAME, {"0 < 64"}),
        ("min(ix + 1, w)", NEIGHBOUR, set()),
        ("min(ix, w - 2)", OTHER, set()),
        ("max(ix, w)", SAME, {"0 < w"}),  # behind all items
        ("max(ix, w - 1)", OTHER, set()),
        ("x < w ? x : 0", SAME, {"0 < w"}),
        ("x < w - 1 ? x : 0", OTHER, set()),  # without sign, and where w is 0
        ("x < n ? x : 0", SAME, {"0 < n"}),
    ],
)
def test_values_of_which_one_is_never_chosen(
    index: str, expected: Dependence, assumed: set[str]
) -> None:
    a, b = access("t[x] = 1;", 1, 0), access(f"t[{index}] += 1;", 1, 1)
    kind, proof = depend(a, b, 1, Some(Limit))
    assert kind is expected
    assert shown(proof) == assumed


def test_values_are_looked_at_together_where_all_items_choose_the_same() -> None:
    row = "if (ix < (w < h ? w : h)) t[iy * (w < h ? w : h) + ix] = 1;"
    assert found(row, row, 2) is SAME
    assert found(row, row.replace("w < h ?", "w > h ?"), 2) is OTHER
