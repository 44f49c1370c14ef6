"""Pointers that change in the expression that uses them."""

from __future__ import annotations

import numpy as np
import pytest

from kfusion.api import fuse
from tests.support.pyopencl_run import Case, assert_same

ITEMS = 40
HEAD = "global int *h, global int *r, global int *o, int n"
ITEM = "int i = get_global_id(0); if (i >= n) return;"
OWN = "global int *p = h;"
MIRROR = "n - 1 - i"


def kernels(first: str, second: str) -> str:
    return "".join(
        f"kernel void {name}({HEAD})\n{{ {ITEM} {body} }}\n"
        for name, body in (("f", first), ("g", second))
    )


def same(first: str, second: str, out: list[str]) -> int:
    """Fused and run beside the original calls: so many kernels."""
    source = kernels(first, second)
    made = fuse(source, ["f(h, r, o, n)", "g(h, r, o, n)"], out)
    random = np.random.default_rng(7)
    data = {name: random.integers(0, 99, 4 * ITEMS).astype(np.int32) for name in "hro"}
    assert_same(made, source, Case(data, {"n": np.int32(37)}, (ITEMS,), (8,)), out)
    return len(made.plan.groups)


LOADS = [
    "*(p += {})",
    "(p += {})[0]",
    "*(p = h + ({}))",
    "*(p = p + ({}))",
    "vload2(0, p += {}).x",
    "*(q = p = h + ({}))",
    "*(q = (p += {}))",
    "*(i < 0 ? p++ : (p += {}))",
    "*(p++, p += {}, p--, p)",
    "*((global int *)(p += {}))",
    "*&(p += {})[0]",
]


@pytest.mark.parametrize("load", LOADS)
def test_load(load: str) -> None:
    """What another item has stored is not read in the same kernel; the own value is."""
    local = f"{OWN} global int *q = p;"
    assert same("h[i] = 5 + i;", f"{local} r[i] = {load.format(MIRROR)};", ["r"]) == 2
    assert same("h[i] = 5 + i;", f"{local} r[i] = {load.format('i')};", ["r"]) in (1, 2)


STORES = [
    "*(p += i) = 3 + i;",
    "*(p = p + i) = 3 + i;",
    "*(p += i) += 3 + i;",
    "(p += i)[0] = 3 + i;",
    "(*(p += i))++;",
    "atomic_inc(p += i);",
    "atomic_inc(&(p += i)[0]);",
    "atomic_add((volatile global int *)(p += i), 2);",
    "o[i] = atomic_inc(p = h + i);",
    "vstore2((int2)(i, 7), 0, p += 2 * i);",
    "if (*(p += i) > 4) p[0] = 4;",
]


@pytest.mark.parametrize("store", STORES)
def test_store(store: str) -> None:
    assert same(f"{OWN} {store}", f"r[i] = h[{MIRROR}];", ["h", "r", "o"]) == 2
    assert same(f"{OWN} {store}", "r[i] = h[i];", ["h", "r", "o"]) in (1, 2)


def test_parameter_that_steps() -> None:
    assert same("h[i] = 5 + i;", f"r[i] = *(h += {MIRROR});", ["r"]) == 2
    assert same("h[i] = 5 + i;", "r[i] = *(h += i);", ["r"]) in (1, 2)


@pytest.mark.parametrize("step", ["*p++", "*(p++)", "*(p += 1)", "(p++)[0]"])
def test_step_of_what_a_variable_holds(step: str) -> None:
    """The pointer has moved on, although an element need not be loaded again."""
    stepping = f"global int *p = r + i; o[i] = {step}; o[i] -= vload2(0, p).y;"
    assert same("h[i] = r[i] + r[i + 1];", stepping, ["h", "o"]) == 1


def test_steps_in_a_loop() -> None:
    loop = f"{OWN} for (int k = 0; k < 3; k++) r[i] = *(p += k);"
    assert same("h[i] = 5 + i;", loop, ["r"]) == 2


@pytest.mark.parametrize("step", ["p++", "(p += 1) - 1", "p--"])
def test_pointer_is_bound_before_the_step(step: str) -> None:
    """`q` is where `p` was, and what a neighbour makes is computed again."""
    for first in ("p = h + i;", "p = h + i; r[i] = 0;"):
        body = f"global int *{first} global int *q = {step}; *q = 3 + i; o[i] = p[n + 1];"
        assert same(body, "r[i] = h[i] + 1;", ["h", "r", "o"]) in (1, 2)
        assert same(body, "r[i] = h[i + 1] + 1;", ["h", "r", "o"]) == 1


def test_steps_whose_value_nobody_uses() -> None:
    loop = f"{OWN} for (int k = 0; k < 1; k++, p += n) p[i] = 3 + i;"
    assert same(loop, "r[i] = h[i] + 1;", ["h", "r"]) == 1
