"""Random kernels whose items may meet: what is fused must be right, whatever is cut.

Indices of several shapes (own element, pairs, rows, neighbours, one element for all,
mirrored), early returns among the work, copies through variables, helper functions.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kfusion.api import fuse
from tests.support.pyopencl_run import Case, assert_same

EXAMPLES = int(os.environ.get("KFUSION_TEST_EXAMPLES", "30"))
ITEMS = 32
LENGTH = 4 * ITEMS + 4
BUFFERS = ["a", "b", "c", "d", "e"]
OWN = {
    "one": ["i"],
    "pair": ["2 * i", "2 * i + 1"],
    "row": ["4 * i", "4 * i + 3", "4 * i + j"],
    "shifted": ["i + 1"],
    "mirrored": [f"{ITEMS - 1} - i"],
}
OTHER = ["i + 1", "0", "2 * i", f"{ITEMS - 1} - i", "4 * i + 2", "i / 2", "(i * 7) % n"]
GUARDS = ["", "if (i >= n) return;", "if (i >= m) return;"]
HELPERS = "float mix_in(float x, float y) { return 0.5f * x + 0.25f * y; }\n"


@dataclass(frozen=True)
class Kernel:
    text: str
    parameters: int


@st.composite
def values(draw: st.DrawFn, loads: list[str]) -> str:
    left, right = draw(st.sampled_from(loads)), draw(st.sampled_from(loads))
    kind = draw(st.integers(0, 4))
    return [
        left,
        f"{left} * {right} + alpha",
        f"mix_in({left}, {right})",
        f"({left} > 0.5f ? {right} : alpha)",
        f"{left} - {right}",
    ][kind]


@st.composite
def work(draw: st.DrawFn, number: int, written: list[str], loads: list[str]) -> str:
    target = draw(st.sampled_from(written))
    loop = "for (int j = 0; j < 4; j++) " if "+ j" in target else ""
    # `j` is known in the loop only.
    here = [load for load in loads if loop or "+ j" not in load]
    value = draw(values(here))
    kind = draw(st.integers(0, 6))
    if kind == 0 and not loop:
        return f"if ({draw(st.sampled_from(here))} > 1.0f) return;"
    if kind == 1 and not loop:
        load = draw(st.sampled_from(here))
        return f"float x{number} = {load};\n    {target} = x{number};"
    if kind == 2 and not loop:
        return f"float y{number} = {value};\n    y{number} += 1.0f;\n    {target} = y{number};"
    if kind == 3:
        return f"{loop}{target} += 0.5f * {value};"
    if kind == 4 and not loop:
        return f"if ({draw(st.sampled_from(here))} > 0.25f) {{ {target} = {value}; }}"
    return f"{loop}{target} = {value};"


@st.composite
def kernels(draw: st.DrawFn, number: int) -> Kernel:
    count = draw(st.integers(2, 3))
    index = draw(st.sampled_from(["size_t", "int"]))
    stores: list[str] = []
    loads: list[str] = []
    for k in range(count):
        if k == 0 or draw(st.booleans()):
            shapes = OWN[draw(st.sampled_from(["one", "one", "one", *OWN]))]
            stores += [f"p{k}[{shape}]" for shape in shapes]
            loads += [f"p{k}[{shape}]" for shape in shapes]
        else:
            shape = draw(st.sampled_from(["i", "i", *OTHER]))
            loads += [f"p{k}[{shape}]"]
    body = [draw(work(k, stores, loads)) for k in range(draw(st.integers(1, 3)))]
    parameters = [f"__global float *p{k}" for k in range(count)]
    scalars = ["float alpha", f"const {'uint' if index == 'size_t' else 'int'} n", "int m"]
    guard = draw(st.sampled_from(GUARDS))
    lines = [f"const {index} i = get_global_id(0);", guard, *body]
    inner = "\n    ".join(line for line in lines if line)
    text = f"__kernel void k{number}({', '.join([*parameters, *scalars])})\n{{\n    {inner}\n}}\n"
    return Kernel(text, count)


@st.composite
def programs(draw: st.DrawFn) -> tuple[str, list[str], list[str] | None]:
    made = [draw(kernels(k)) for k in range(draw(st.integers(1, 3)))]
    calls: list[str] = []
    for _ in range(draw(st.integers(2, 5))):
        number = draw(st.integers(0, len(made) - 1))
        # All apart: anything else might be a race of the original program.
        arguments = draw(st.permutations(BUFFERS))[: made[number].parameters]
        calls.append(f"k{number}({', '.join([*arguments, 'third', 'n', 'm'])})")
    used = [b for b in BUFFERS if any(f"({b}," in c or f" {b}," in c for c in calls)]
    out = draw(st.none() | st.lists(st.sampled_from(used), unique=True))
    return HELPERS + "\n".join(k.text for k in made), calls, out


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(programs(), st.integers(0, 2))
def test_whatever_is_fused_is_right(
    program: tuple[str, list[str], list[str] | None], seed: int
) -> None:
    source, calls, out = program
    fused = fuse(source, calls, out)
    data = np.random.default_rng(seed)
    case = Case(
        {name: (data.random(LENGTH) * 2).astype(np.float32) for name in BUFFERS},
        {"third": np.float32(1 / 3), "n": np.uint32(ITEMS - 3), "m": np.int32(ITEMS - 9)},
        (ITEMS,),
        (8,),
    )
    assert_same(fused, source, case, BUFFERS if out is None else out)
