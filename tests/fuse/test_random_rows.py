"""Random kernels over rows with a pitch of their own: what is fused must be right.

Widths, heights and pitches are arguments in any order, so that rows may end early, or late,
or not at all before the next one begins. Only programs without a race are run.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from kfusion.api import CheckError, fuse
from tests.support.pyopencl_run import Case, assert_same

HELPER = "static inline int at(int2 item, int p) { return item.y * p + item.x; }\n"
EXAMPLES = int(os.environ.get("KFUSION_TEST_EXAMPLES", "30"))
SIZE = (8, 4)
LENGTH = 256
BUFFERS = ["a", "b", "c", "d"]
NUMBERS = {"three": 3, "four": 4, "eight": 8, "nine": 9}
INDICES = [
    "y * p + x",
    "at(x, y, p)",
    "at(x, y, p)",
    "y * q + x",
    "y * w + x",
    "(h - 1 - y) * p + x",
]
SHIFTED = ["y * p + x + 1", "(y + 1) * p + x", "x * p + y", "y * p"]
COLUMNS = ["x < w", "x < w", "x <= w - 1", "x < h", "x < h", "x < q", "x >= 0"]


@dataclass(frozen=True)
class Kernel:
    """Two buffers: what is stored to `o`, and loaded from `i`, in the items of the guard."""

    name: str
    type: str
    guard: str
    store: str
    load: str
    update: bool

    @property
    def text(self) -> str:
        sign = "+=" if self.update else "="
        store, load = (
            index.replace("(x, y,", "((int2)(x, y),") for index in (self.store, self.load)
        )
        return (
            f"kernel void {self.name}(global float *o, global float *i, int w, int h, int p, "
            f"int q)\n{{\n    {self.type} x = get_global_id(0), y = get_global_id(1);\n"
            f"    if ({self.guard}) o[{store}] {sign} 0.5f * i[{load}] + 1.0f;\n}}\n"
        )

    def races(self, numbers: dict[str, int], one_buffer: bool) -> bool:
        """Does an item touch an element that another one stores to, or one that is none?"""
        stored: dict[int, tuple[int, int]] = {}
        loaded: list[tuple[int, tuple[int, int]]] = []
        for y in range(SIZE[1]):
            for x in range(SIZE[0]):
                known = {**numbers, "x": x, "y": y, "at": lambda x, y, p: y * p + x}
                if not eval(self.guard.replace("&&", "and"), {}, known):
                    continue
                here = eval(self.store, {}, known)
                if stored.setdefault(here, (x, y)) != (x, y):
                    return True
                loaded.append((eval(self.load, {}, known), (x, y)))
        if not all(0 <= at < LENGTH for at in (*stored, *(at for at, _ in loaded))):
            return True
        return one_buffer and any(stored.get(at, item) != item for at, item in loaded)


@st.composite
def kernels(draw: st.DrawFn, number: int) -> Kernel:
    column = draw(st.sampled_from(COLUMNS))
    row = draw(st.sampled_from(["y < h", "y < h", "y < w"]))
    return Kernel(
        f"k{number}",
        draw(st.sampled_from(["int", "int", "size_t"])),
        f"{column} && {row}",
        draw(st.sampled_from(INDICES)),
        draw(st.sampled_from([*INDICES, *INDICES, *SHIFTED])),
        draw(st.booleans()),
    )


@st.composite
def programs(draw: st.DrawFn) -> tuple[str, list[str]]:
    made = [draw(kernels(k)) for k in range(draw(st.integers(1, 3)))]
    calls: list[str] = []
    given = [draw(st.sampled_from(list(NUMBERS))) for _ in range(4)]
    for _ in range(draw(st.integers(2, 4))):
        kernel = draw(st.sampled_from(made))
        buffers = [draw(st.sampled_from(BUFFERS)) for _ in range(2)]
        if draw(st.integers(0, 3)) == 0:
            given = [draw(st.sampled_from(list(NUMBERS))) for _ in range(4)]
        numbers = dict(zip("whpq", (NUMBERS[name] for name in given), strict=True))
        assume(not kernel.races(numbers, buffers[0] == buffers[1]))
        calls.append(f"{kernel.name}({', '.join([*buffers, *given])})")
    return HELPER + "\n".join(kernel.text for kernel in made), calls


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(programs(), st.integers(0, 2))
def test_whatever_is_fused_is_right(program: tuple[str, list[str]], seed: int) -> None:
    source, calls = program
    fused = fuse(source, calls)
    numbers = {name: np.int32(value) for name, value in NUMBERS.items()}
    try:
        fused.check({**{name: object() for name in BUFFERS}, **numbers})
    except CheckError:
        return  # the calls are made as they were written
    data = np.random.default_rng(seed)
    case = Case(
        {name: data.random(LENGTH).astype(np.float32) for name in BUFFERS}, numbers, SIZE, (4, 2)
    )
    assert_same(fused, source, case, BUFFERS)
