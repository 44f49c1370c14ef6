"""A legality check that is switched off is missed: for all of them, `make fuzz-mutation`."""

from __future__ import annotations

import pytest

from kfusion.source.protections import PROTECTIONS
from tests.kernel_side_protections import PROTECTED_BY
from tests.random.switched_off import OUT_OF_REACH, Search, of_kernels


def test_every_check_of_the_kernel_side_is_looked_at() -> None:
    assert sorted([*of_kernels(), *set(OUT_OF_REACH) & set(PROTECTED_BY)]) == sorted(PROTECTED_BY)


@pytest.mark.parametrize("name", ["own-elements", "same-ranges", "conditions"])
def test_check_that_is_switched_off_is_missed(name: str) -> None:
    assert name in PROTECTIONS
    assert Search().missed(name, 40) is not None
