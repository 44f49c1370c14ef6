"""A kernel of programs that have no text together is not written."""

from __future__ import annotations

import pytest

from kfusion.api import fuse
from kfusion.planning import Kernels
from kfusion.synthesis.model import NotWrittenError

SOURCE = """
kernel void square(global float *y, global const float *x)
{
    y[get_global_id(0)] = x[get_global_id(0)] * x[get_global_id(0)];
}
"""


def test_programs_that_cannot_be_joined_without_another_one() -> None:
    plan = fuse(SOURCE, ["square(t, x)", "square(y, t)"]).plan
    kernels = Kernels(exact=False, taken=set(), unit_of=lambda _: None)
    with pytest.raises(NotWrittenError, match="cannot be joined without"):
        kernels.form(plan)
    assert not kernels.made
