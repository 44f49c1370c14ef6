"""An item has several elements of its own, side by side: `int i = get_global_id(0) * 4`."""

from __future__ import annotations

import numpy as np
import pytest

from kfusion.api import CheckError, fuse
from kfusion.graph.model import Below
from tests.support.kernel_side import fused_and_same, refusal

COUNT = 20  # of items
SCALARS = {"n": np.int32(75), "w": np.int32(4)}
CALLS = ["f(t, a, n, w)", "g(c, t, n, w)"]
BUFFERS = {
    name: np.random.default_rng(number).random(100).astype(np.float32)
    for number, name in enumerate("atc")
}


def program(first: str, second: str) -> str:
    return (
        "__kernel void f(__global float *t, __global const float *a, int n, int w)\n"
        f"{{ {first.replace('OUT', 't').replace('IN', 'a')} }}\n"
        "__kernel void g(__global float *c, __global const float *t, int n, int w)\n"
        f"{{ {second.replace('OUT', 'c').replace('IN', 't')} }}\n"
    )


FOUR = "OUT[i] = IN[i] * 2; OUT[i + 1] = IN[i + 1]; OUT[i + 2] = IN[i + 2]; OUT[i + 3] = IN[i + 3];"


@pytest.mark.parametrize(
    "work",
    [
        f"int i = get_global_id(0) * 4; {FOUR}",
        f"const int i = get_global_id(0) << 2; {FOUR}",
        f"int i = 4 * get_global_id(0); if (i + 3 < n) {{ {FOUR} }}",
        "int i = get_global_id(0) * 4; vstore4(vload4(0, IN + i) * 2, 0, OUT + i);",
        "int i = get_global_id(0) * 4; for (int k = i; k < i + 4; k++) OUT[k] = IN[k] * 2;",
        "int i = get_global_id(0); for (int k = i * w; k < (i + 1) * w; k++) OUT[k] = IN[k] * 2;",
        "size_t i = get_global_id(0); for (size_t k = i * 4; k < i * 4 + 4; k++) OUT[k] = IN[k];",
        "int i = get_global_id(0) * 4; for (int k = i; k < i + 4; k += 2) OUT[k] = IN[k] * 2;",
    ],
)
def test_elements_of_one_item(work: str) -> None:
    source = program(work, work)
    fused_and_same(
        source, CALLS, ["c"], launches=1, scalars=SCALARS, buffers=BUFFERS, size=(COUNT,)
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            f"int i = get_global_id(0) * 4; {FOUR}",
            "int i = get_global_id(0) * 4; OUT[i] = IN[i+4];",
        ),
        (f"int i = get_global_id(0) * 3; {FOUR}", f"int i = get_global_id(0) * 3; {FOUR}"),
        (f"int i = get_global_id(0) * 4; {FOUR}", f"int i = get_global_id(0); {FOUR}"),
        (
            "int i = get_global_id(0) * 4; for (int k = i; k < i + 4; k++) OUT[k] = IN[k];",
            "int i = get_global_id(0) * 4; for (int k = i; k < i + 5; k++) OUT[i] += IN[k];",
        ),
        (
            "int i = get_global_id(0); for (int k = i * w; k < (i + 1) * w; k++) OUT[k] = IN[k];",
            "int i = get_global_id(0); for (int k = i * w; k <= (i + 1) * w; k++) OUT[i] += IN[k];",
        ),
    ],
)
def test_elements_of_other_items(first: str, second: str) -> None:
    assert refusal(program(first, second), CALLS, ["c"]).code == "KF201"


def test_an_id_four_times_fits_into_an_int_for_few_ids_only() -> None:
    work = f"int i = get_global_id(0) * 4; {FOUR}"
    fused = fuse(program(work, work), CALLS, ["c"])
    assert Below(0, 0, 1 << 29) in fused.plan.groups[0].assumptions
    fused.check(None, [1 << 29] * 2)
    with pytest.raises(CheckError):
        fused.check(None, [(1 << 29) + 1] * 2)


def test_a_uint_may_begin_again_at_0() -> None:
    """Nothing shows then that the program is wrong: who launches would have to know."""
    work = f"uint i = get_global_id(0) * 4; {FOUR}"
    assert refusal(program(work, work), CALLS, ["c"]).code == "KF201"
