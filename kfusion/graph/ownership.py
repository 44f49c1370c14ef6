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

from collections.abc import Iterable, Iterator
from dataclasses import field, replace
from enum import Enum
from functools import lru_cache
from itertools import combinations, product
from math import gcd

from kfusion.graph.bind import BoundAccess, Stage
from kfusion.graph.bounds import (
    LAST,
    NOTHING,
    Assumable,
    Bounds,
    Crowd,
    Nothing,
    Proof,
    of_other_item,
)
from kfusion.graph.recalled import Recalled
from kfusion.graph.ways import Way, ways
from kfusion.kernel.forms import (
    GLOBAL_ID,
    GLOBAL_OFFSET,
    GROUP_ID,
    ITEM_IDS,
    LOCAL_ID,
    LOCAL_SIZE,
    ROW,
    STRIDED_ID,
    Atom,
    Comparison,
    Form,
    Id,
    LoopVariable,
    Monomial,
    Quotient,
    Value,
    counts_items,
    form_of,
    number,
)
from kfusion.kernel.types import is_integer, known_size, promoted
from kfusion.source.dataclasses import dataclass
from kfusion.source.protections import is_on, protection

BOUNDS = protection("bounds", "y*w + x is an element of its own only where 0 <= x < w")
DIMENSIONS = protection("dimensions", "an index must depend on every id of the launch")
WRAPPING = protection("wrapping", "indices that wrap around may meet")
ONE_WIDTH = protection("one-width", "indices count elements of one type")
ONE_NUMBER = protection("one-number", "two items that ids choose are one if they are equal")
COVERING = protection("covering", "no race is implied where the store does not always happen")


_MOST_WAYS = 16  # in which two indices are looked at


class Dependence(Enum):
    """How two accesses to one buffer depend on each other."""

    NONE = "none"
    SAME_ITEM = "same item"
    NEIGHBOUR = "neighbour"  # at constant offsets
    SAME_GROUP = "same group"
    OTHER = "everything else"


@dataclass(frozen=True)
class _Digits:
    """Ids that are equal whenever the indices are; `never`: the indices never are."""

    ids: frozenset[Atom] = frozenset()
    never: bool = False
    assumed: Proof = NOTHING

    def both(self, other: _Digits) -> _Digits:
        assumed = self.assumed | other.assumed
        return _Digits(self.ids | other.ids, self.never or other.never, assumed)

    def assuming(self, proof: Proof) -> _Digits:
        return replace(self, assumed=self.assumed | proof)


def depend(
    a: BoundAccess, b: BoundAccess, dimensions: int, assumable: Assumable
) -> tuple[Dependence, Proof]:
    """Of two accesses to the same memory object, from the same range of items.

    And what is taken for granted, if they are apart or of the same item.
    """
    accesses = tuple(
        (x.access, x.type, x.form, x.facts, x.stage.range, x.stage.stride) for x in (a, b)
    )
    question = *accesses, a.number == b.number, a.stage is b.stage, dimensions
    return _KNOWN.answer(question, assumable, lambda may: _depend(a, b, dimensions, may))


_KNOWN = Recalled[tuple[Dependence, Proof]]()


def _depend(
    a: BoundAccess, b: BoundAccess, dimensions: int, assumable: Assumable
) -> tuple[Dependence, Proof]:
    if a.form is None or b.form is None:
        return Dependence.OTHER, NOTHING
    if is_on(ONE_WIDTH):
        pair = in_one_unit(a, b)
        if pair is None:
            return Dependence.OTHER, NOTHING
        a, b = pair
    worst, assumed = Dependence.NONE, NOTHING
    for count, way in enumerate(ways(Way(a, b))):
        if count == _MOST_WAYS or (way.chosen and (a.stage.stride or b.stage.stride)):
            return Dependence.OTHER, NOTHING
        found, proof = _in_way(way, dimensions, assumable)
        if found in (Dependence.NEIGHBOUR, Dependence.OTHER):
            return found, NOTHING
        assumed |= proof
        worst = max(worst, found, key=list(Dependence).index)
    return worst, assumed


def _in_way(way: Way, dimensions: int, assumable: Assumable) -> tuple[Dependence, Proof]:
    """Whichever way is gone; and that it is not may be what is taken for granted."""
    if way.chosen and way.impossible(_bounds(way.a.facts, way.b.facts, Nothing())) is not None:
        return Dependence.NONE, NOTHING
    found, proof = _meet(way.a, way.b, dimensions, assumable)
    if way.chosen and (proof or found not in (Dependence.NONE, Dependence.SAME_ITEM)):
        never = way.impossible(_bounds(way.a.facts, way.b.facts, assumable))
        return (found, proof) if never is None else (Dependence.NONE, never)
    return found, proof


def _meet(
    a: BoundAccess, b: BoundAccess, dimensions: int, assumable: Assumable
) -> tuple[Dependence, Proof]:
    assert a.form is not None
    assert b.form is not None
    differ = a.differs(b)
    if _may_wrap(a.form, b.form) and _width(a) != _width(b):
        return Dependence.OTHER, NOTHING
    wraps = "uint" in (a.access.index_type, b.access.index_type)
    products = not wraps or not is_on(WRAPPING) or all(_counts(f) for f in (a.form, b.form))
    uniform = all(x.stage.range.uniform for x in (a, b))
    bounds = _bounds(a.facts, b.facts, assumable)
    reader = _Reader(bounds, wraps, products, uniform)
    if not is_on(DIMENSIONS):
        dimensions = 1
    strides = {s for s in (a.stage.stride, b.stage.stride) if s is not None}
    needed = {*range(dimensions), *(s.dimension for s in strides)}
    if not strides:
        needed -= {dimension for dimension, _ in _chosen(a) & _chosen(b)}
    few = bounds.few(
        a.form, b.form.rename(of_other_item), types=(a.access.index_type, b.access.index_type)
    )
    digits = _Digits() if few is None else reader.digits(a.form, b.form).assuming(few)
    races = not strides and _would_race(a, b)
    if few and races and _raced(a, b, needed, assumable) == NOTHING:
        return Dependence.SAME_ITEM, NOTHING
    if digits.never:
        return Dependence.NONE, digits.assumed
    proof = _of_one_item(digits, needed, assumable, implied=False)
    if proof is not None and not differ and not _has_wrapping_stride(a, b):
        return Dependence.SAME_ITEM, proof
    proof = _raced(a, b, needed, assumable) if races else None
    if proof is not None:
        return Dependence.SAME_ITEM, proof
    fitted = reader.fitted(a.form, b.form) if wraps else _Digits()
    proof = _of_one_item(fitted, needed, assumable, implied=False)
    if fitted.never or proof is not None:
        kind = Dependence.NONE if fitted.never else Dependence.SAME_ITEM
        return kind, fitted.assumed if proof is None else proof
    if differ:
        return Dependence.OTHER, NOTHING
    of_groups = reader.digits(_in_group_ids(a), _in_group_ids(b))
    for found in (digits, of_groups):
        if all(_knows_group(found.ids, d) for d in range(dimensions)):
            return Dependence.SAME_GROUP, found.assumed
    difference = a.form - b.form
    if difference.terms and not difference.in_loop and not difference.mentions(*ITEM_IDS):
        return Dependence.NEIGHBOUR, NOTHING
    return Dependence.OTHER, NOTHING


def _chosen(access: BoundAccess) -> set[tuple[int, int]]:
    """Dimensions of which only items with a certain number do it: `if (get_global_id(0) == 0)`."""
    ids = {form_of(Id(GLOBAL_ID, d)): d for d in range(access.stage.range.dimensions)}
    found: set[tuple[int, int]] = set()
    for fact in access.facts:
        for one, other in ((fact.left, fact.right), (fact.right, fact.left)):
            if fact.op == "==" and one in ids and other.is_constant:
                found.add((ids[one], other.constant if is_on(ONE_NUMBER) else 0))
        first = {"<": number(1), "<=": number(0)}.get(fact.op)
        if fact.left in ids and fact.right == first:
            found.add((ids[fact.left], 0))
    return found


def in_one_unit(a: BoundAccess, b: BoundAccess) -> tuple[BoundAccess, BoundAccess] | None:
    """Elements of several sizes as rows of equally small ones; None: their sizes are not known.

    `((global float4 *)a)[i]` is four floats; so is `*(global float4 *)(a + i)`, wherever it is.
    """
    if not (a.access.unit or b.access.unit) and known_size(a.type) == known_size(b.type):
        return (a, b) if a.type == b.type or known_size(a.type) else None
    sizes: list[int] = []
    parts: list[int] = []
    units: list[int] = []
    for x in (a, b):
        size = known_size(x.type)
        if size is None:
            return None
        sizes.append(size)
        units.append(x.access.unit or size)
        parts.append(known_size(x.type.rstrip("0123456789")) or size if x.access.unit else size)
    unit, part = gcd(*units), min(parts)
    if unit > part or any(size % part for size in sizes):
        return None
    left, right = (
        _in_parts(x, size, given // unit, part, part // unit)
        for x, size, given in zip((a, b), sizes, units, strict=True)
    )
    return left, right


def _in_parts(access: BoundAccess, size: int, scale: int, part: int, step: int) -> BoundAccess:
    """An access of `size` bytes as accesses to all its parts."""
    form, facts = (access.form or Form()) * number(scale), access.facts
    if size > part:
        lane = form_of(LoopVariable("part", access.number, "int", access.stage.invocation.index))
        form += lane * number(step)
        facts += (
            Comparison("<=", Form(), lane, "int"),
            Comparison("<", lane, number(size // part), "int"),
        )
    return replace(access, form=form, facts=facts)


def _bounds(
    left: tuple[Comparison, ...],
    right: tuple[Comparison, ...],
    assumable: Assumable,
    *,
    endless: bool = False,
) -> Bounds:
    """What is certain where both accesses happen: the second one is another item's."""
    others = (c.map(lambda form: form.rename(of_other_item)) for c in right)
    return Bounds((*left, *others), assumable, endless)


def _width(access: BoundAccess) -> str:
    """The type that the index is computed in: size_t and ulong are one."""
    type_ = access.access.index_type
    return promoted(type_) if is_integer(type_) else type_


def _in_group_ids(access: BoundAccess) -> Form:
    """With the global ids taken apart, where groups are full and there is no offset."""
    range_, form = access.stage.range, access.form or Form()
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
            kind, _ = depend(a, b, stage.range.dimensions, Nothing())
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


def _raced(
    a: BoundAccess, b: BoundAccess, dimensions: set[int], assumable: Assumable
) -> Proof | None:
    """What must hold so that only an item and itself meet, or the program had a race."""
    return _of_one_item(_endless(a, b, assumable), dimensions, assumable, implied=True)


def _endless(a: BoundAccess, b: BoundAccess, assumable: Assumable) -> _Digits:
    """The digits of the indices if integers had no end and no conversion changed them."""
    left, right = (tuple(c.map(_unconverted) for c in x.facts) for x in (a, b))
    bounds = _bounds(left, right, assumable, endless=True)
    uniform = all(x.stage.range.uniform for x in (a, b))
    reader = _Reader(bounds, wraps=False, products=True, uniform=uniform)
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


def _of_one_item(
    digits: _Digits, dimensions: set[int], assumable: Assumable, *, implied: bool
) -> Proof | None:
    """What must hold for equal indices to be those of one item."""
    proof = digits.assumed
    for d in dimensions:
        if Id(GLOBAL_ID, d) in digits.ids or Id(STRIDED_ID, d) in digits.ids:
            continue
        if Id(GROUP_ID, d) not in digits.ids:
            return None
        if Id(LOCAL_ID, d) not in digits.ids:
            # Groups of one row, numbered through: `(g0 + g1*groups)*size + local`
            alone = Crowd(d, 1)
            if not assumable.may(alone, implied=implied):
                return None
            proof |= {alone}
    return proof


def _knows_group(ids: frozenset[Atom], dimension: int) -> bool:
    return Id(GROUP_ID, dimension) in ids or Id(GLOBAL_ID, dimension) in ids


_MOST_TERMS = 80  # of two indices, multiplied out
_MOST_DIGITS = 200  # that are looked at for one pair of indices; what people write has few


@dataclass(eq=False)
class _Reader:
    bounds: Bounds  # of both: the accesses happen, so all facts hold
    wraps: bool  # an index is computed in 32 bits without sign
    products: bool  # and its products do not wrap around
    uniform: bool  # all groups have one size
    _found: dict[tuple[Form, Form], _Digits] = field(default_factory=dict)

    def digits(self, p: Form, q: Form) -> _Digits:
        if (p, q) not in self._found:
            too_many = len(self._found) > _MOST_DIGITS or len(p.terms) + len(q.terms) > _MOST_TERMS
            self._found[p, q] = _Digits() if too_many else self._read(p, q)
        return self._found[p, q]

    def _read(self, p: Form, q: Form) -> _Digits:
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
        for radix in _radices(p, q) if self.products else ():
            if radix.mentions(LOCAL_SIZE) and not self.uniform:
                continue  # the last group's size is another one
            for found in self._by(radix, p, q):
                if found.never and self.wraps and is_on(WRAPPING):
                    continue  # sums that wrap around are no digits
                if found.never:
                    return found
                if len(found.ids) > len(best.ids):
                    best = found
            if p == q and not best.assumed and best.ids >= _items(p):
                break  # more cannot be said
        return best

    def fitted(self, p: Form, q: Form) -> _Digits:
        """Where indices without sign stay in 32 bits, they count like others."""
        exact = _Reader(self.bounds, wraps=False, products=True, uniform=self.uniform)
        for radix in _radices(p, q):
            proof = self._fit(p, q, radix)
            if proof is not None:
                return exact.digits(p, q).assuming(proof)
        return _Digits()

    def _fit(self, p: Form, q: Form, radix: Form) -> Proof | None:
        """Why both stay in 32 bits without sign."""
        forms = (p, q.rename(of_other_item))
        room = [each for form in forms for each in (form, number(LAST) - form)]
        return self._all(room, radix, of_rows=False)

    def _by(self, radix: Form, p: Form, q: Form) -> Iterator[_Digits]:
        """The digits before and behind the radix."""
        for (high_p, low_p), (high_q, low_q) in product(_divided(p, radix), _divided(q, radix)):
            if high_p.terms or high_q.terms:
                of_rows = _multiplies(radix, p) or _multiplies(radix, q)
                proof = self._are_digits(low_p, low_q, radix, of_rows=of_rows)
                if proof is not None:
                    high, low = self.digits(high_p, high_q), self.digits(low_p, low_q)
                    yield high.both(low).assuming(proof)

    def _are_digits(self, p: Form, q: Form, radix: Form, *, of_rows: bool) -> Proof | None:
        """Both in a window of `radix` numbers, so that equal remainders are needed."""
        if radix == ROW or not is_on(BOUNDS):
            return NOTHING  # coordinates stay far below a row's length
        q = q.rename(of_other_item)
        last = radix - number(1)
        for start in _starts(p, q):
            room = (p - start, start + last - p, q - start, start + last - q)
            proof = self._all(room, radix, of_rows=of_rows)
            if proof is not None:
                return proof
        return None

    def _all(self, forms: Iterable[Form], radix: Form, *, of_rows: bool) -> Proof | None:
        """Why none of the forms is negative."""
        proof = NOTHING
        for form in forms:
            found = self.bounds.not_negative(form, radix, of_rows=of_rows)
            if found is None:
                return None
            proof |= found
        return proof


def _starts(p: Form, q: Form) -> list[Form]:
    """Where a window may begin: at 0, or at what items have in common."""
    offsets = (
        form_of(Id(GLOBAL_OFFSET, atom.dimension))
        for atom in p.atoms
        if isinstance(atom, Id) and atom.kind == GLOBAL_ID
    )
    return list(dict.fromkeys((Form(), _fixed(p), _fixed(q), *offsets)))


def _counts(form: Form) -> bool:
    return counts_items(form - _fixed(form))


def _single(form: Form) -> Atom | None:
    if len(form.terms) == 1 and form.terms[0][1] == 1 and len(form.terms[0][0]) == 1:
        return form.terms[0][0][0]
    return None


def _is_item(atom: Atom) -> bool:
    return isinstance(atom, Id) and atom.kind in ITEM_IDS


def _items(form: Form) -> frozenset[Atom]:
    return frozenset(atom for atom in form.atoms if _is_item(atom))


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


def _radices(p: Form, q: Form) -> list[Form]:
    """What may stand between one digit and the next: `w`, `w + 2`, `3*w`."""
    found: dict[Form, None] = {}
    moving = {atom: None for form in (p, q) for atom in form.atoms if _moves(atom)}
    for form in (p, q):
        for atom in moving:
            found |= dict.fromkeys(_parts(_coefficient(form, atom)))
    # `i` and `i + n`
    found |= dict.fromkeys(_parts(_fixed(p) - _fixed(q)))
    return [radix for radix in found if radix not in (number(1), number(-1))]


def _multiplies(radix: Form, form: Form) -> bool:
    """From one item to the next it is the distance, or a part of that: `w` in `y*w + x`."""
    coefficients = [_coefficient(form, atom) for atom in form.atoms if _moves(atom)]
    scalars = {scalar for each in coefficients for scalar in each.scalars}
    return radix.scalars <= scalars


def _coefficient(form: Form, atom: Atom) -> Form:
    """What the atom is multiplied by."""
    return Form(tuple((_without(m, (atom,)) or (), f) for m, f in form.terms if atom in m))


def _parts(form: Form) -> Iterator[Form]:
    """The form; of products also what they are products of."""
    fixed = Form(tuple((m, f) for m, f in form.terms if not any(_moves(a) for a in m)))
    if len(fixed.terms) > 1 and fixed == form:
        yield form if form.terms[0][1] > 0 else -form
    for monomial, factor in form.terms:
        rest = [a for a in monomial if not _moves(a)]
        for count in range(len(rest) + 1):
            for chosen in combinations(rest, count):
                for scale in {1, abs(factor)}:
                    yield Form(((chosen, scale),))


def _divided(form: Form, radix: Form) -> Iterator[tuple[Form, Form]]:
    """Quotient and remainder; of `w - 1 - x` also so that the remainder is not negative."""
    high, low = _divide(form, radix)
    yield high, low
    if high.terms and radix != ROW and any(factor < 0 for _, factor in low.terms):
        yield high - number(1), low + radix


def _divide(form: Form, radix: Form) -> tuple[Form, Form]:
    """Quotient and remainder, term by term."""
    (atoms, scale), *_ = radix.terms
    high, low, rest = Form(), Form(), form
    while rest.terms:
        (monomial, factor), *_ = rest.terms
        term = Form(((monomial, factor),))
        others = _without(monomial, atoms)
        if others is None or factor % scale:
            low, rest = low + term, rest - term
        else:
            quotient = Form(((others, factor // scale),))
            high, rest = high + quotient, rest - quotient * radix
    return high, low


def _without(monomial: Monomial, atoms: Monomial) -> Monomial | None:
    rest = list(monomial)
    for atom in atoms:
        if atom not in rest:
            return None
        rest.remove(atom)
    return tuple(rest)
