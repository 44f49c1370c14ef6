"""Bounds of integers: what is never negative, by facts and by what may be assumed.

`x < w - 1` says that `w - 2 - x` is not negative. A form is shown to be so by taking such
differences away, one for each term that could make it negative, until none is left: sums
of them cannot be negative either.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field, replace
from functools import cached_property, lru_cache
from itertools import count, product
from typing import Protocol

from kfusion.kernel.forms import (
    GLOBAL_ID,
    GLOBAL_OFFSET,
    GLOBAL_SIZE,
    GROUP_ID,
    ITEM_IDS,
    LOCAL_ID,
    LOCAL_SIZE,
    NUM_GROUPS,
    Atom,
    Choice,
    Comparison,
    Form,
    Id,
    Listed,
    LoopVariable,
    Monomial,
    Quotient,
    Value,
    counted,
    form_of,
    number,
)
from kfusion.kernel.types import INTEGERS, is_unsigned
from kfusion.source.dataclasses import dataclass
from kfusion.source.protections import is_on, protection

PITCH = protection("pitch", "y*pitch + x has elements of its own only where rows end before pitch")
WIDE = protection("wide", "numbers of 64 bits may wrap around in a sum or a product")
SIGNS = protection("signs", "a comparison without sign says nothing if a side is negative")
ENDS = protection("ends", "the number behind the last one without sign is 0")


@dataclass(frozen=True)
class Limit:
    """All ids of a dimension are below the scalar, or the number."""

    dimension: int
    most: Value | int


@dataclass(frozen=True)
class Crowd:
    """Groups have at most so many items in a dimension."""

    dimension: int
    most: int


@dataclass(frozen=True)
class Order:
    """The one scalar, so many times, is at most the other."""

    low: Value
    high: Value
    times: int = 1


@dataclass(frozen=True)
class Floor:
    """The scalar is at least the number."""

    scalar: Value
    least: int


@dataclass(frozen=True)
class Ceiling:
    """The scalar is at most the number; or its product with another one is."""

    scalar: Value
    most: int
    by: Value | None = None


@dataclass(frozen=True)
class Need:
    """The form is not negative: what nobody assumes, but a message can ask for."""

    form: Form


Assumed = Limit | Crowd | Order | Floor | Ceiling | Need
Proof = frozenset[Assumed]  # what it takes for granted

NOTHING: Proof = frozenset()


class Assumable(Protocol):
    """What may be taken for granted of scalars: proved, or checked at run time.

    `implied`: the program as it was written has a race where it does not hold.
    """

    def may(self, assumed: Assumed, *, implied: bool) -> bool: ...


class Nothing:
    """For those who can check nothing."""

    def may(self, assumed: Assumed, *, implied: bool) -> bool:
        return False


@dataclass(frozen=True)
class Slack:
    """A form that is not negative, if what it assumes holds."""

    form: Form
    assumed: Proof = NOTHING


_BELOW = {LOCAL_ID: LOCAL_SIZE, GROUP_ID: NUM_GROUPS}
_DEEPEST = 5  # differences that are taken away in one proof
_MOST_STEPS = 4000  # in all proofs for two accesses: some 0.1 s; what people write needs few


@dataclass(eq=False)
class Bounds:
    """Where facts hold. `endless`: as they are written, as if integers had no end.

    Then the program has a race where they do not hold.
    """

    facts: Iterable[Comparison]
    assumable: Assumable
    endless: bool = False
    _slacks: list[Slack] = field(default_factory=list)
    _exact_quotients: dict[Quotient, Proof | None] = field(default_factory=dict)
    _steps: Iterator[int] = field(default_factory=count)
    _found: dict[tuple[Form, Form | None, bool], Proof | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for fact in sorted(self.facts, key=lambda fact: fact.op == "!="):  # those by the others
            self._slacks += self._slacks_of(fact)

    def not_negative(
        self, form: Form, pitch: Form | None = None, *, of_rows: bool = True
    ) -> Proof | None:
        """Why the form is never negative; `pitch`: what scalars may be compared with for it.

        `of_rows`: it is from a row to the next one, so that widths are hardly more.
        """
        key = form, pitch, of_rows
        if key not in self._found:
            self._found[key] = self._proof(form, pitch or Form(), of_rows)
        return self._found[key]

    @cached_property
    def _of_facts(self) -> list[Slack]:
        return _of_atoms(slack.form for slack in self._slacks)

    def few(self, *forms: Form, types: Iterable[str] = ("ulong",)) -> Proof | None:
        """Numbers are small enough for sums and products to stay in 64 bits. What is computed in
        32 bits (`types`: all in which the forms are) has no larger ones."""
        if not is_on(WIDE):
            return NOTHING
        scalars = {s for form in forms for s in form.scalars}
        wide = {s for s in scalars if INTEGERS.get(s.type, (0, True))[0] == 64}
        proof: Proof = frozenset(Ceiling(scalar, _FEW) for scalar in wide)
        proof |= {Floor(scalar, -_FEW) for scalar in wide if not is_unsigned(scalar.type)}
        if any(INTEGERS.get(type_, (64, True))[0] == 64 for type_ in types):
            for form in forms:
                small = _small_terms(form)
                if small is None:
                    return None
                proof |= small
        if not all(map(self._may, proof)):
            return None
        for form in forms:
            factors = (abs(factor) for m, factor in form.terms if m)
            # `n + 0xFFFFFFFFFFFFFFFF` is `n - 1`
            if abs(form.constant) >= _HUGE or max(factors, default=0) >= _FEW:
                return None
            for atom in form.everything:
                if isinstance(atom, Quotient) and atom.divisor != number(1):
                    below = self.not_negative(atom.dividend) if _has_64_bits(atom.type) else NOTHING
                    if below is None:  # `(i - n) % n`: of a huge number
                        return None
                    proof |= below
                elif isinstance(atom, LoopVariable) and _has_64_bits(atom.type):
                    ends = self._end_of(atom)
                    if ends is None:  # `i + k` is `i - 2`, if it counts from a huge number on
                        return None
                    proof |= ends
        return proof

    def _end_of(self, loop: LoopVariable) -> Proof | None:
        """Why it is no huge number: one that is compared with is none. Nor are numbers of rounds,
        which no variable holds."""
        if not loop.name.removesuffix(OTHER_ITEM).isidentifier():
            return NOTHING
        own = form_of(loop)
        for fact in self.facts:
            if fact.left == own and fact.op in ("<", "<=") and not fact.right.in_loop:
                exact, small = self._is_exact(own, fact.right, fact.type), self.few(fact.right)
                if exact is not None and small is not None:
                    return exact | small
        return None

    def is_positive(self, form: Form) -> bool:
        """It, or all that is multiplied in it."""
        if self.not_negative(form - number(1)) is not None:
            return True
        terms = [(factor, map(form_of, monomial)) for monomial, factor in form.terms]
        return bool(terms) and all(
            factor > 0 and all(self.not_negative(each - number(1)) is not None for each in parts)
            for factor, parts in terms
        )

    def implied(self, fact: Comparison) -> Proof | None:
        """Why the comparison holds, as C makes it."""
        low, high = fact.left, fact.right
        if fact.op == "!=":
            either = (Comparison("<", *sides, fact.type) for sides in ((low, high), (high, low)))
            return next((p for p in map(self.implied, either) if p is not None), None)
        room = high - low - number(fact.op == "<")
        wanted = [room, -room] if fact.op == "==" else [room]
        proof = NOTHING
        if is_unsigned(fact.type) and fact.op != "==" and is_on(SIGNS):
            wanted.append(low)
            exact = self._is_below_its_end(high, fact.type)
            if exact is None:
                return None
            proof = exact
        pitch = room if room.scalars else number(room.constant + 1)
        for form in wanted:
            found = self.not_negative(form, pitch, of_rows=False)
            if found is None or any(isinstance(assumed, Need) for assumed in found):
                return None
            proof |= found
        return proof

    def _is_below_its_end(self, form: Form, type_: str) -> Proof | None:
        """Why a number that is not negative is less than a type without sign ends at."""
        if is_plain(form) and form.constant <= 0:
            return NOTHING
        if INTEGERS[type_][0] < 64:
            return NOTHING if form.is_constant else None
        return self.few(form) if _is_sum_of_scalars(form) else NOTHING

    def settled(self, form: Form) -> Form:
        """Without choices that facts make."""
        for choice in form.choices:
            if all(self.implied(c) is not None for c in choice.when):
                return self.settled(counted(form.replace({choice: choice.then})))
            if any(self.implied(c.negated) is not None for c in choice.when):
                return self.settled(counted(form.replace({choice: choice.otherwise})))
        return form

    def _proof(self, form: Form, pitch: Form, of_rows: bool) -> Proof | None:
        known = [*self._slacks, *_of_atoms([form]), *self._of_facts, *self._rounded(form)]
        certain = [slack for slack in known if not slack.assumed]
        proof = self._search(form, certain)
        if proof is None and len(certain) < len(known):
            proof = self._search(form, known)
        if proof is None:
            more = [*self._ranges(form, pitch), *self._groups(form), *self._ceilings(form, pitch)]
            more += self._rows(form, pitch.scalars) if of_rows else ()
            floors = [*self._floors(form), *self._mirrored(form)]
            more = [*floors, *known, *self._conversions(form), *more]
            factors = self._factors(form)
            more += [Slack(form_of(scalar), frozenset({Floor(scalar, 0)})) for scalar in factors]
            proof = self._search(form, more, factors) if len(more) > len(known) else None
        need = Need(form)
        if proof is None and self._may(need):
            contrary = self._search(number(-1) - form, known)
            return frozenset({need}) if contrary is None else None
        return proof

    def _search(
        self, form: Form, known: list[Slack], factors: frozenset[Value] = frozenset()
    ) -> Proof | None:
        return _Search(known, self._steps, factors).proof(form, NOTHING, _DEEPEST)

    def _factors(self, form: Form) -> frozenset[Value]:
        """Scalars with a sign that something is multiplied by: no width is negative.

        Only asked where a sum is to stay in its type: it makes a search long.
        """
        if form.constant < LAST // 2 and any(factor < 0 for _, factor in form.terms):
            return frozenset()
        factors = {atom for monomial, _ in form.terms if len(monomial) > 1 for atom in monomial}
        signed = (a for a in factors if isinstance(a, Value) and not is_unsigned(a.type))
        return frozenset(scalar for scalar in signed if self._may(Floor(scalar, 0)))

    def _may(self, assumed: Assumed) -> bool:
        return self.assumable.may(assumed, implied=self.endless)

    def _rows(self, form: Form, scalars: frozenset[Value]) -> Iterator[Slack]:
        """A width, of which facts speak, is at most the pitch of a row.

        Or several times the width, if elements of the row have several parts: `y*pitch + 4*x`.
        """
        widths = {v for slack in self._slacks for v in slack.form.scalars} - scalars
        times = {1} | {abs(f) for m, f in form.terms if m and not scalars & set(m)}
        for width, pitch in product(sorted(widths, key=str), sorted(scalars, key=str)):
            for several in sorted(times):
                assumed = Order(width, pitch, several)
                below = form_of(pitch) - form_of(width) * number(several)
                if not is_on(PITCH):
                    yield Slack(below)
                elif self._may(assumed):
                    yield Slack(below, frozenset({assumed}))

    def _floors(self, form: Form) -> Iterator[Slack]:
        """`s - 1`: the distance from one element to the next is not 0."""
        (monomial, factor) = form.terms[0]
        if len(monomial) == factor == 1 and form - number(form.constant) == form_of(monomial[0]):
            scalar = monomial[0]
            if isinstance(scalar, Value) and self._may(floor := Floor(scalar, -form.constant)):
                yield Slack(form, frozenset({floor}))

    def _mirrored(self, form: Form) -> Iterator[Slack]:
        """`w - 2 + x`, `2*w - 3 - x`: what is mirrored at the last element has one before it."""
        form = self._at_worst(form)
        if form.constant >= 0 or self.endless:
            return
        rest = Form(tuple((m, f) for m, f in form.terms if not all(map(is_never_negative, m))))
        for monomial, factor in form.terms:
            scalar = monomial[0] if len(monomial) == 1 else None
            if not isinstance(scalar, Value) or factor < 1:
                continue
            most = -form.constant if rest == form_of(scalar) else 0
            for least in range(1, _MIRRORED + 1) if factor > 1 else [most] if most else []:
                if self._may(floor := Floor(scalar, least)):
                    yield Slack(form_of(scalar) - number(least), frozenset({floor}))

    def _at_worst(self, form: Form) -> Form:
        """In the round of a loop, `-1 <= k`, `k <= 1`, in which it is the least."""
        for monomial, factor in form.terms:
            loop = monomial[0] if len(monomial) == 1 else None
            if isinstance(loop, LoopVariable):
                side = form_of(loop) * number(1 if factor > 0 else -1)
                ends = [s.form - side for s in self._slacks if not s.assumed]
                least = max((-end.constant for end in ends if end.is_constant), default=None)
                if least is not None:
                    form += number(least * abs(factor)) - form_of(loop) * number(factor)
        return form

    def _conversions(self, form: Form) -> Iterator[Slack]:
        """`(size_t)(w - 1)` of a `uint`, `(int)w`: the same number where `w` is neither 0 nor
        huge."""
        forms = [form, *(slack.form for slack in self._slacks)]
        atoms = {a for each in forms for a in each.atoms if isinstance(a, Quotient)}
        for atom in sorted((a for a in atoms if a.divisor == number(1)), key=str):
            value, by = atom.dividend, -atom.dividend.constant
            scalar = (value + number(by)).single
            if not isinstance(scalar, Value) or not 0 <= by < _SMALL:
                continue
            last = last_of(atom.type.split()[0])
            assumed: list[Assumed] = []
            if by or not is_unsigned(scalar.type):
                assumed.append(Floor(scalar, by))
            if last < last_of(scalar.type):
                assumed.append(Ceiling(scalar, last))
            if all(map(self._may, assumed)):
                for difference in (form_of(atom) - value, value - form_of(atom)):
                    yield Slack(difference, frozenset(assumed))

    def _rounded(self, form: Form) -> Iterator[Slack]:
        """`(w + 15) / 16 * 16` is hardly more than `w + 15`, where that is not negative, and
        `(size_t)(w + 15)` is the same."""
        forms = (form, *(slack.form for slack in self._slacks))
        atoms = {atom for each in forms for atom in each.everything}
        quotients = (a for a in atoms if isinstance(a, Quotient) and a.divisor.is_constant)
        for atom in sorted((a for a in quotients if a.divisor.constant > 0), key=str):
            if _divides(atom):
                yield from _of_atom(atom)  # it may stand within a conversion
            else:
                if atom not in self._exact_quotients:
                    self._exact_quotients[atom] = self._is_exact_quotient(atom)
                if (proof := self._exact_quotients[atom]) is not None:
                    yield from (Slack(each, proof) for each in _of_division(atom))

    def _is_exact_quotient(self, atom: Quotient) -> Proof | None:
        """Why it is that of integers without end: nothing is negative or has wrapped around."""
        *_, origin = atom.type.split()
        if atom.converts and not _is_wider(atom.type):
            return None
        if atom.converts and not _has_64_bits(origin) and _is_sum(atom.dividend):
            if _most_of(atom.dividend) <= last_of(origin):
                return NOTHING
        if is_unsigned(origin) and not self.endless and is_on(ENDS):
            by = atom.dividend.constant
            scalar = (atom.dividend - number(by)).single
            if not is_plain(atom.dividend) or not isinstance(scalar, Value):
                return None
            most = _FEW if _has_64_bits(origin) else last_of(origin) - by
            assumed: Proof = frozenset({Ceiling(scalar, most)})
            if by < 0 or not is_unsigned(scalar.type):
                assumed |= {Floor(scalar, max(0, -by))}
            return assumed if all(map(self._may, assumed)) else None
        return self._search(atom.dividend, [*self._slacks, *_of_atoms([atom.dividend])])

    def _ranges(self, form: Form, pitch: Form) -> Iterator[Slack]:
        """The ids of a dimension are below a width."""
        ids = [a for a in form.atoms if isinstance(a, Id) and _kind(a) == GLOBAL_ID]
        limits: list[Value | int] = sorted(pitch.scalars, key=str)
        if pitch.is_constant and pitch.constant > 1:
            limits.append(pitch.constant)
        for atom, most in product(ids, limits):
            assumed = Limit(atom.dimension, most)
            if self._may(assumed):
                end = number(most) if isinstance(most, int) else form_of(most)
                yield Slack(end - form_of(atom) - number(1), frozenset({assumed}))

    def _groups(self, form: Form) -> Iterator[Slack]:
        """`group*64 + local`, in groups of no more than 64 items."""
        ids = [a for a in form.atoms if isinstance(a, Id) and _kind(a) == LOCAL_ID]
        for atom in ids if form.constant > 0 else ():
            assumed = Crowd(atom.dimension, form.constant + 1)
            if self._may(assumed):
                below = number(assumed.most) - form_of(atom) - number(1)
                yield Slack(below, frozenset({assumed}))

    def _ceilings(self, form: Form, pitch: Form) -> Iterator[Slack]:
        """Scalars are small enough for a sum to stay in 32 bits."""
        if form.constant < LAST // 2 - _SMALL:
            return
        most = LAST // 2 // (2 + sum(abs(factor) for monomial, factor in form.terms if monomial))
        known = {scalar for slack in self._slacks for scalar in slack.form.scalars}
        for scalar in sorted(known | form.scalars | pitch.scalars, key=str):
            for by in (None, *sorted(pitch.scalars - {scalar}, key=str)):
                assumed = Ceiling(scalar, most, by)
                if self._may(assumed):
                    whole = form_of(scalar) * (form_of(by) if by is not None else number(1))
                    yield Slack(number(most) - whole, frozenset({assumed}))

    def _slacks_of(self, fact: Comparison) -> Iterator[Slack]:
        """The differences that are not negative where the comparison holds."""
        sides = {"<": [(fact.left, fact.right, 1)], "<=": [(fact.left, fact.right, 0)]}
        sides["=="] = [(fact.left, fact.right, 0), (fact.right, fact.left, 0)]
        for low, high, least in sides.get(fact.op, ()):
            assumed = self._is_exact(low, high, fact.type)
            if assumed is not None:
                yield Slack(high - low - number(least), assumed)
        differing = [fact.left - fact.right, fact.right - fact.left] if fact.op == "!=" else []
        for form in differing:  # `x != 0` of an id
            known = [*self._slacks, *_of_atoms([form]), *self._conversions(form)]
            if (assumed := self._search(form, known)) is not None:
                yield Slack(form - number(1), assumed)

    def _is_exact(self, low: Form, high: Form, type_: str) -> Proof | None:
        """What must hold for a comparison in the type to hold for integers as well."""
        if not is_unsigned(type_) or self.endless or not is_on(SIGNS):
            return NOTHING
        if INTEGERS[type_][0] < 64 and not (is_plain(low) and is_plain(high)):
            return None  # a sum or a product may have wrapped around
        if INTEGERS[type_][0] < 64 and _may_pass_its_end(low) and is_on(ENDS):
            return None
        if low.choices or high.choices:
            return None  # and so may what is chosen
        small = self.few(low) if _is_sum_of_scalars(low) else NOTHING
        if small is None:
            return None
        proof = self._search(high, _of_atoms([high]))
        if proof is not None:
            return proof | small
        # `x < w - 1`: with a w of 0 that holds everywhere.
        single = [m[0] for m, f in high.terms if f > 0 and len(m) == 1]
        wanted = {v for v in single if isinstance(v, Value)}
        if len(wanted) != 1 or any(f < 0 for m, f in high.terms if m):
            return None
        (scalar,) = wanted
        factor = next(f for m, f in high.terms if m == (scalar,))
        floor = Floor(scalar, max(0, -(high.constant // factor)))
        others = high - form_of(scalar) * number(factor) - number(high.constant)
        positive = self._search(others, _of_atoms([others])) is not None
        return small | {floor} if positive and self._may(floor) else None


def last_of(type_: str) -> int:
    width, signed = INTEGERS[type_]
    return (1 << (width - signed)) - 1


LAST = (1 << 32) - 1  # of the numbers of 32 bits without sign
_FEW = 1 << 31
_HUGE = 1 << 62
_SMALL = 1 << 16
_MIRRORED = 4  # elements, at an end


def _has_64_bits(type_: str) -> bool:
    """Without sign."""
    return is_unsigned(type_) and INTEGERS[type_][0] == 64


def _small_terms(form: Form) -> Proof | None:
    """What keeps the sum in 64 bits, where ids are below 2^31, and so are scalars of 64 bits; None:
    its numbers are too large for that."""
    sizes = {m: abs(f) * _largest(m) for m, f in form.terms if m}
    if sum(sizes.values()) + abs(form.constant) < 1 << 64:
        return NOTHING
    large = [m for m, size in sizes.items() if size > _HUGE // len(sizes)]
    proof: Proof = NOTHING
    for monomial, factor in form.terms:
        scalars = [atom for atom in monomial if isinstance(atom, Value)]
        others = abs(factor) * _largest(a for a in monomial if not isinstance(a, Value))
        room = _HUGE // len(large) // others if monomial in large else 0
        if monomial in large and (room == 0 or not scalars):
            return None
        most = 1 << room.bit_length() - 1 if room else 0
        if monomial in large and len(scalars) == 2:
            proof |= {Ceiling(scalars[0], most, by=scalars[1])}
        elif monomial in large:
            proof |= {Ceiling(s, 1 << (most.bit_length() - 1) // len(scalars)) for s in scalars}
        if monomial in large:
            proof |= {Floor(scalar, 0) for scalar in scalars if not is_unsigned(scalar.type)}
    return proof


def _largest(atoms: Iterable[Atom]) -> int:
    """The largest product of them, but for its sign. A launch has fewer than 2^31 items: no larger
    are ids and sizes of all its dimensions together."""
    others, times = 1, [0, 0, 0]
    for atom in atoms:
        if isinstance(atom, Id):
            times[atom.dimension] += 1
        else:
            others *= _most(atom)
    return others * (1 << 31 * max(times))  # _FEW, so many times


def _most(atom: Value | LoopVariable | Quotient | Choice | Listed) -> int:
    if isinstance(atom, Listed):
        return max(map(abs, atom.ends))
    if isinstance(atom, Choice):
        return max(map(_most_of, (atom.then, atom.otherwise)))
    if isinstance(atom, Quotient):
        type_, by = atom.type.split()[0], 1
        if atom.divisor.is_constant:
            by = abs(atom.divisor.constant)
        divided = last_of(type_) + (not is_unsigned(type_))
        return min(divided, _most_of(atom.dividend)) // max(by, 1)
    if isinstance(atom, Value) and INTEGERS.get(atom.type, (64, True))[0] == 64:
        return _FEW
    return min(last_of(atom.type), LAST) if atom.type in INTEGERS else LAST


def _most_of(form: Form) -> int:
    return sum(abs(factor) * _largest(m) for m, factor in form.terms)


def _is_sum_of_scalars(form: Form) -> bool:
    """It may be less than the sum is, if that wraps around: `x + n`, `n + 5u`."""
    return len(form.terms) > 1 or any(len(m) > 1 or f > 1 for m, f in form.terms if m)


def _may_pass_its_end(form: Form) -> bool:
    """`u + 1` of a `uint`: then it is 0."""
    unsigned = (is_unsigned(a.type.split()[0]) for a in form.atoms if not isinstance(a, Id))
    return _is_sum_of_scalars(form) and form.constant >= 0 and any(unsigned)


def is_plain(form: Form) -> bool:
    """One atom, perhaps with a small number: it does not wrap around."""
    rest = [(monomial, factor) for monomial, factor in form.terms if monomial]
    one = len(rest) == 1 and rest[0][1] == 1 and len(rest[0][0]) == 1
    return not rest or (one and abs(form.constant) < _SMALL)


def as_signed(comparison: Comparison) -> tuple[Comparison, Floor | None] | None:
    """One without sign of a global id and a scalar in the scalar's own type, and what must hold
    for them to be one comparison, if no id is too large for an `int`."""
    sides = comparison.left, comparison.right
    scalars = [atom for side in sides for atom in side.atoms if isinstance(atom, Value)]
    ids = [atom for side in sides for atom in side.atoms if not isinstance(atom, Value)]
    if not is_unsigned(comparison.type) or not all(map(is_plain, sides)) or len(scalars) > 1:
        return None
    if not all(isinstance(atom, Id) and atom.kind == GLOBAL_ID for atom in ids):
        return None
    if any(scalar.part and not scalar.compared for scalar in scalars):
        return None
    floor: Floor | None = None
    for side in sides:
        if side.scalars and not is_unsigned(scalars[0].type):
            floor = Floor(scalars[0], max(0, -side.constant))
        elif side.constant < 0 or (side.scalars and side.constant):
            return None  # `i - 1`: of 0 a large number; `n + 1` may be 0
    return replace(comparison, type=scalars[0].type if scalars else "int"), floor


@dataclass(eq=False)
class _Search:
    """Takes away what is not negative until nothing is left that may be."""

    known: list[Slack]
    steps: Iterator[int]  # counts them
    factors: frozenset[Value]  # are taken not to be negative
    _failed: dict[Form, int] = field(default_factory=dict)  # at which depth
    _found: dict[tuple[Monomial, bool], list[tuple[Slack, int]]] = field(default_factory=dict)

    def proof(self, form: Form, assumed: Proof, depth: int) -> Proof | None:
        bad = _bad_term(form)
        if bad is None:
            return assumed
        if depth <= self._failed.get(form, 0):
            return None
        if next(self.steps) > _MOST_STEPS:
            return None
        monomial, factor = bad
        for slack, coefficient in self._with(monomial, factor > 0):
            rest = _times(form, abs(coefficient)) - _times(slack.form, abs(factor))
            proof = self.proof(rest, assumed | slack.assumed, depth - 1)
            if proof is not None:
                return proof
        self._failed[form] = depth
        return None

    def _with(self, monomial: Monomial, positive: bool) -> list[tuple[Slack, int]]:
        """Differences in which the term stands, with such a factor."""
        if (monomial, positive) not in self._found:
            several = len(monomial) > 1
            self._found[monomial, positive] = [
                (difference, factor)
                for slack in self.known
                for difference in (slack, *(self._reaching(slack, monomial) if several else ()))
                if (factor := _coefficient(difference.form, monomial)) and (factor > 0) == positive
            ]
        return self._found[monomial, positive]

    def _reaching(self, slack: Slack, monomial: Monomial) -> Iterator[Slack]:
        """The difference times what makes one of its terms the monomial, a product."""
        for term, _ in slack.form.terms:
            if not 0 < len(term) < len(monomial):
                continue
            rest = list(monomial)
            for atom in term:
                if atom not in rest:
                    break
                rest.remove(atom)
            else:
                signed = [atom for atom in rest if not is_never_negative(atom)]
                floors = [Floor(a, 0) for a in signed if a in self.factors and isinstance(a, Value)]
                if len(floors) == len(signed):
                    whole = slack.form * Form(((tuple(rest), 1),))
                    yield Slack(whole, slack.assumed | frozenset(floors))


def _times(form: Form, factor: int) -> Form:
    return Form(tuple((m, f * factor) for m, f in form.terms)) if factor != 1 else form


def _bad_term(form: Form) -> tuple[Monomial, int] | None:
    """A term that may be negative; the constant last."""
    for monomial, factor in form.terms:
        if factor < 0 or not all(is_never_negative(atom) for atom in monomial):
            return monomial, factor
    return None


def _coefficient(form: Form, monomial: Monomial) -> int:
    for each, factor in form.terms:
        if each == monomial:
            return factor
    return 0


def is_never_negative(atom: Atom) -> bool:
    if isinstance(atom, Id):
        return True
    if isinstance(atom, Quotient) and atom.divisor != number(1):
        return is_unsigned(atom.type) or (_is_sum(atom.dividend) and _is_sum(atom.divisor))
    if isinstance(atom, Choice):
        return _is_sum(atom.then) and _is_sum(atom.otherwise)
    if isinstance(atom, Listed):
        return atom.ends[0] >= 0
    return is_unsigned(atom.type.split()[0])  # of a conversion: what it converts to


def _is_sum(form: Form) -> bool:
    """Of nothing that may be negative."""
    return all(f > 0 and all(map(is_never_negative, m)) for m, f in form.terms)


def _kind(atom: Id) -> str:
    return atom.kind.removesuffix(OTHER_ITEM)


def _of_atoms(forms: Iterable[Form]) -> list[Slack]:
    """What is certain of ids and quotients, wherever they stand."""
    atoms = {atom: None for form in forms for atom in form.atoms}
    return [slack for atom in atoms for slack in _of_atom(atom)]


@lru_cache(maxsize=4096)
def _of_atom(atom: Atom) -> tuple[Slack, ...]:
    return tuple(map(Slack, _never_negative(atom)))


def _never_negative(atom: Atom) -> Iterator[Form]:
    here = form_of(atom)
    if isinstance(atom, Id) and _kind(atom) == GLOBAL_ID:
        offset = form_of(Id(GLOBAL_OFFSET, atom.dimension))
        yield here - offset
        yield form_of(Id(GLOBAL_SIZE, atom.dimension)) + offset - here - number(1)
    elif isinstance(atom, Id) and _kind(atom) in _BELOW:
        yield form_of(Id(_BELOW[_kind(atom)], atom.dimension)) - here - number(1)
    elif isinstance(atom, Id) and atom.kind in (GLOBAL_SIZE, LOCAL_SIZE, NUM_GROUPS):
        yield here - number(1)
    elif isinstance(atom, Listed):
        yield here - number(atom.ends[0])
        yield number(atom.ends[1]) - here
    elif isinstance(atom, Quotient) and _divides(atom):
        yield from _of_division(atom)
    elif isinstance(atom, Quotient) and _is_rounded_to_zero(atom):
        yield atom.divisor * here


def _is_wider(conversion: str) -> bool:
    """Does the type hold all numbers of the other one that are not negative? `size_t from int`"""
    words = conversion.split()
    to, origin = words[0], words[-1]
    return to in INTEGERS and origin in INTEGERS and last_of(to) >= last_of(origin)


def _of_division(quotient: Quotient) -> Iterator[Form]:
    """What is left of it: 0 <= a - b*(a/b) < b"""
    rest = quotient.dividend - quotient.divisor * form_of(quotient)
    yield rest
    yield quotient.divisor - rest - number(1)


def _divides(quotient: Quotient) -> bool:
    """As integers without end do: nothing is negative, and nothing has wrapped around."""
    if quotient.divisor == number(1):
        return False  # a conversion
    narrow = is_unsigned(quotient.type) and INTEGERS[quotient.type][0] < 64
    if narrow and not (is_plain(quotient.dividend) and is_plain(quotient.divisor)):
        return False
    if is_unsigned(quotient.type) and _may_pass_its_end(quotient.dividend) and is_on(ENDS):
        return False
    return _is_sum(quotient.dividend) and _is_sum(quotient.divisor)


def _is_rounded_to_zero(quotient: Quotient) -> bool:
    """`i / frame * frame` is not negative, whatever sign `frame` has."""
    if quotient.divisor == number(1) or is_unsigned(quotient.type):
        return False
    return _is_sum(quotient.dividend)


OTHER_ITEM = "'"  # behind the kinds of ids


def of_other_item(atom: Atom) -> Atom:
    """The same id or loop variable, of another item."""
    if isinstance(atom, Id) and atom.kind in ITEM_IDS:
        return Id(atom.kind + OTHER_ITEM, atom.dimension)
    if isinstance(atom, LoopVariable):
        return LoopVariable(atom.name + OTHER_ITEM, atom.token, atom.type, atom.owner)
    return atom
