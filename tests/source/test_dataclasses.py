"""kfusion's `dataclass` is the standard library's in all that kfusion uses of it."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import field
from typing import Any

import pytest

from kfusion.source.dataclasses import dataclass


@dataclass(frozen=True)
class Point:
    values: int  # a name that the generated code could be tempted to use
    missing: tuple[int, ...] = ()
    self_: str = "a"


@dataclass(frozen=True)
class Named(Point):
    name: str = ""


@dataclass
class Bag:
    items: list[int] = field(default_factory=list)
    count: int = 0


@dataclass(frozen=True, eq=False)
class Identity:
    value: int


@dataclass(frozen=True)
class Checked:
    value: int

    def __post_init__(self) -> None:
        if self.value < 0:
            raise ValueError("negative")


@dataclass(frozen=True)
class Nothing:
    pass


def test_values_are_equal_by_type_and_fields() -> None:
    assert Point(1, (2,)) == Point(values=1, missing=(2,))
    assert hash(Point(1, (2,))) == hash(Point(1, (2,)))
    assert Point(1) != Point(2)
    assert Point(1) != Named(1)
    assert len({Point(1), Point(1), Named(1), Named(1), Nothing(), Nothing()}) == 3


def test_identity_where_it_is_asked_for() -> None:
    assert Identity(1) != Identity(1)


def test_frozen_values_stay_as_they_are() -> None:
    point: Any = Point(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        point.values = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        del point.values


def test_others_can_be_changed_and_share_nothing() -> None:
    first, second = Bag(), Bag()
    first.items.append(1)
    first.count += 1
    assert (second.items, second.count) == ([], 0)
    assert first == Bag([1], 1)
    with pytest.raises(TypeError):
        hash(first)


def test_fields_are_given_as_declared() -> None:
    broken: Any = Point
    with pytest.raises(TypeError):
        broken()
    with pytest.raises(TypeError):
        broken(1, other=2)
    assert repr(Named(1, (2,), name="n")) == "Named(values=1, missing=(2,), self_='a', name='n')"
    assert [f.name for f in dataclasses.fields(Named)] == ["values", "missing", "self_", "name"]


def test_replace_match_and_post_init() -> None:
    assert dataclasses.replace(Point(1), values=3) == Point(3)
    match Point(1, (2,)):
        case Point(values, missing):
            assert (values, missing) == (1, (2,))
    with pytest.raises(ValueError, match="negative"):
        Checked(-1)


def test_a_remembered_hash_is_not_copied_to_other_processes() -> None:
    named = Named(1, name="n")
    before = hash(named)
    for other in (copy.copy(named), pickle.loads(pickle.dumps(named))):
        assert vars(other) == {"values": 1, "missing": (), "self_": "a", "name": "n"}
        assert (other, hash(other)) == (named, before)
