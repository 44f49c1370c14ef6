"""How many elements of a buffer a launch touches, as far as its indices tell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod

from kfusion.kernel.forms import (
    GLOBAL_ID,
    GLOBAL_OFFSET,
    GLOBAL_SIZE,
    GROUP_ID,
    LOCAL_ID,
    LOCAL_SIZE,
    NUM_GROUPS,
    STRIDED_ID,
    Atom,
    Choice,
    Comparison,
    Form,
    Id,
    Listed,
    LoopVariable,
    Quotient,
    Value,
    form_of,
)
from kfusion.kernel.model import Kernel
from kfusion.kernel.opening import COPIES
from kfusion.kernel.types import size_of
from kfusion.source.dataclasses import dataclass

MARGIN = 64  # elements behind the last one that is known


@dataclass(frozen=True)
class Range:
    """The least and the greatest value of an index."""

    low: int
    high: int


@dataclass(frozen=True)
class Launched:
    """A launch with numbers: scalars by the names of the kernel's parameters."""

    size: tuple[int, ...]
    local: tuple[int, ...] | None
    scalars: Mapping[str, int | float]


def touched(kernel: Kernel, launched: Launched) -> dict[str, int]:
    """For each buffer parameter about how many elements a launch touches.

    Where an index is not understood each item is taken to have an element of its own, but
    for what a group copies for all of its items: that is little.
    """
    items = 1
    for size in launched.size:
        items *= size
    found: dict[str, int] = {}
    for access in kernel.accesses:
        tokens = kernel.unit.tokens[max(access.first - 8, 0) : access.first]
        copied = any(token.text in COPIES for token in tokens)
        count = 0 if copied else items
        if access.form is not None and access.texel is None:
            last = highest(access.form, access.facts, launched)
            count = last + 1 if access.form.in_loop else min(last + 1, items)
        found[access.parameter] = max(found.get(access.parameter, 0), count)
    return found


def extents(kernel: Kernel, launched: Launched) -> dict[str, int]:
    """For each buffer parameter the number of elements that it has to have."""
    items = 1
    for size in launched.size:
        items *= size
    found: dict[str, int] = {}
    for parameter in kernel.parameters:
        if parameter.is_buffer:
            found[parameter.name] = items + MARGIN
    if (stride := kernel.body.stride) is not None and stride.form is not None:
        (atom,) = stride.form.atoms
        assert isinstance(atom, Id)
        items = max(items, _loop(atom, kernel.body.guards, launched).high + 1)
        found = dict.fromkeys(found, items + MARGIN)
    for access in kernel.accesses:
        if access.parameter not in found:
            continue
        form = access.form
        last = highest(form, access.facts, launched) if form else max(items, _box(launched))
        own = size_of(kernel.parameter(access.parameter).canonical)
        seen = size_of(access.seen_as) if access.seen_as else own
        count = (last * (access.unit or seen) + seen - 1) // own + 1
        found[access.parameter] = max(found[access.parameter], count + MARGIN)
    return found


def _box(launched: Launched) -> int:
    """Elements between `0` and what an index that is not understood may be made of: all numbers
    that the kernel gets, as sides of a box."""
    sides = [n for n in launched.scalars.values() if isinstance(n, int) and n > 1]
    return min(prod(sides), _LARGEST)


_LARGEST = 1 << 20


def highest(form: Form, facts: Sequence[Comparison], launched: Launched) -> int:
    """The greatest value of an index."""
    return _of(form, facts, launched).high


def _of(form: Form, facts: Sequence[Comparison], launched: Launched) -> Range:
    low = high = 0
    for monomial, factor in form.terms:
        ranges = [_atom(atom, facts, launched) for atom in monomial]
        ends = [factor * product for product in _products(ranges)]
        low, high = low + min(ends), high + max(ends)
    return Range(low, high)


def _products(ranges: Iterable[Range]) -> list[int]:
    products = [1]
    for each in ranges:
        products = [p * end for p in products for end in (each.low, each.high)]
    return products


def _atom(atom: Atom, facts: Sequence[Comparison], launched: Launched) -> Range:
    if isinstance(atom, Id) and atom.kind != STRIDED_ID:
        return _id(atom, launched)
    if isinstance(atom, Value):
        value = int(launched.scalars.get(str(atom), 0))
        return Range(value, value)
    if isinstance(atom, LoopVariable | Id):
        return _loop(atom, facts, launched)
    if isinstance(atom, Listed):
        return Range(*atom.ends)
    if isinstance(atom, Choice):
        sides = [_of(side, facts, launched) for side in (atom.then, atom.otherwise)]
        return Range(min(side.low for side in sides), max(side.high for side in sides))
    return _quotient(atom, facts, launched)


def _id(atom: Id, launched: Launched) -> Range:
    d = atom.dimension
    size = launched.size[d] if d < len(launched.size) else 1
    local = launched.local[d] if launched.local and d < len(launched.local) else size
    groups = -(-size // local)
    highest = {
        GLOBAL_ID: size - 1,
        LOCAL_ID: local - 1,
        GROUP_ID: groups - 1,
    }
    exact = {GLOBAL_SIZE: size, LOCAL_SIZE: local, NUM_GROUPS: groups, GLOBAL_OFFSET: 0}
    if atom.kind in exact:
        return Range(exact[atom.kind], exact[atom.kind])
    return Range(0, highest.get(atom.kind, size))


def _loop(atom: LoopVariable | Id, facts: Sequence[Comparison], launched: Launched) -> Range:
    """What a loop counts, as far as a comparison with it on the left says."""
    others = [fact for fact in facts if atom not in fact.right.atoms]
    for fact in others:
        if fact.left == form_of(atom) and fact.op in ("<", "<="):
            limit = _of(fact.right, (), launched).high
            return Range(0, limit - (fact.op == "<"))
    return Range(0, max(launched.size))


def _quotient(atom: Quotient, facts: Sequence[Comparison], launched: Launched) -> Range:
    dividend, divisor = _of(atom.dividend, facts, launched), _of(atom.divisor, facts, launched)
    if divisor.low <= 0:
        return dividend
    ends = [
        value // by for value in (dividend.low, dividend.high) for by in (divisor.low, divisor.high)
    ]
    return Range(min(ends), max(ends))
