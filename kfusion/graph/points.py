"""Which item of an earlier stage made the element that an access reads?

In: a store of the one stage, a read of the other, and what may be assumed. Out: the *point* of the
read, which is that item, by dimension, in ids of the reader: of `t[y*w + min(x + 1, w - 1)]` after
`t[y*w + x] = ...` it is `(min(x + 1, w - 1), y)`. It is one of the stage's items, whatever the
reader's is: inside of its guards, and of its launch. Or why that is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, permutations
from operator import add
from typing import Protocol

from kfusion.graph.bind import BoundAccess, Stage
from kfusion.graph.bounds import (
    LAST,
    NOTHING,
    Assumable,
    Bounds,
    Floor,
    Nothing,
    Proof,
    is_never_negative,
    last_of,
)
from kfusion.graph.missing import Words
from kfusion.graph.model import Reaches
from kfusion.graph.recalled import Recalled
from kfusion.graph.values import can_be_replaced
from kfusion.kernel.evaluate import image_of
from kfusion.kernel.forms import (
    GLOBAL_ID,
    GLOBAL_OFFSET,
    GLOBAL_SIZE,
    GROUP_ID,
    LOCAL_ID,
    STRIDED_ID,
    Atom,
    Choice,
    Comparison,
    Form,
    Id,
    LoopVariable,
    Monomial,
    Quotient,
    Value,
    chosen,
    form_of,
    number,
)
from kfusion.kernel.types import is_unsigned
from kfusion.source.dataclasses import dataclass
from kfusion.source.diagnostics import Reason
from kfusion.source.protections import is_on, protection

INSIDE = protection("inside", "what is computed again is what an item of the stage computed")
ALONE = protection("alone", "an element whose value is computed again has been made by one item")
ONCE = protection("once", "an element that is computed again has an index that starts again at 0")
IN_ROWS = protection("in-rows", "an element that a stage leaves alone is none of its other items'")
NARROW_ROWS = protection(
    "narrow-rows", "an element that a stage leaves alone is not reached by indices that start again"
)
LAUNCHED = protection("launched", "the item whose value is computed again has been launched")
FITTING = protection("fitting", "the id of an item that is computed again is a number of an int")
NAMED = protection("named", "a name in what is computed again means the variable of the loop")

Point = tuple[Form, ...]
_MOST_CASES = 64
_NEAR = 1 << 15  # there are no launches of so many items less than 2^31


@dataclass(frozen=True)
class Source:
    """An element that an item of an earlier stage has made."""

    point: Point
    proof: Proof
    reaches: tuple[Reaches, ...]  # what the launch must have
    outside: bool = False  # or none has made it, and its ids are not within the stage's guards
    below: tuple[int, ...] = ()  # or are less than 0, in these dimensions


class Reach(Assumable, Protocol):
    """What may be assumed of scalars, and of launches."""

    def reaches(self, reaches: Reaches) -> bool: ...


def source_of(store: BoundAccess, read: BoundAccess, world: Reach) -> Source | Reason | None:
    """Or why it is not known to be an item of the stage; None: it stores by other ids."""
    if store.form is None or read.form is None or store.differs(read):
        return None
    if store.access.texel is not None or store.form.mentions(LOCAL_ID, GROUP_ID):
        return None
    maker = f"{store.stage.kernel_name}()"
    related = ((f"{maker} writes it here", store.access.span),)

    def reason(code: str, message: str) -> Reason:
        return Reason(code, message, read.access.span, related=related)

    def unknown(access: BoundAccess, form: Form | None) -> Reason:
        text = Words(access, loops=True).comparison(form) if form is not None else None
        known = f": it is not known that '{text}' in {access.stage.kernel_name}()" if text else ""
        message = f"{read} may read elements of '{read.memory}' that no item of {maker} makes"
        return reason("KF236", message + known)

    plain = can_be_replaced(read) and read.access.statement >= 0
    if not plain or (store.type, store.access.unit) != (read.type, read.access.unit):
        message = f"{read} cannot be replaced by what {maker} computes for neighbouring items"
        return reason("KF239", message)
    several = _are_several(store)
    nobody = reason(
        "KF238" if several else "KF237",
        f"{read} cannot be computed again for neighbouring items: {maker} stores several elements"
        if several
        else f"it is not known which item of {maker} makes what {read} reads: it writes "
        f"'{store.access.text}'",
    )
    named = _named_widths(store.form, store.stage.range.dimensions)
    rows = _rows(store.form, store.stage.range.dimensions, named)
    if rows is None:
        return nobody
    pitches, start = rows
    prover = Prover(read, world)
    why: Reason | None = None
    margins = _margins(start, pitches)
    certain = Prover(read, Nothing())
    for candidate in _points(read.form.replace(named.new) - start, pitches):
        point = tuple(map(certain.without_settled, candidate))
        atoms = (atom for form in point for atom in form.everything)
        if (unwritten := next((a for a in atoms if not can_be_written(read, a)), None)) is not None:
            if not several:
                nobody = _of_no_name(nobody, read, unwritten)
            continue
        source = _inside(store, point, pitches, margins, prover, world)
        if isinstance(source, Source) and source.outside:  # the element has to be named there
            values = (atom for atom in store.form.everything if isinstance(atom, Value))
            if (unnamed := next((v for v in values if not is_given(v)), None)) is not None:
                nobody = nobody if several else _of_no_name(nobody, read, unnamed)
                continue
        if isinstance(source, Source):
            within = margins if source.outside else ()
            alone = _alone(store, pitches, within, world, raced=not source.outside)
            if alone is None or isinstance(alone, Form):
                return unknown(store, alone) if alone is not None else nobody
            once = _once(store, read, world)
            if once is None:
                return unknown(store, store.form)
            return replace(source, proof=source.proof | alone | once)
        why = why or unknown(read, source)
    return why if why is not None and not several else nobody


def _are_several(store: BoundAccess) -> bool:
    """Elements of one item."""
    stores = [a for a in store.stage.accesses if a.access.mode.writes and a.memory == store.memory]
    loop = any(
        isinstance(atom, LoopVariable) for a in stores for atom in (a.form or Form()).everything
    )
    stride = store.stage.invocation.kernel.body.stride
    return loop or stride is not None or len({a.form for a in stores}) > 1


def can_be_written(read: BoundAccess, atom: Atom) -> bool:
    """In the reader's text."""
    if isinstance(atom, LoopVariable):
        return _is_named_there(read, atom)
    return not isinstance(atom, Value) or is_given(atom)


def is_given(scalar: Value) -> bool:
    """As a parameter: it is no size of an image, and no member of a structure."""
    return image_of(scalar.name) is None


def _of_no_name(reason: Reason, read: BoundAccess, atom: Atom) -> Reason:
    message = f"{read} cannot be computed again for neighbouring items: its index needs "
    if isinstance(atom, LoopVariable):
        message += "the number of a loop's round, which no variable holds"
        help = "let the loop count from a number, `for (k = -2; k <= 2; k++)`"
    else:
        message += f"'{atom}', which is no parameter"
        help = "let the kernels get the number as a parameter, `int n`"
    return replace(reason, message=message, help=f"{help}, and write the index with it")


def _is_named_there(read: BoundAccess, variable: LoopVariable) -> bool:
    """What the text calls by the variable's name, from the loop to the access, is the variable."""
    last = read.access.element[1]
    named = read.stage.invocation.kernel.symbols.items()
    inside = {s for t, s in named if s.name == variable.name and variable.token < t <= last}
    return len(inside) == 1 or not is_on(NAMED)


@dataclass(frozen=True, eq=False)
class _Named:
    """Of `y*(w + 2) + x` the pitch is a scalar that is called `w + 2`, and `w` is 2 less; of
    `y*((w + 15) / 16*16) + x` it is 16 times a scalar that is called `(w + 15)/16`."""

    new: Mapping[Atom, Form]
    back: Mapping[Atom, Form]


def _named_widths(index: Form, dimensions: int) -> _Named:
    new: dict[Atom, Form] = {}
    back: dict[Atom, Form] = {}
    pitches = [_times(index, Id(GLOBAL_ID, d)) for d in range(dimensions)]
    for atom in sorted({a for each in pitches for a in each.atoms}, key=str):
        form = form_of(atom)
        fixed = all(isinstance(a, Value | Quotient | Choice) for a in form.everything)
        if isinstance(atom, Quotient | Choice) and fixed:
            name = Value(str(atom), atom.type.split()[0])
            new[atom], back[name] = form_of(name), form
    for each in sorted(pitches, key=lambda form: len(form.terms)):
        pitch = each.replace(new)
        for (longer, factor), (shorter, less) in permutations(pitch.terms, 2):
            left = [atom for atom in longer if atom not in shorter]
            width = left[0] if len(pitch.terms) == 2 and len(left) == 1 else None
            if (
                isinstance(width, Value)
                and _without(longer, width) == shorter
                and not less % factor
            ):
                wide = form_of(width) + number(less // factor)
                name = width._replace(name=str(wide))
                new[width] = form_of(name) - number(less // factor)
                back[name] = wide.replace(back)
                break
    return _Named(new, back)


def _times(index: Form, id_: Id) -> Form:
    """What the id is multiplied with."""
    found = (Form(((_without(m, id_), f),)) for m, f in index.terms if id_ in m)
    return sum(found, Form())


def _without(monomial: Monomial, atom: Atom) -> Monomial:
    position = monomial.index(atom)
    return monomial[:position] + monomial[position + 1 :]


@dataclass(frozen=True)
class _Pitch:
    """From an item to the next one, in elements: a product of scalars and a number."""

    monomial: Monomial
    factor: int
    named: _Named

    @property
    def form(self) -> Form:
        return self.of(self.monomial, self.factor)

    def of(self, monomial: Monomial, factor: int) -> Form:
        return Form(((monomial, factor),)).replace(self.named.back)

    @property
    def length(self) -> tuple[int, int]:
        """Longer ones are multiples of shorter ones."""
        return len(self.monomial), self.factor

    def divide(self, monomial: Monomial) -> Monomial | None:
        rest = list(monomial)
        for atom in self.monomial:
            if atom not in rest:
                return None
            rest.remove(atom)
        return tuple(rest)


def _rows(store: Form, dimensions: int, named: _Named) -> tuple[list[_Pitch], Form] | None:
    """By dimension the distance between two items, and where the first one stores."""
    pitches: list[_Pitch] = []
    start = store = store.replace(named.new)
    for d in range(dimensions):
        id_ = Id(GLOBAL_ID, d)
        terms = [(m, f) for m, f in store.terms if id_ in m]
        if len(terms) != 1 or terms[0][1] < 1:
            return None
        (monomial, factor) = terms[0]
        rest = tuple(atom for atom in monomial if atom != id_)
        if len(rest) != len(monomial) - 1 or not all(isinstance(a, Value) for a in rest):
            return None
        pitches.append(_Pitch(rest, factor, named))
        start -= Form(((monomial, factor),))
    if start.everything and not all(isinstance(a, Value) for a in start.everything):
        return None
    return (pitches, start) if len(set(pitches)) == dimensions else None


def _alone(
    store: BoundAccess,
    pitches: Sequence[_Pitch],
    margins: Sequence[int],
    world: Assumable,
    *,
    raced: bool,
) -> Proof | Form | None:
    """Why no other item stores the element: rows end before the next ones begin; or what would
    be negative otherwise; None: they are no rows.

    `raced`: where they do not, two items store to it, and the program has a race.
    """
    bounds = Bounds(store.facts, world, endless=raced)
    widths = _widths(pitches)
    if widths is None:
        return None
    proof = NOTHING
    for d, width in widths if is_on(ALONE) else ():
        left = width - number(1 + (margins[d] if margins else 0)) - form_of(Id(GLOBAL_ID, d))
        found = bounds.not_negative(left, width)
        if found is None:
            return left
        proof |= found
    return proof


def _once(store: BoundAccess, read: BoundAccess, world: Assumable) -> Proof | None:
    """Why neither index starts again at 0 in 64 bits: with it the rows do."""
    proof = NOTHING
    for access in (store, read) if is_on(ONCE) else ():
        bounds = Bounds(access.facts, world)
        found = bounds.few(access.form or Form(), types=[access.access.index_type])
        if found is None:
            return None
        proof |= found
    return proof


def _margins(start: Form, pitches: Sequence[_Pitch]) -> tuple[int, ...]:
    """By dimension, elements in front of the first item's."""
    first = _divided(start, pitches, low=False)
    constant = first is not None and all(form.is_constant for form in first)
    sizes = [form.constant for form in first or ()]
    return tuple(sizes) if constant and min(sizes) >= 0 else (0,) * len(pitches)


def _widths(pitches: Sequence[_Pitch]) -> list[tuple[int, Form]] | None:
    """By dimension, but for the last: how many of its items fit into one of the next."""
    order = sorted(range(len(pitches)), key=lambda d: pitches[d].length)
    found: list[tuple[int, Form]] = []
    for d, following in pairwise(order):
        own, next_ = pitches[d], pitches[following]
        rest = own.divide(next_.monomial)
        if rest is None or next_.factor % own.factor:
            return None
        found.append((d, own.of(rest, next_.factor // own.factor)))
    return found


def _points(index: Form, pitches: Sequence[_Pitch]) -> Iterator[Point]:
    """The ids of the item at which the store's index is this one: candidates, the likeliest first.

    `y*w + w - 1 - x` may be `(w - 1 - x, y)` and `(-1 - x, y + 1)`: which of them is an item is
    asked of each.
    """
    rests, left = _remainders_in(index, pitches)
    for low, of in ((False, index), (True, index), *([(False, left)] if any(rests) else [])):
        found = _divided(of, pitches, low=low)
        if found is not None and of is not index:
            found = tuple(map(add, found, rests))
        if found is not None:
            yield tuple(form.replace(pitches[0].named.back) for form in found)


def _remainders_in(index: Form, pitches: Sequence[_Pitch]) -> tuple[list[Form], Form]:
    """By dimension, `(x + w - 1) % w`: it is of that one, whatever cancels. And what is left."""
    found = [Form()] * len(pitches)
    for monomial, factor in index.terms:
        for quotient in (a for a in monomial if isinstance(a, Quotient) and not a.converts):
            rest = quotient.dividend - quotient.divisor * form_of(quotient)
            for d, pitch in enumerate(pitches):
                whole = Form(((pitch.monomial, pitch.factor),))
                if (whole * quotient.divisor * form_of(quotient)).terms == ((monomial, -factor),):
                    found[d] += rest
                    index -= whole * rest
    return found, index


def place_of(index: Form, dimensions: int) -> tuple[Form, Point] | None:
    """Of an index in rows: that of the element with the item's own ids, and the ids of the one
    that is meant."""
    own = Form(tuple((m, f) for m, f in index.terms if any(isinstance(a, Id) for a in m)))
    named = _named_widths(own, dimensions)
    rows = _rows(own, dimensions, named)
    if rows is None:
        return None
    pitches, _ = rows
    wide = [pitch for pitch in pitches if pitch.monomial]
    index = index.replace(named.new)
    apart = Form(
        tuple(
            (m, f)
            for m, f in index.terms
            if m and all(isinstance(a, Value) for a in m)
            if not any(p.divide(m) is not None and f % p.factor == 0 for p in wide)
        )
    )
    point = next(_points(index - apart, pitches), None)
    return (own + apart.replace(named.back), point) if point is not None else None


def _divided(index: Form, pitches: Sequence[_Pitch], *, low: bool) -> Point | None:
    """`low`: whole rows belong to the columns where they may."""
    choice = next((c for c in _whole(index) if _moves_rows(c, pitches)), None)
    if choice is not None:
        sides = [
            _divided(index.replace({choice: side}), pitches, low=low)
            for side in (choice.then, choice.otherwise)
        ]
        if sides[0] is None or sides[1] is None:
            return None
        pairs = zip(*sides, strict=True)
        parts = [chosen(choice.when, then, other, choice.type) for then, other in pairs]
        return None if any(part is None for part in parts) else tuple(p for p in parts if p)
    left = index
    found = [Form()] * len(pitches)
    order = sorted(
        range(len(pitches)), key=lambda d: (-len(pitches[d].monomial), -pitches[d].factor)
    )
    for d in order:
        pitch = pitches[d]
        last = d == order[-1]
        for monomial, factor in left.terms:
            rest = pitch.divide(monomial)
            if rest is None or (low and not last and _may_be_columns(rest, pitch)):
                continue
            steps, over = divmod(factor, pitch.factor)
            if over and last:
                return None
            if over and not rest and not pitch.monomial:  # a number: to the nearest row
                steps = (factor + pitch.factor // 2) // pitch.factor
            elif over:
                continue
            found[d] += Form(((rest, steps),)) if steps else Form()
            left -= Form(((monomial, steps * pitch.factor),)) if steps else Form()
    return None if left.terms else tuple(found)


def _may_be_columns(rest: Monomial, pitch: _Pitch) -> bool:
    """`w` in `y*w + w - 1 - x`, and `w*((x + 1)/w)`, which a remainder takes away."""
    quotients = [a for a in rest if isinstance(a, Quotient)]
    width = Form(((pitch.monomial, pitch.factor),))
    return not rest or any(q.divisor == width for q in quotients)


def _whole(index: Form) -> list[Choice]:
    """The choices that are terms of the index by themselves."""
    return [m[0] for m, f in index.terms if len(m) == 1 and isinstance(m[0], Choice) and f == 1]


def _moves_rows(choice: Choice, pitches: Sequence[_Pitch]) -> bool:
    """One of its values is in another row, or whole rows away."""
    difference = choice.then - choice.otherwise
    wide = [p for p in pitches if p.monomial or p.factor > 1]
    terms = (*difference.terms, *choice.then.terms)
    return any(
        p.divide(m) is not None and (p.monomial or abs(f) >= p.factor // 2 > 0)
        for p in wide
        for m, f in terms
    )


# Is the point one of the stage's items?


@dataclass(frozen=True)
class _Case:
    """Forms where choices are made."""

    forms: tuple[Form, ...]
    facts: tuple[Comparison, ...]
    made: tuple[Comparison, ...] = ()

    def impossible(self, known: Sequence[Comparison]) -> bool:
        for place, each in enumerate(self.made):
            others = (*known, *self.made[:place], *self.made[place + 1 :])
            if Bounds(others, Nothing()).implied(each.negated) is not None:
                return True
        return False


def _cases(case: _Case) -> Iterator[_Case]:
    made = (side for fact in case.made for side in (fact.left, fact.right))
    choices = [choice for form in (*case.forms, *made) for choice in form.choices]
    if not choices:
        yield case
        return
    choice = max(choices, key=lambda each: (len(str(each)), str(each)))
    yield from _cases(_taken(case, choice, choice.when, choice.then))
    for position, comparison in enumerate(choice.when):
        facts = (*choice.when[:position], comparison.negated)
        yield from _cases(_taken(case, choice, facts, choice.otherwise))


def _taken(case: _Case, choice: Choice, facts: tuple[Comparison, ...], side: Form) -> _Case:
    new: dict[Atom, Form] = {choice: side}
    known = tuple(fact.map(lambda form: form.replace(new)) for fact in (*case.facts, *facts))
    made = tuple(fact.map(lambda form: form.replace(new)) for fact in (*case.made, *facts))
    return _Case(tuple(form.replace(new) for form in case.forms), known, made)


@dataclass(frozen=True)
class Prover:
    """What is certain at a read, whichever values choices have; or what would have to be known not
    to be negative."""

    read: BoundAccess
    world: Assumable

    def not_negative(
        self, form: Form, pitch: Form | None = None, where: tuple[Comparison, ...] = ()
    ) -> Proof | Form:
        def asked(bounds: Bounds, forms: tuple[Form, ...]) -> Proof | None:
            return bounds.not_negative(forms[0], pitch)

        return self.in_all_cases((form, pitch), (form,), where, asked)

    def holds(self, fact: Comparison) -> Proof | Form:
        def asked(bounds: Bounds, forms: tuple[Form, ...]) -> Proof | None:
            here = Comparison(fact.op, forms[1], forms[2], fact.type)
            return NOTHING if here in bounds.facts else bounds.implied(here)

        room = fact.right - fact.left - number(fact.op == "<")
        return self.in_all_cases(fact, (room, fact.left, fact.right), (), asked)

    def without_settled(self, form: Form) -> Form:
        """Without choices of which only one side is ever chosen."""
        for choice in form.choices:
            for side, facts in (
                (choice.then, choice.when),
                (choice.otherwise, [each.negated for each in choice.when[: len(choice.when) == 1]]),
            ):
                if facts and not any(isinstance(self.holds(fact), Form) for fact in facts):
                    return self.without_settled(form.replace({choice: side}))
        return form

    def repeats(self, form: Form, period: Form) -> Proof | Form:
        """It is a number of periods."""

        def asked(bounds: Bounds, forms: tuple[Form, ...]) -> Proof | None:
            left, of = forms
            if all(of.single in monomial for monomial, _ in left.terms):
                return NOTHING
            for once in (of, -of):
                sides = [bounds.not_negative(each) for each in (left - once, once - left)]
                proofs = [each for each in sides if each is not None]
                if len(proofs) == len(sides):
                    return proofs[0] | proofs[1]
            return None

        return self.in_all_cases(("repeats", form, period), (form, period), (), asked)

    def in_all_cases(
        self,
        goal: object,
        forms: tuple[Form, ...],
        where: tuple[Comparison, ...],
        ask: Callable[[Bounds, tuple[Form, ...]], Proof | None],
    ) -> Proof | Form:
        facts = self.read.facts
        return _KNOWN.answer(
            (goal, where, facts),
            self.world,
            lambda world: _in_all_cases(facts, world, forms, where, ask),
        )


_KNOWN = Recalled[Proof | Form]()


def _in_all_cases(
    facts: tuple[Comparison, ...],
    world: Assumable,
    forms: tuple[Form, ...],
    where: tuple[Comparison, ...],
    ask: Callable[[Bounds, tuple[Form, ...]], Proof | None],
) -> Proof | Form:
    sides = (side for fact in where for side in (fact.left, fact.right))
    proof = NOTHING
    for count, case in enumerate(_cases(_Case((*forms, *sides), (*facts, *where)))):
        if case.impossible(facts):
            continue
        bounds = Bounds((*case.facts, *_remainders(case, world)), world)
        one = ask(bounds, case.forms) if count < _MOST_CASES else None
        if one is None:
            return case.forms[0]
        proof |= one
    return proof


def _inside(
    store: BoundAccess,
    point: Point,
    pitches: Sequence[_Pitch],
    margins: Sequence[int],
    prover: Prover,
    world: Reach,
) -> Source | Form:
    """Or what would have to be known not to be negative."""
    stage, certain = store.stage, replace(prover, world=Nothing())
    ids: dict[Atom, Form] = {Id(GLOBAL_ID, d): form for d, form in enumerate(point)}
    guards = [(guard, guard.map(lambda form: form.replace(ids))) for guard in stage.guards]
    narrow = store.narrow or prover.read.narrow
    proof, outside = _all_hold(guards, certain), False
    below = tuple(
        d
        for d, margin in enumerate(margins)
        if margin and not narrow and isinstance(certain.not_negative(point[d]), Form)
    )
    if (isinstance(proof, Form) or below) and not narrow:
        proof, outside = _in_rows(point, pitches, margins, prover), True
    if isinstance(proof, Form):
        proof, outside, below = _all_hold(guards, prover), False, ()
    if isinstance(proof, Form) and narrow:
        proof, outside = _in_narrow_rows(store, point, pitches, prover), True
    if isinstance(proof, Form):
        return proof
    for form in point if is_on(FITTING) else ():
        fits = _fits(store, form, prover, outside=outside)
        if isinstance(fits, Form):
            return fits
        proof |= fits
    reaches: list[Reaches] = []
    for d in range(len(point)):
        own = Id(GLOBAL_ID, d)
        about = [there for g, there in guards if own in (g.left + g.right).everything]
        about += [Comparison("<=", Form(), point[d], "long")] if d in below else []
        ends = _end(stage, d, point[d], prover, tuple(about) if outside else (), world)
        if isinstance(ends, Form):
            return ends
        reaches += ends[0]
        proof |= ends[1]
    return Source(point, proof, tuple(reaches), outside, below)


def _fits(store: BoundAccess, form: Form, prover: Prover, *, outside: bool) -> Proof | Form:
    """Why the id is a number of an `int`, as which it is told, whatever has been added to it."""
    index_type = prover.read.access.index_type
    few = Bounds(prover.read.facts, prover.world).few(form, types=[index_type])
    if few is None:
        return form
    added = store.form or Form()
    near = not added.scalars and abs(added.constant) <= _NEAR
    narrow = index_type == "int" and near  # the index is one
    if not outside or narrow:
        return few

    def asked(bounds: Bounds, forms: tuple[Form, ...]) -> Proof | None:
        sides = (_room(side, bounds, prover.world) for side in (forms[0], -forms[0]))
        proofs = [each for each in sides if each is not None]
        return proofs[0] | proofs[1] if len(proofs) == 2 else None

    found = prover.in_all_cases(("fits", form), (form,), (), asked)
    return found if isinstance(found, Form) else few | found


def _room(form: Form, bounds: Bounds, world: Assumable) -> Proof | None:
    """Why the form is no more than an `int` can be."""
    proof = NOTHING
    for monomial, factor in form.terms:
        scalar = monomial[0] if len(monomial) == 1 and factor < 0 else None
        if isinstance(scalar, Value) and not is_unsigned(scalar.type):
            if world.may(floor := Floor(scalar, 0), implied=False):
                form -= Form(((monomial, factor),))
                proof |= {floor}
    if _is_at_most_one(form):
        return proof
    found = bounds.not_negative(number(LAST // 2) - form, number(LAST // 8))
    return found | proof if found is not None else None


def _is_at_most_one(form: Form) -> bool:
    """It is no more than an id, or than a number that is an `int`: `w - 1 - x`."""
    more = [(monomial, factor) for monomial, factor in form.terms if monomial and factor > 0]
    less = [monomial for monomial, factor in form.terms if monomial and factor < 0]
    if not all(is_never_negative(atom) for monomial in less for atom in monomial):
        return False
    if not more:
        return form.constant <= _NEAR
    (monomial, factor), *others = more
    atom = monomial[0] if len(monomial) == factor == 1 and not others else None
    if isinstance(atom, Id):
        return form.constant <= _NEAR and atom.kind != STRIDED_ID
    small = isinstance(atom, Value) and last_of(atom.type) <= LAST // 2
    return small and form.constant <= 0


def _all_hold(guards: Sequence[tuple[Comparison, Comparison]], prover: Prover) -> Proof | Form:
    """Why the point is in the stage's guards, which are given with ids and with the point."""
    proof = NOTHING
    for _, there in guards if is_on(INSIDE) else ():
        found = prover.holds(there)
        if isinstance(found, Form):
            return found
        proof |= found
    return proof


def _remainders(case: _Case, world: Assumable) -> list[Comparison]:
    """`(x + w - 1) % w` is from 0 to `w - 1`, where nothing is negative."""
    bounds = Bounds(case.facts, world)
    found: list[Comparison] = []
    for atom in {atom for form in case.forms for atom in form.everything}:
        if not isinstance(atom, Quotient) or atom.divisor == number(1):
            continue
        sides = atom.dividend, atom.divisor - number(1)
        if is_unsigned(atom.type) or any(bounds.not_negative(s) is None for s in sides):
            continue
        rest = atom.dividend - atom.divisor * form_of(atom)
        found.append(Comparison("<=", Form(), rest, "long"))
        found.append(Comparison("<", rest, atom.divisor, "long"))
    return found


def _in_rows(
    point: Point, pitches: Sequence[_Pitch], margins: Sequence[int], prover: Prover
) -> Proof | Form:
    """Why the point is in a row of its own: no other item has its element."""
    places = [form + number(margin) for form, margin in zip(point, margins, strict=True)]
    inside: list[tuple[Form, Form | None]] = [(form, None) for form in places]
    inside += [(width - number(1) - places[d], width) for d, width in _widths(pitches) or ()]
    proof = NOTHING
    for form, width in inside if is_on(IN_ROWS) else ():
        found = prover.not_negative(form, width)
        if isinstance(found, Form):
            return found
        proof |= found
    return proof


def _in_narrow_rows(
    store: BoundAccess, point: Point, pitches: Sequence[_Pitch], prover: Prover
) -> Proof | Form:
    """And no index starts again at 0: then it would be an element of another row, too."""
    proof = _in_rows(point, pitches, (0,) * len(point), prover)
    longest = max(pitches, key=lambda pitch: pitch.length)
    pitch = longest.form
    for access in (store, prover.read) if is_on(NARROW_ROWS) else ():
        there, index = replace(prover, read=access), access.form or Form()
        for form in (index, number(LAST) - index):
            found = there.not_negative(form, pitch)
            if isinstance(proof, Form) or isinstance(found, Form):
                return proof if isinstance(proof, Form) else form
            proof |= found
    return proof


def _end(
    stage: Stage,
    dimension: int,
    at: Form,
    prover: Prover,
    where: tuple[Comparison, ...],
    world: Reach,
) -> tuple[tuple[Reaches, ...], Proof] | Form:
    """Why the launch has the item: it is no further than the reader, or than the launch reaches."""
    own = form_of(Id(GLOBAL_ID, dimension))
    not_before = prover.not_negative(at, where=where)
    if isinstance(not_before, Form):
        return not_before
    not_behind = prover.not_negative(own - at, where=where)
    if not isinstance(not_behind, Form):
        return (), not_before | not_behind
    if not is_on(LAUNCHED):
        return (), not_before
    for end in _ends(stage, dimension, at, prover.read):
        scalar = next(iter(end.scalars), None)
        name, type_ = (scalar.key, scalar.type) if scalar is not None else ("", "int")
        reaches = Reaches(stage.launch.index, dimension, name, type_, end.constant)
        below = prover.not_negative(end - number(1) - at, where=where)
        if not isinstance(below, Form) and world.reaches(reaches):
            return (reaches,), not_before | below
    launched = form_of(Id(GLOBAL_SIZE, dimension)) - number(1)
    if stage.range.offset:
        launched += form_of(Id(GLOBAL_OFFSET, dimension))
    return launched - own + not_behind


def _ends(stage: Stage, dimension: int, at: Form, read: BoundAccess) -> list[Form]:
    """Where the items of the launch may be known to end: by guards, or by the reader's numbers."""
    own = form_of(Id(GLOBAL_ID, dimension))
    guards = [g.right for g in stage.guards if g.op == "<" and g.left == own]
    guards += [g.right + number(1) for g in stage.guards if g.op == "<=" and g.left == own]
    scalars = {s for fact in read.facts for s in (fact.left + fact.right).scalars} | at.scalars
    others = [form_of(scalar) for scalar in sorted(scalars, key=str)]
    return [end for end in dict.fromkeys([*guards, *others]) if _is_end(end)]


def _is_end(form: Form) -> bool:
    """A number, or a scalar and a number."""
    scalar = form - number(form.constant)
    if not scalar.terms:
        return True
    (monomial, factor), *others = scalar.terms
    value = monomial[0]
    single = not others and factor == 1 and len(monomial) == 1
    return single and isinstance(value, Value) and value.compared
