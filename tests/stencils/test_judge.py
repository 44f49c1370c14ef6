"""What may be one kernel with neighbours' values computed again: the facts that fusion rests on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from random import Random

import pytest

from tests.stencils.judge import (
    CONSTANT,
    Border,
    Group,
    Memory,
    Point,
    Read,
    Stage,
    Store,
    filled,
    fused,
    has_race,
    inside,
    may_be,
    orders,
    outcomes,
    unfused,
)

WIDTH = 7
BORDERS: list[Border] = ["clamp", "last", "mirror", "reflect", "wrap", "constant"]


def reads(text: str, border: Border, dimensions: int = 1) -> list[Read]:
    """`a` is an element of the item's own, `a~` also those beside it, in each dimension."""
    found: list[Read] = []
    for name in text.split():
        reach = (-1, 0, 1) if name.endswith("~") else (0,)
        found += [
            Read(name.rstrip("~"), offset, (border,) * dimensions)
            for offset in product(reach, repeat=dimensions)
        ]
    return found


def stage(text: str, border: Border = "clamp", size: Point = (WIDTH,)) -> Stage:
    """`b c = a~ d`: to b and c from the neighbours of a and the element of d."""
    stored, loaded = text.split(" = ")
    return Stage(
        text,
        tuple(reads(loaded, border, len(size))),
        tuple(Store(name, (0,) * len(size)) for name in stored.split()),
        size,
        tuple(map(range, size)),
    )


def only(each: Stage, guard: Callable[[Point], bool]) -> Stage:
    return replace(each, guard=guard)


def legal(*stages: Stage, out: str, kept: str = "") -> bool:
    """One kernel, if `out` is read afterwards; it stores that and what is `kept` all the same."""
    memory = filled("abcdt", stages[0].size)
    assert not has_race(stages, memory)
    observed = frozenset(out.split())
    return may_be([Group(stages, observed | set(kept.split()))], stages, memory, observed)


@pytest.mark.parametrize(
    ("border", "expected"),
    {
        "clamp": [0, 0, 0, 1, 2, 3, 3, 3],
        "last": [3, 3, 0, 1, 2, 3, 3, 3],
        "mirror": [2, 1, 0, 1, 2, 3, 2, 1],
        "reflect": [1, 0, 0, 1, 2, 3, 3, 2],
        "wrap": [2, 3, 0, 1, 2, 3, 0, 1],
        "constant": [None, None, 0, 1, 2, 3, None, None],
        "guarded": [-2, -1, 0, 1, 2, 3, 4, 5],
    }.items(),
)
def test_borders_lead_to_elements(border: Border, expected: list[int | None]) -> None:
    assert [inside(position, 4, border) for position in range(-2, 6)] == expected


def test_elements_of_items_may_be_replaced_and_their_neighbours_may_not() -> None:
    assert legal(stage("t = a"), stage("a = t"), out="a t")
    assert not legal(stage("t = a~"), stage("a = t"), out="a")
    assert not legal(stage("t = a~"), stage("a = t"), out="a t")


def test_an_element_of_the_items_own_is_a_neighbours_where_it_is_computed_again() -> None:
    """No item of a launch reads what another one of the other launch writes over."""
    assert not legal(stage("t = a"), stage("a = t~"), out="a")
    assert not legal(stage("t = a"), stage("a = t~"), out="a t")
    assert legal(stage("t = a"), stage("c = t~"), out="c")
    assert legal(stage("t = a"), stage("c = t~"), out="a c t")


@pytest.mark.parametrize(
    ("first", "second", "size"),
    [
        (first, second, size)
        for first, second, size in product(BORDERS, BORDERS, [(1,), (2,), (3,), (4, 3)])
        if size != (1,) or "mirror" not in (first, second)  # which would read outside
    ],
)
def test_borders_may_differ_at_each_level(first: Border, second: Border, size: Point) -> None:
    stages = stage("t = a~", first, size), stage("c = t~", second, size)
    assert legal(*stages, out="c")
    assert legal(*stages, out="t c")


def _in_order(group: Group, memory: Memory) -> Memory:
    found = {name: dict(values) for name, values in memory.items()}
    fused(group, found, [(n, i) for n, s in enumerate(group.stages) for i in sorted(s.domain)])
    return found


def test_a_producer_is_evaluated_where_the_border_of_its_consumer_leads() -> None:
    """Sums of three, twice; sums of five with borders of their own would be others."""
    summing = [replace(stage(text, size=(5,)), function=sum) for text in ("t = a~", "c = t~")]
    memory: Memory = {name: {(i,): i + 1 for i in range(5)} for name in "atc"}
    for after in (
        unfused(summing, memory),
        *outcomes([Group(tuple(summing), frozenset("c"))], memory),
    ):
        assert list(after["c"].values()) == [14, 19, 27, 35, 40]


def test_a_constant_border_is_that_of_the_level_where_it_stands() -> None:
    double = replace(stage("t = a"), function=lambda read: 2 * read[0] + 1)
    add = replace(stage("c = t~", "constant"), function=sum)
    memory: Memory = {name: {(i,): i for i in range(WIDTH)} for name in "atc"}
    after = _in_order(Group((double, add), frozenset("c")), memory)
    assert after["c"][0,] == CONSTANT + 1 + 3


def test_stencils_in_place_are_races_and_stay_so() -> None:
    memory = filled("at", (WIDTH,))
    assert has_race([stage("a = a~")], memory)
    assert not has_race([stage("a = a")], memory)
    assert not legal(stage("a = a"), stage("t = a~"), stage("a = t"), out="a")


def test_elements_of_two_colours_stay_apart() -> None:
    """A launch for each colour, in place: no race, and none that could be the other's kernel."""
    across = stage("a = a~", "wrap", (4, 6))
    across = replace(across, reads=tuple(r for r in across.reads if sum(map(abs, r.offset)) == 1))
    red = only(across, lambda p: sum(p) % 2 == 0)
    black = only(across, lambda p: sum(p) % 2 == 1)
    assert not has_race([red, black], filled("a", (4, 6)))
    assert not legal(red, black, out="a")


@pytest.mark.parametrize("border", BORDERS)
def test_chains_may_be_long(border: Border) -> None:
    levels = [stage(text, border, (3, 4)) for text in ("b = a~", "c = b~", "d = c~", "t = d")]
    assert legal(*levels, out="t")
    assert legal(*levels[:3], out="b c d")


def test_values_may_be_read_at_several_levels() -> None:
    assert legal(stage("b = a~"), stage("c = b~ a"), stage("d = c~ b~ a~"), out="d")
    assert legal(stage("b c = a~"), stage("d = b~ c~ b"), out="b d")


def test_what_is_updated_in_place_may_feed_no_neighbour() -> None:
    step = stage("t = a~")
    assert legal(step, stage("d = d t"), stage("c = t~"), out="c d")
    assert legal(step, stage("d t = d t"), stage("c = t"), out="c d t")
    assert not legal(step, stage("d = d t"), stage("c = d~"), out="c d")
    assert not legal(step, stage("d t = d t"), stage("c = t~"), out="c d")
    assert legal(step, stage("d t = d t"), stage("c = t~"), out="c t"), "d stays as it was"


def test_two_buffers_by_turns_are_several_kernels() -> None:
    """But those that only pass values on, and are not stored, keep what they had."""
    assert not legal(stage("b = a~"), stage("a = b~"), out="a")
    assert not legal(stage("b = a~"), stage("a = b~"), out="a b")
    assert legal(stage("b = a~"), stage("a = b~"), stage("b = a~"), out="b")
    assert not legal(stage("b = a~"), stage("a = b~"), stage("b = a~"), out="b", kept="a")
    assert not legal(stage("b = a~"), stage("c = b~"), stage("a = c"), out="a c")
    assert legal(stage("b = a"), stage("a = b"), stage("c = d~"), out="a b c")
    assert not legal(stage("b = a"), stage("a = b"), stage("c = b~"), out="a c")
    assert not legal(stage("b = a"), stage("a = b"), stage("c = a~"), out="a c")


def test_where_a_stage_stores_nothing_its_buffer_has_what_it_had() -> None:
    def within(text: str) -> Stage:
        return only(stage(text, "guarded"), lambda p: 1 <= p[0] < WIDTH - 1)

    assert legal(within("t = a~"), stage("c = t~"), out="c t")
    assert legal(stage("t = b"), within("t = a~"), stage("c = t~"), out="c t")
    assert legal(within("t = a~"), within("c = t~"), within("d = c~"), out="c d")
    # The elements at the ends are those of memory, which a third launch writes.
    assert not legal(within("t = a~"), stage("c = t~"), stage("t = b"), out="c t")
    assert legal(within("t = a~"), stage("c = t~"), within("t = b"), out="c t")


def test_what_no_item_reads_may_be_written_over() -> None:
    back = replace(stage("a = t~"), stores=(Store("a", (3,)),), launch=(range(WIDTH - 3),))
    for last, may in ((2, True), (3, False)):  # of the elements of a that t is made from
        front = replace(stage("t = a"), launch=(range(last + 1),))
        assert legal(front, back, out="a") is may


def test_items_may_store_to_elements_a_constant_away() -> None:
    made = replace(stage("t = a"), stores=(Store("t", (1,)),), launch=(range(WIDTH - 1),))
    assert legal(made, stage("c = t~"), out="c t")
    assert legal(made, replace(made, name="u"), stage("c = t~"), out="c t")
    assert not legal(made, stage("a = t"), out="a"), "t[x + 1] is made from a[x]"


def test_ranges_may_differ() -> None:
    for first, second in (((0, 7), (2, 5)), ((2, 5), (0, 7)), ((0, 4), (3, 7))):
        made = replace(stage("t = a~"), launch=(range(*first),))
        assert legal(made, replace(stage("c = t~"), launch=(range(*second),)), out="c t")


def test_what_is_read_later_must_be_stored() -> None:
    stages = stage("t = a"), stage("c = t~")
    memory = filled("act", (WIDTH,))
    assert not may_be([Group(stages, frozenset("c"))], stages, memory, frozenset("ct"))


def test_groups_follow_one_another() -> None:
    stages = [stage("t = a~"), stage("c = t~"), stage("a = c"), stage("d = a~")]
    memory = filled("acdt", (WIDTH,))
    pairs = [Group(tuple(stages[:2]), frozenset("c")), Group(tuple(stages[2:]), frozenset("ad"))]
    assert may_be(pairs, stages, memory, frozenset("acd"))
    assert not may_be([Group(tuple(stages), frozenset("acd"))], stages, memory, frozenset("acd"))


def test_each_order_has_each_step_once_and_those_of_an_item_in_order() -> None:
    stages = [stage("t = a"), only(stage("c = t~"), lambda p: p[0] > 2)]
    expected = {(n, item) for n, each in enumerate(stages) for item in each.domain}
    found = list(orders(stages, Random(1)))
    assert len({tuple(steps) for steps in found}) == len(found)
    for steps in found:
        assert len(steps) == len(expected)
        assert set(steps) == expected
        for item in stages[1].domain:
            assert steps.index((0, item)) < steps.index((1, item))
