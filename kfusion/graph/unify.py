"""Scalars that must be equal for two forms or guards to be the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field, replace
from itertools import permutations, product

from kfusion.graph.bounds import Floor, as_signed
from kfusion.graph.model import AtLeast, AtMost, Equal, Oracle, Scalar
from kfusion.kernel.forms import Atom, Comparison, Form, Id, Value, form_of, number, part_called
from kfusion.source.dataclasses import dataclass
from kfusion.source.protections import is_on, protection

GUARD_TYPES = protection("guard-types", "int against size_t is another guard")
SMALL_IDS = protection("small-ids", "where a launch has an offset, an int may not hold its ids")

_MOST = 3  # scalars that may differ between two forms


@dataclass(eq=False)
class Equalities:
    """Classes of scalars that are taken as equal, and what was assumed for that.

    Where the scalar is not negative, `i < n` is one comparison with an `int` and a `size_t`.
    """

    scalars: dict[str, Scalar]
    oracle: Oracle | None = None  # None: nothing new is assumed
    small_ids: bool = False  # an int holds them: no launch has an offset
    assumed: list[Equal | AtLeast] = field(default_factory=list)
    orders: list[AtMost] = field(default_factory=list)  # of scalars: `w <= pitch`
    _leader: dict[str, str] = field(default_factory=dict)
    _renamed: dict[Form, Form] = field(default_factory=dict)

    def scalar(self, key: str) -> Scalar | None:
        """The scalar, or a part of one, that a value's key names."""
        part = part_called(key)
        if part is None:
            return self.scalars.get(key)
        return Scalar(key, part.part) if part.name in self.scalars else None

    def leader(self, name: str) -> str:
        while name in self._leader:
            name = self._leader[name]
        return name

    def join(self, equal: Equal) -> None:
        left, right = self.leader(equal.left), self.leader(equal.right)
        if left != right:
            self._leader[right] = left
            self._renamed.clear()
            self.assumed.append(equal)

    def _atom(self, atom: Atom) -> Atom:
        if not isinstance(atom, Value) or atom.key not in self._leader:
            return atom
        leader = self.leader(atom.key)
        part = part_called(leader)
        if part is None:
            return Value(leader, atom.type)
        return part if part.type == atom.type else atom  # a `uint` is another number

    def form(self, form: Form) -> Form:
        if not self._leader:
            return form
        if form not in self._renamed:
            self._renamed[form] = form.rename(self._atom)
        return self._renamed[form]

    @property
    def facts(self) -> list[Comparison]:
        """What is assumed of the order of scalars."""
        found: list[Comparison] = []
        for each in self.orders:
            left, right = (
                self.form(form_of(part_called(key) or Value(key, each.type)))
                for key in (each.left, each.right)
            )
            found.append(Comparison("<=", left * number(each.times), right, each.type))
        return found

    def comparison(self, comparison: Comparison) -> Comparison:
        comparison = comparison.map(self.form)
        if not is_on(GUARD_TYPES):
            return replace(comparison, type="")
        signed, floor = self._signed(comparison)
        return signed if floor is None or self._is_assumed(floor) else comparison

    def _signed(self, comparison: Comparison) -> tuple[Comparison, Floor | None]:
        """As one of integers without end, if it may be that, and what must hold for it."""
        found = as_signed(comparison) if self.small_ids or not is_on(SMALL_IDS) else None
        may = found and (found[1] is None or self._is_assumed(found[1]) or self._may(found[1]))
        return found if found and may else (comparison, None)

    def _is_assumed(self, floor: Floor) -> bool:
        scalar = self.leader(floor.scalar.key), floor.scalar.type
        floors = (a for a in self.assumed if isinstance(a, AtLeast))
        return any(
            (self.leader(a.scalar), a.type) == scalar and a.least >= floor.least for a in floors
        )

    def _may(self, floor: Floor) -> bool:
        scalar = self.scalar(floor.scalar.key)
        if scalar is None or self.oracle is None or not floor.scalar.compared:
            return False
        return self.oracle.at_least(scalar, floor.least)

    def same_types(self, left: Iterable[Comparison], right: Iterable[Comparison]) -> None:
        """`i < n` with an `int` and with a `size_t`: alike, if n may be taken as not negative."""
        for a, b in product(map(self.comparison, left), map(self.comparison, right)):
            sides = [self._signed(a), self._signed(b)]
            (one, _), (other, _) = sides
            named = [c.left.scalars | c.right.scalars for c in (one, other)]
            if a.type != b.type and (one.type, named[0]) == (other.type, named[1]):
                floors = [f for _, f in sides if f is not None and not self._is_assumed(f)]
                self.assumed += [AtLeast(f.scalar.key, f.least, f.scalar.type) for f in floors]

    def same_form(self, left: Form, right: Form) -> bool:
        """Equal, or made so by taking scalars at the same places as equal."""
        left, right = self.form(left), self.form(right)
        if left == right:
            return True
        pairs = unifier((left,), (right,))
        return pairs is not None and self._assume(pairs)

    def same_pitches(self, left: Form, right: Form) -> None:
        """`y*pitch` and `min(y + 1, h - 1)*stride`: rows of one length, if that may be."""
        for (ids, a), (others, b) in product(_rows(self.form(left)), _rows(self.form(right))):
            if ids == others:
                self.same_form(a, b)

    def same_guards(self, left: Iterable[Comparison], right: Iterable[Comparison]) -> bool:
        """The same conditions, in any order, possibly by taking scalars as equal."""
        ours = [self.comparison(c) for c in left]
        theirs = [self.comparison(c) for c in right]
        if set(ours) == set(theirs):
            return True
        ours, theirs = (
            [c for c in ours if c not in theirs],
            [c for c in theirs if c not in ours],
        )
        if len(ours) != len(theirs) or len(ours) > _MOST:
            return False
        for order in permutations(theirs):
            signed = [[self._signed(c)[0] for c in side] for side in (ours, order)]
            if any((a.op, a.type) != (b.op, b.type) for a, b in zip(*signed, strict=True)):
                continue
            pairs = unifier(
                tuple(f for c in ours for f in (c.left, c.right)),
                tuple(f for c in order for f in (c.left, c.right)),
            )
            if pairs is not None and self._assume(pairs):
                return True
        return False

    def same_ends(self, left: Iterable[Comparison], right: Iterable[Comparison]) -> None:
        """`i < n` and, a constant before it, `i < m - 1`: of one length, if that may be."""
        pairs = product(map(self.comparison, left), map(self.comparison, right))
        for a, b in pairs:
            ends = [c.right - number(c.right.constant) for c in (a, b)]
            if (a.op, a.left) == (b.op, b.left) and b.right.constant < a.right.constant:
                self.same_form(*ends)

    def _assume(self, pairs: list[tuple[Value, Value]]) -> bool:
        if self.oracle is None:
            return False
        for left, right in pairs:
            a, b = self.scalar(left.key), self.scalar(right.key)
            known = all(not each.part or each.compared for each in (left, right))
            if a is None or b is None or not known or not self.oracle.equal(a, b):
                return False
        for left, right in pairs:
            self.join(Equal(left.key, right.key))
        return True


def unifier(left: tuple[Form, ...], right: tuple[Form, ...]) -> list[tuple[Value, Value]] | None:
    """Pairs of scalars whose equality makes the forms equal."""
    ours, theirs = _values(left), _values(right)
    only_left = sorted(ours - theirs, key=str)
    only_right = sorted(theirs - ours, key=str)
    if len(only_left) != len(only_right) or not 0 < len(only_left) <= _MOST:
        return None
    for order in permutations(only_right):
        pairs = list(zip(only_left, order, strict=True))
        if any(a.type != b.type for a, b in pairs):
            continue
        renamed: dict[Atom, Form] = {b: form_of(a) for a, b in pairs}
        if tuple(f.replace(renamed) for f in right) == left:
            return pairs
    return None


def _rows(form: Form) -> Iterator[tuple[frozenset[Atom], Form]]:
    """What scalars, and a number, each value of an item is multiplied by, with the item's ids."""
    for monomial, factor in form.terms:
        scalars = tuple(atom for atom in monomial if isinstance(atom, Value))
        others = [form_of(atom).everything for atom in monomial if atom not in scalars]
        ids = frozenset(atom for each in others for atom in each if isinstance(atom, Id))
        if scalars and ids and len(others) == 1:
            yield ids, Form(((scalars, factor),))


def _values(forms: tuple[Form, ...]) -> set[Value]:
    return {scalar for form in forms for scalar in form.scalars}
