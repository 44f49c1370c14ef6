"""Kernels that differ only in what their variables are called are one kernel."""

from __future__ import annotations

import pytest

from kfusion.graph.model import Memory
from kfusion.synthesis.alike import but_for_names
from kfusion.synthesis.model import FusedKernel, FusedParameter
from kfusion.synthesis.names import file_names
from tests.support.kernel_side import unit_of

FILE = """
#define HALO x[i - 1]
#define AT(p, k) p[k]
#define SECOND(p) p##_2
#define TEXT(p) #p
#define OF(p, m) (p).m
#define LAST(p) p
#define DOT(p) p.
constant int last = 7, first = 0;
kernel void old(global float *x, global float *y) { }
"""
BODY = "{{ int i = get_global_id(0); float v_{0} = {0}[i]; {1}[i] = {2}; }}"


def key(text: str, *names: str) -> tuple[str, ...]:
    unit = unit_of(FILE)
    parameters = tuple(FusedParameter(n, f"global float *{n}", Memory(n, n)) for n in names)
    listed = ", ".join(p.text for p in parameters)
    kernel = FusedKernel("both", f"kernel void both({listed})\n{text}", parameters, ())
    return but_for_names(kernel, [unit], file_names(unit))


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("2 * v_x", "2 * v_y", True),
        ("v_x + x[i + 1]", "v_y + y[i + 1]", True),
        ("v_x + x[i + 1]", "v_y + x[i + 1]", False),
        ("AT(x, i)", "AT(y, i)", True),
        ("SECOND(v_x)", "SECOND(v_y)", False),
        ("SECOND (v_x)", "SECOND (v_y)", False),
        ("TEXT(v_x)[0]", "TEXT(v_y)[0]", False),
        ("OF(p[0], x)", "OF(p[0], y)", False),
        ("p[0].LAST(x)", "p[0].LAST(y)", False),
        ("DOT(p[0]) x", "DOT(p[0]) y", False),
        ("v_x + HALO", "v_y + HALO", False),  # one adds the element before of what it loads
        ("v_x * WEIGHT", "v_y * OTHER", False),  # as build options say
        ("v_x + last", "v_y + first", False),
        ("p.x", "p.y", False),
        ("v_x; struct left p", "v_y; struct right p", False),
        ("v_x; return WEIGHT", "v_y; return OTHER", False),
        ("v_x\n#if x > 0\n+ 1\n#endif\n", "v_y\n#if x > 0\n+ 1\n#endif\n", False),
    ],
)
def test_kernels_that_store_what_they_load(one: str, other: str, alike: bool) -> None:
    first = key(BODY.format("x", "y", one), "x", "y")
    second = key(BODY.format("y", "x", other), "y", "x")
    assert (first == second) is alike
