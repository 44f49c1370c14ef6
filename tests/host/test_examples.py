"""Sizes that are computed from numbers that only the user knows: which are equal, which differ."""

from __future__ import annotations

import pytest

from kfusion.host.equality import examples
from kfusion.host.symbolic import Num, Op, Sym, anything

N, M = anything(), anything()


def op(name: str, *args: Sym | int) -> Op:
    return Op(name, tuple(Num(a) if isinstance(a, int) else a for a in args))


ROUNDED = op("*", op("/", op("+", N, 63), 64), 64)
SAME: list[tuple[Sym, Sym]] = [
    (N, op("(size_t)", N)),
    (op("*", N, M), op("*", M, op("(int)", N))),
    (ROUNDED, N),  # whole groups: likely, and asked at run time
    (op(">>", N, 1), op("/", N, 2)),
]
OTHERS: list[tuple[Sym, Sym]] = [
    (N, op(">>", N, 1)),
    (op(">>", N, 1), op(">>", N, 2)),
    (N, op("-", N, 1)),
    (op("*", N, M), op("*", N, op("+", M, 2))),
]
NOT_COMPARED: list[tuple[Sym, Sym]] = [
    (N, M),
    (N, op("*", N, M)),
    (N, op("clamp", N, 3)),
    (N, op("/", N, 0)),
    (N, op("<<", N, 64)),
]


@pytest.mark.parametrize("pair", SAME)
def test_same(pair: tuple[Sym, Sym]) -> None:
    found = examples(pair)
    assert found is not None
    assert found[0] == found[1]


@pytest.mark.parametrize("pair", OTHERS)
def test_others(pair: tuple[Sym, Sym]) -> None:
    found = examples(pair)
    assert found is not None
    assert found[0] != found[1]


@pytest.mark.parametrize("pair", NOT_COMPARED)
def test_not_compared(pair: tuple[Sym, Sym]) -> None:
    assert examples(pair) is None


def test_two_numbers() -> None:
    assert examples([Num(3), Num(4)]) == [3, 4]
    assert examples([Num(3), N]) is None
