"""Arrays of structures: an item may need one member of its neighbours, `p[i - 1].place`, while the
kernel changes another one, `p[i].force`."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from kfusion.api import fuse
from tests.support.kernel_side import random_data
from tests.support.pyopencl_run import Case, assert_same

ITEMS = 29
TYPES = """
typedef struct { float2 place, force; float mass, wall; } ball;
typedef struct { float2 place; union { float2 force; float wall; }; float mass, more; } shared;
"""


def kernel(name: str, work: str, type_: str = "ball") -> str:
    return f"""
kernel void {name}(global {type_} *p, global float *o, const int n)
{{
    const int i = get_global_id(0);
    if (i >= n)
        return;
    const int l = max(i - 1, 0), r = min(i + 1, n - 1);
    {work}
}}
"""


PULL = "p[i].force = (float2)(0, -9.81f * p[i].mass);"
SPRINGS = "float2 f = p[l].place + p[r].place - 2 * p[i].place; p[i].force += f;"
MOVE = "p[i].place += 0.1f * p[i].force / p[i].mass;"
PULL_A_COPY = "ball b = p[i]; b.force = (float2)(0, -9.81f * b.mass); p[i] = b;"
READ_A_COPY = "ball b = p[l]; o[i] = b.place.x;"
ON_PARTS = "p[i].force.x = 2; p[i].mass += 1; o[i] = p[l].place.y + p[r].place.x;"
POINTER = "(p + i)->force.y = 1; o[i] = (*(p + l)).place.x;"
CASES = {
    "another member of neighbours": ([PULL, SPRINGS], 1),
    "several members": ([ON_PARTS, "o[i] += p[r].wall;", "p[i].force += p[l].place;"], 1),
    "through pointers": ([POINTER, "p[i].force.x = p[l].place.y;"], 1),
    "the member that is changed": ([PULL, SPRINGS, MOVE], 2),
    "neighbours need what is changed": ([MOVE, SPRINGS], 2),
    "a part of a member": (["p[i].place.x = 1;", "o[i] = p[l].place.y;"], 2),
    "all of an element is stored": ([PULL_A_COPY, SPRINGS], 2),
    "all of an element is loaded": ([PULL, READ_A_COPY], 2),
    "as numbers": ([PULL, "o[i] = ((global float *)p)[4 * l];"], 2),
    "by a function": ([PULL, "o[i] = at(p, l).place.x;"], 2),
}


def program(works: list[str], type_: str = "ball") -> str:
    numbered = enumerate(works)
    at = f"{type_} at(global const {type_} *p, int i) {{ {type_} b = p[i]; return b; }}\n"
    return TYPES + at + "".join(kernel(f"k{n}", work, type_) for n, work in numbered)


def check(works: list[str], type_: str = "ball") -> int:
    """How many kernels they become."""
    source = program(works, type_)
    fused = fuse(source, [f"k{n}(p, o, n)" for n in range(len(works))], ["p", "o"])
    data = {"p": random_data("p", 6 * 32)["p"], "o": random_data("o", 32)["o"]}
    assert_same(fused, source, Case(data, {"n": np.int32(ITEMS)}, (32,)), ["p", "o"])
    return len(fused.kernels)


@pytest.mark.parametrize("name", CASES)
def test_members(name: str) -> None:
    works, kernels = CASES[name]
    assert check(works) == kernels


def test_members_of_a_union_without_a_name_are_one() -> None:
    works = ["p[i].wall = i;", "o[i] = p[l].force.x;"]
    assert check(works, "shared") == 2
    assert check(["p[i].mass = i;", "o[i] = p[l].more;"], "shared") == 1


WRITTEN = ["p[i].force.x", "p[i].force.y", "p[i].mass", "p[i].wall", "p[i].place.x", "o[i]"]
READ = [
    *("p[l].place.x", "p[r].place.y", "p[r].mass", "p[l].force.y", "p[i].force.x", "p[i].wall"),
    *("p[l].wall", "at(p, i).mass", "o[i]", "(float)i", "p[i].place.x"),
]


@pytest.mark.parametrize("seed", range(12))
def test_random_members(seed: int) -> None:
    random = Random(seed)
    works = []
    for _ in range(4):
        stores = [
            f"{random.choice(WRITTEN)} {random.choice(['=', '+='])} "
            f"{random.choice(READ)} - 0.5f * {random.choice(READ)};"
            for _ in range(random.randint(1, 2))
        ]
        # In one kernel no item reads what another one writes.
        touched = {s.split()[0].split(".")[1] for s in stores if s.startswith("p[")}
        if any(f"[{side}].{member}" in s for s in stores for side in "lr" for member in touched):
            continue
        works.append("\n    ".join(stores))
    check(works or ["o[i] = p[l].place.x;"])
