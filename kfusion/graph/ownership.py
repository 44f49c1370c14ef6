"""Can two accesses of different work-items meet in one element?

The elements that an item touches are told apart like digits: in `y*w + x` with
`0 <= x < w`, equal indices have equal `y` and equal `x`. If all ids of the launch are
such digits at both accesses, then only an item and itself can meet.

C's integers do not quite count like that: products wrap around, and a negative `w` is a
large one where `x < w` is compared without sign. Where a store happens at least wherever
the other access does, and at the same index, that does not matter: two items that met
would both store to one element, and the program had a race to begin with. Digits are
still asked for, as if integers had no end: who stores to one element on purpose, all
with the same value, is left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from functools import lru_cache
from itertools import combinations, product
from math import gcd

from kfusion.graph.bind import BoundAccess, Stage
from kfusion.kernel.forms import (
    GLOBAL_ID,
    GLOBAL_SIZE,
    GROUP_ID,
    ITEM_IDS,
    LOCAL_ID,
    LOCAL_SIZE,
    NUM_GROUPS,
    ROW,
    STRIDED_ID,
    Atom,
    Comparison,
    Form,
    Id,
    Monomial,
    Quotient,
    Value,
    counts_items,
    form_of,
    number,
)
from kfusion.kernel.types import is_integer, is_unsigned, promoted
from kfusion.source.dataclasses import dataclass
from kfusion.source.protections import is_on, protection

BOUNDS = protection("bounds", "y*w + x is an element of its own only where 0 <= x < w")
DIMENSIONS = protection("dimensions", "an index must depend on every id of the launch")
WRAPPING = protection("wrapping", "indices that wrap around may meet")
PITCH = protection("pitch", "y*pitch + x has elements of its own only where rows end before pitch")
ONE_WIDTH = protection("one-width", "indices count elements of one type")
COVERING = protection("covering", "no race is implied where the store does not always happen")


class Dependence(Enum):
    """How two accesses to one buffer depend on each other."""

    NONE = "none"
    SAME_ITEM = "same item"
    NEIGHBOUR = "neighbour"  # at constant offsets
    SAME_GROUP = "same group"
    OTHER = "everything else"


_SIZES = {LOCAL_ID: LOCAL_SIZE, GROUP_ID: NUM_GROUPS}

# Asks whether all ids of a dimension are below a scalar: at both accesses.
Within = Callable[[int, Value], bool]
# Asks whether one scalar is at most the other.
AtMost = Callable[[Value, Value], bool]


def _no_row(_length: Value, _pitch: Value) -> bool:
    return False


@dataclass(frozen=True)
class _Digits:
    """Ids that are equal whenever the indices are; `never`: the indices never are."""

    ids: frozenset[Atom] = frozenset()
    never: bool = False

    def both(self, other: _Digits) -> _Digits:
        return _Digits(self.ids | other.ids, self.never or other.never)


def depend(
    a: BoundAccess,
    b: BoundAccess,
    dimensions: int,
    within: Within,
    at_most: AtMost = _no_row,
) -> Dependence:
    """Of two accesses to the same memory object, from the same range of items."""
    if a.form is None or b.form is None:
        return Dependence.OTHER
    if a.access.seen_as != b.access.seen_as and is_on(ONE_WIDTH):
        return Dependence.OTHER
    if _may_wrap(a.form, b.form) and _width(a) != _width(b):
        return Dependence.OTHER
    wraps = "uint" in (a.access.index_type, b.access.index_type)
    products = not wraps or not is_on(WRAPPING) or all(_counts(f) for f in (a.form, b.form))
    reader = _Reader((*a.facts, *b.facts), a.facts, b.facts, within, at_most, wraps, products)
    digits = reader.digits(a.form, b.form)
    if digits.never:
        return Dependence.NONE
    if not is_on(DIMENSIONS):
        dimensions = 1
    strides = {s for s in (a.stage.stride, b.stage.stride) if s is not None}
    needed = {*range(dimensions), *(s.dimension for s in strides)}
    if all(_knows_item(digits.ids, d) for d in needed) and not _has_wrapping_stride(a, b):
        return Dependence.SAME_ITEM
    if not strides and _would_race(a, b):
        ids = _endless(a, b, within, at_most).ids
        if all(_knows_item(ids, d) for d in range(dimensions)):
            return Dependence.SAME_ITEM
    of_groups = reader.digits(_in_group_ids(a), _in_group_ids(b)).ids
    if any(all(_knows_group(ids, d) for d in range(dimensions)) for ids in (digits.ids, of_groups)):
        return Dependence.SAME_GROUP
    difference = a.form - b.form
    if difference.terms and not difference.in_loop and not difference.mentions(*ITEM_IDS):
        return Dependence.NEIGHBOUR
    return Dependence.OTHER


def _width(access: BoundAccess) -> str:
    """The type that the index is computed in: size_t and ulong are one."""
    type_ = access.access.index_type
    return promoted(type_) if is_integer(type_) else type_


def _in_group_ids(access: BoundAccess) -> Form:
    """With the global ids taken apart, where groups are full and there is no offset."""
    range_, form = access.stage.invocation.range, access.form or Form()
    if range_.local is None or not range_.uniform or range_.offset:
        return form
    return form.replace(
        {
            Id(GLOBAL_ID, d): form_of(Id(GROUP_ID, d)) * form_of(Id(LOCAL_SIZE, d))
            + form_of(Id(LOCAL_ID, d))
            for d in range(range_.dimensions)
        }
    )


@lru_cache(maxsize=256)
def passed_on(stage: Stage) -> frozenset[str]:
    """Memory through which the items of a group may hand something to each other.

    Only if they wait for one another: without a barrier that would be a race.
    """
    together = stage.invocation.kernel.together
    if together is None or not together.waits:
        return frozenset()
    found: set[str] = set()
    for a, b in product(stage.accesses, repeat=2):
        if a.memory.name == b.memory.name and a.access.mode.writes:
            kind = depend(a, b, stage.invocation.range.dimensions, lambda *_: False)
            if kind not in (Dependence.NONE, Dependence.SAME_ITEM):
                found.add(a.memory.name)
    return frozenset(found)


def _would_race(a: BoundAccess, b: BoundAccess) -> bool:
    """If different items met at the two accesses, then they would at one store as well."""
    types = {a.access.index_type, b.access.index_type}
    if a.form != b.form or (len(types) > 1 and "uint" in types):
        return False
    return any(
        store.access.mode.writes
        and (
            not is_on(COVERING)
            or (not store.access.conditional and set(store.facts) <= set(other.facts))
        )
        for store, other in ((a, b), (b, a))
    )


def _endless(a: BoundAccess, b: BoundAccess, within: Within, at_most: AtMost) -> _Digits:
    """The digits of the indices if integers had no end and no conversion changed them."""
    left, right = (tuple(c.map(_unconverted) for c in x.facts) for x in (a, b))
    facts = (*left, *right)
    reader = _Reader(facts, left, right, within, at_most, wraps=False, products=True, endless=True)
    return reader.digits(_unconverted(a.form or Form()), _unconverted(b.form or Form()))


def _unconverted(form: Form) -> Form:
    changed = form
    for atom in form.atoms:
        if isinstance(atom, Quotient) and atom.divisor == number(1):
            changed = changed.replace({atom: _unconverted(atom.dividend)})
    return changed


def _may_wrap(*forms: Form) -> bool:
    """A difference may be negative, and then unsigned types disagree about it."""
    return any(factor < 0 for form in forms for _, factor in form.terms)


def _has_wrapping_stride(a: BoundAccess, b: BoundAccess) -> bool:
    """`i*w` in 64 bits, in some iterations only: those that meet need not be of two items."""
    return any(
        any(isinstance(atom, Id) and atom.kind == STRIDED_ID for atom in monomial)
        and any(isinstance(atom, Value) for atom in monomial)
        for x in (a, b)
        if x.access.conditional and x.access.index_type != "int"
        for monomial, _ in (x.form or Form()).terms
    )


def _knows_item(ids: frozenset[Atom], dimension: int) -> bool:
    if Id(GLOBAL_ID, dimension) in ids or Id(STRIDED_ID, dimension) in ids:
        return True
    return {Id(GROUP_ID, dimension), Id(LOCAL_ID, dimension)} <= ids


def _knows_group(ids: frozenset[Atom], dimension: int) -> bool:
    return Id(GROUP_ID, dimension) in ids or Id(GLOBAL_ID, dimension) in ids


@dataclass(frozen=True)
class _Reader:
    facts: tuple[Comparison, ...]  # of both: the accesses happen, so all of them hold
    left: tuple[Comparison, ...]
    right: tuple[Comparison, ...]
    within: Within
    at_most: AtMost
    wraps: bool  # an index is computed in 32 bits without sign
    products: bool  # and its products do not wrap around
    endless: bool = False  # comparisons hold for integers as they are written

    def digits(self, p: Form, q: Form) -> _Digits:
        if _never_equal(p, q, self.wraps):
            return _Digits(never=True)
        if p == q and len(p.terms) == 1:
            (monomial, factor), *_ = p.terms
            injective = factor % 2 == 1 or self.products
            if len(monomial) == 1 and _is_item(monomial[0]) and injective:
                return _Digits(frozenset(monomial))
        best = _Digits()
        fixed = _fixed(p)
        if fixed.terms and fixed == _fixed(q):
            best = self.digits(p - fixed, q - fixed)
        for radix in _radices(p) if self.products else ():
            divide = _divide if radix == ROW else _divide_down
            (high_p, low_p), (high_q, low_q) = divide(p, radix), divide(q, radix)
            if not high_p.terms or not high_q.terms or not self._are_digits(low_p, low_q, radix):
                continue
            found = self.digits(high_p, high_q).both(self.digits(low_p, low_q))
            if found.never and self.wraps and is_on(WRAPPING):
                continue  # products that wrap around are no digits
            if found.never:
                return found
            if len(found.ids) > len(best.ids):
                best = found
        return best

    def _are_digits(self, p: Form, q: Form, radix: Form) -> bool:
        """Both in a window of `radix` numbers, so that equal remainders are needed."""
        if radix == ROW or not is_on(BOUNDS):
            return True
        if self._below(p, radix, self.left) and self._below(q, radix, self.right):
            return True
        atom = _single(p)
        if p == q and isinstance(atom, Id) and atom.kind == GLOBAL_ID:
            # From the offset on, as many ids as the global size.
            if radix == form_of(Id(GLOBAL_SIZE, atom.dimension)):
                return True
        if p.constant != q.constant or not p.constant:
            return False
        shift = number(p.constant)
        return self._below(p - shift, radix, self.left) and self._below(
            q - shift, radix, self.right
        )

    def _below(self, form: Form, radix: Form, facts: tuple[Comparison, ...]) -> bool:
        """0 <= form < radix."""
        if form.is_constant and radix.is_constant:
            return 0 <= form.constant < radix.constant
        if not form.terms:
            return self._positive(radix)
        atom = _single(form)
        mirrored = _single(radix - number(1) - form)  # counted from the other end
        if isinstance(mirrored, Id) and mirrored.kind in _SIZES:
            atom = mirrored
        if isinstance(atom, Id) and atom.kind in _SIZES:
            return radix == form_of(Id(_SIZES[atom.kind], atom.dimension))
        if not _not_negative(form, facts):
            return False
        if any(_bounds(fact, form, radix, self.endless) for fact in facts):
            return True
        limit = _single(radix)
        if not isinstance(limit, Value):
            return False
        if any(self._ends_before(fact, form, limit) for fact in facts):
            return True
        return (
            isinstance(atom, Id) and atom.kind == GLOBAL_ID and self.within(atom.dimension, limit)
        )

    def _ends_before(self, fact: Comparison, form: Form, pitch: Value) -> bool:
        """`x < width`, in rows of `pitch` elements."""
        end = fact.right if fact.op == "<" else fact.right + number(1)
        length = _single(end)
        return (
            isinstance(length, Value)
            and _bounds(fact, form, end, self.endless)
            and (not is_on(PITCH) or self.at_most(length, pitch))
        )

    def _positive(self, radix: Form) -> bool:
        if radix.is_constant:
            return radix.constant > 0
        if all(isinstance(a, Id) for a in radix.atoms):
            return all(f > 0 for _, f in radix.terms)
        return any(
            fact.op == "<"
            and fact.right == radix
            and _not_negative(fact.left, self.facts)
            and _is_exact(fact)
            for fact in self.facts
        )


def _bounds(fact: Comparison, form: Form, radix: Form, endless: bool) -> bool:
    if fact.left != form or not (endless or _is_exact(fact)):
        return False
    if fact.op == "<":
        if fact.right.is_constant and radix.is_constant:
            return fact.right.constant <= radix.constant
        return fact.right == radix
    # `x <= w - 1` says nothing when w is 0 and unsigned.
    return (
        fact.op == "<="
        and fact.right == radix - number(1)
        and (endless or not is_unsigned(fact.type))
    )


def _is_exact(fact: Comparison) -> bool:
    """It holds for integers: without sign, only if no side is negative or wraps around."""
    if not is_unsigned(fact.type):
        return True
    return all(
        side.is_constant
        or (factors_positive(side) and (fact.type != "uint" or _single(side) is not None))
        for side in (fact.right,)
    )


def factors_positive(form: Form) -> bool:
    return all(
        factor > 0 and all(_atom_not_negative(atom, ()) for atom in monomial)
        for monomial, factor in form.terms
    )


def _counts(form: Form) -> bool:
    return counts_items(form - _fixed(form))


def _single(form: Form) -> Atom | None:
    if len(form.terms) == 1 and form.terms[0][1] == 1 and len(form.terms[0][0]) == 1:
        return form.terms[0][0][0]
    return None


def _not_negative(form: Form, facts: tuple[Comparison, ...]) -> bool:
    for fact in facts:
        if fact.right == form and fact.left.is_constant and not is_unsigned(fact.type):
            low = fact.left.constant + (fact.op == "<")
            if fact.op in ("<", "<=") and low >= 0:
                return True
    return all(
        factor > 0 and all(_atom_not_negative(atom, facts) for atom in monomial)
        for monomial, factor in form.terms
    )


def _atom_not_negative(atom: Atom, facts: tuple[Comparison, ...]) -> bool:
    if isinstance(atom, Id):
        return True
    if is_unsigned(atom.type):
        return True
    here = form_of(atom)
    return any(
        fact.op == "<="
        and fact.right == here
        and not is_unsigned(fact.type)
        and _not_negative(fact.left, ())
        for fact in facts
    )


def _is_item(atom: Atom) -> bool:
    return isinstance(atom, Id) and atom.kind in ITEM_IDS


def _moves(atom: Atom) -> bool:
    """It differs between items or iterations."""
    return form_of(atom).mentions(*ITEM_IDS) or form_of(atom).in_loop


def _fixed(form: Form) -> Form:
    """The part that is the same for all items."""
    return Form(tuple((m, f) for m, f in form.terms if not any(_moves(a) for a in m)))


def _never_equal(p: Form, q: Form, wraps: bool) -> bool:
    """`2*i` and `2*j + 1`: every difference is odd, even if the product wraps around."""
    step = 0
    for monomial, factor in (*p.terms, *q.terms):
        if monomial:
            step = gcd(step, abs(factor))
    difference = p.constant - q.constant
    if wraps and is_on(WRAPPING):
        difference %= 1 << 32
    if wraps and step & (step - 1) and is_on(WRAPPING):
        return False
    return difference % step != 0 if step else difference != 0


def _radices(form: Form) -> Iterator[Form]:
    """Products of sizes and scalars (and factors) that multiply an id or a loop variable."""
    seen: set[Form] = set()
    for monomial, factor in form.terms:
        if not any(_moves(a) for a in monomial):
            continue
        rest = [a for a in monomial if not _moves(a)]
        for count in range(len(rest) + 1):
            for chosen in combinations(rest, count):
                for scale in {1, abs(factor)}:
                    radix = number(scale)
                    for atom in chosen:
                        radix *= form_of(atom)
                    if radix != number(1) and radix not in seen:
                        seen.add(radix)
                        yield radix


def _divide(form: Form, radix: Form) -> tuple[Form, Form]:
    """Quotient and remainder, term by term."""
    (atoms, scale), *_ = radix.terms
    high, low = Form(), Form()
    for monomial, factor in form.terms:
        rest = _without(monomial, atoms)
        if rest is None or factor % scale:
            low += Form(((monomial, factor),))
        else:
            high += Form(((rest, factor // scale),))
    return high, low


def _divide_down(form: Form, radix: Form) -> tuple[Form, Form]:
    """The same for `w - 1 - x`: one `w` belongs to a remainder that would be negative."""
    high, low = _divide(form, radix)
    if any(factor < 0 for monomial, factor in low.terms if monomial):
        return high - number(1), low + radix
    return high, low


def _without(monomial: Monomial, atoms: Monomial) -> Monomial | None:
    rest = list(monomial)
    for atom in atoms:
        if atom not in rest:
            return None
        rest.remove(atom)
    return tuple(rest)
