"""Accesses whose index is one of several values, as one access for each of them.

`y[min(i, n - 1)]` is `y[i]` where `i <= n - 1`, and `y[n - 1]` where not: what is true of both
is true of it. Which of two values it is follows from a comparison, and that is a fact where the
value is used. Values that only facts name stay as they are, if they are many.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kfusion.graph.bind import BoundAccess
from kfusion.graph.bounds import Bounds, Proof, of_other_item
from kfusion.kernel.forms import ITEM_IDS, Choice, Comparison, Form, form_of
from kfusion.source.dataclasses import dataclass
from kfusion.source.protections import is_on, protection

ALL_VALUES = protection("all-values", "an index may be each of the values that it is one of")

_MOST_OF_FACTS = 2


@dataclass(frozen=True)
class Way:
    """Two accesses without choices in their indices, and what has been chosen for that."""

    a: BoundAccess
    b: BoundAccess
    chosen: tuple[Comparison, ...] = ()  # facts; of the second access, of the other item

    def impossible(self, bounds: Bounds) -> Proof | None:
        """Why it is never gone: something else than has been chosen holds."""
        found = (bounds.implied(comparison.negated) for comparison in self.chosen)
        return next((proof for proof in found if proof is not None), None)


def ways(way: Way) -> Iterator[Way]:
    """All that there are."""
    choice, first = _next_choice(way)
    if choice is None:
        yield way
        return
    yield from ways(_taken(way, choice, choice.when, choice.then, first=first))
    for number, comparison in enumerate(choice.when if is_on(ALL_VALUES) else ()):
        facts = (*choice.when[:number], comparison.negated)
        yield from ways(_taken(way, choice, facts, choice.otherwise, first=first))


def _next_choice(way: Way) -> tuple[Choice | None, bool]:
    """Of an index, or else of a fact; and whether it is the first access's."""
    for access in (way.a, way.b):
        choices = (access.form or Form()).choices
        if choices:
            return max(choices, key=lambda each: (len(str(each)), str(each))), access is way.a
    found = [
        (choice, access is way.a)
        for access in (way.a, way.b)
        for fact in (access.facts if access.stage.stride is None else ())
        for side in (fact.left, fact.right)
        for choice in side.choices
    ]
    simple = len(set(found)) <= _MOST_OF_FACTS and all(len(c.when) == 1 for c, _ in found)
    return found[0] if found and simple else (None, False)


def _taken(
    way: Way, choice: Choice, facts: tuple[Comparison, ...], side: Form, *, first: bool
) -> Way:
    """What an item chooses is its own; what depends on scalars only, all items choose."""
    here = form_of(choice)
    moves = here.mentions(*ITEM_IDS) or here.in_loop
    a = _with(way.a, choice, facts, side) if first or not moves else way.a
    b = _with(way.b, choice, facts, side) if not first or not moves else way.b
    known = facts if first else tuple(c.map(lambda f: f.rename(of_other_item)) for c in facts)
    return Way(a, b, (*way.chosen, *known))


def _with(
    access: BoundAccess, choice: Choice, facts: tuple[Comparison, ...], side: Form
) -> BoundAccess:
    return replace(access, facts=(*access.facts, *facts)).replaced({choice: side})
