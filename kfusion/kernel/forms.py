"""The normal form of indices and guards: polynomials over ids, sizes, scalars and loops.

A form describes a value as a function of the work-item. Two forms are equal only if the
values are, item by item; an index that has no form is simply not understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from kfusion.source.dataclasses import dataclass

GLOBAL_ID = "global_id"
LOCAL_ID = "local_id"
GROUP_ID = "group_id"
LOCAL_SIZE = "local_size"
GLOBAL_SIZE = "global_size"
GLOBAL_OFFSET = "global_offset"
NUM_GROUPS = "num_groups"
STRIDED_ID = "strided_id"  # the global id, and on from there by the global size
IMAGE_ROW = "image_row"  # from a texel to the one below: more than any coordinate
ITEM_IDS = (GLOBAL_ID, LOCAL_ID, GROUP_ID, STRIDED_ID)  # what differs from item to item
OF_GROUPS = (LOCAL_ID, GROUP_ID, LOCAL_SIZE, NUM_GROUPS)  # what depends on the local size


class Id(NamedTuple):
    """What get_global_id(d), get_local_size(d) and the like return."""

    kind: str
    dimension: int

    def __str__(self) -> str:
        if self.kind == STRIDED_ID:
            return f"<from get_global_id({self.dimension}) on>"
        return f"get_{self.kind}({self.dimension})"


COMPARED = ("int", "uint", "long", "ulong")  # types of numbers that hosts compare as kernels do


class Value(NamedTuple):
    """A scalar parameter; `name` is the parameter's, or, once bound, the scalar's.

    Of a vector or a structure one `part`, which has the type: `.s0`, `.strides[1]`; it lies
    behind so many `bytes` (-1: not known) in the type of the `whole`.
    """

    name: str
    type: str
    part: str = ""
    whole: str = ""
    bytes: int = -1

    def __str__(self) -> str:
        return self.name + self.part

    @property
    def key(self) -> str:
        """What the number is called where scalars are compared: `size:.w@0:int of ...`."""
        place = f"@{self.bytes}:{self.type} of {self.whole}"
        return f"{self.name}:{self.part}{place}" if self.part else self.name

    @property
    def compared(self) -> bool:
        """Can hosts compare the number as kernels do?"""
        return self.type in COMPARED and (not self.part or self.bytes >= 0)


@lru_cache(maxsize=4096)
def part_called(key: str) -> Value | None:
    """The number that a key names, in a scalar that is a vector or a structure."""
    match = re.fullmatch(r"(.*):((?:\.\w+|\[\d+\])+)@(\d+):(\w+) of (.*)", key, re.DOTALL)
    if match is None:
        return None
    name, path, place, type_, whole = match.groups()
    return Value(name, type_, path, whole, int(place))


class LoopVariable(NamedTuple):
    """The variable of a counting loop, told apart by the loop's first token.

    Or another number of the loop, such as its rounds: the name of that is none of a variable.
    """

    name: str
    token: int
    type: str
    owner: int = -1  # the invocation, once bound

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Quotient:
    """An integer division. A remainder is `a - b*(a/b)`, so `w*(i/w) + i%w` is `i`.

    Divided by 1, a conversion that may change the value; `type` names both types then.
    """

    dividend: Form
    divisor: Form
    type: str

    @property
    def converts(self) -> bool:
        return self.divisor == number(1)

    def __str__(self) -> str:
        if self.converts:
            return f"({self.type})({self.dividend})"
        return f"({self.dividend})/({self.divisor})"

    @property
    def parts(self) -> tuple[Form, ...]:
        return self.dividend, self.divisor

    def map(self, change: Callable[[Form], Form]) -> Quotient:
        return Quotient(change(self.dividend), change(self.divisor), self.type)


@dataclass(frozen=True)
class Choice:
    """One value where all comparisons hold, another one where not: `i < n ? i : n - 1`.

    Both are of the type; where one is not chosen it need not have been computed.
    """

    when: tuple[Comparison, ...]
    then: Form
    otherwise: Form
    type: str
    converts = False

    def __str__(self) -> str:
        return f"({' && '.join(map(str, self.when))} ? {self.then} : {self.otherwise})"

    @property
    def parts(self) -> tuple[Form, ...]:
        sides = (side for comparison in self.when for side in (comparison.left, comparison.right))
        return (self.then, self.otherwise, *sides)

    def map(self, change: Callable[[Form], Form]) -> Choice:
        when = tuple(comparison.map(change) for comparison in self.when)
        return Choice(when, change(self.then), change(self.otherwise), self.type)


@dataclass(frozen=True)
class Listed:
    """An element of an array of numbers that nothing changes: `dx[k]`.

    `text` is how an index is written, `dx[{}]`, if the file declares the array.
    """

    values: tuple[int, ...]
    index: Form
    type: str
    text: str = ""
    converts = False

    def __str__(self) -> str:
        return self.text.format(self.index) or f"{list(self.values)}[{self.index}]"

    @property
    def parts(self) -> tuple[Form, ...]:
        return (self.index,)

    def map(self, change: Callable[[Form], Form]) -> Listed:
        return Listed(self.values, change(self.index), self.type, self.text)

    @property
    def ends(self) -> tuple[int, int]:
        return min(self.values), max(self.values)


Composite = Quotient | Choice | Listed  # atoms that have forms within
Atom = Id | Value | LoopVariable | Quotient | Choice | Listed
Monomial = tuple[Atom, ...]


@dataclass(frozen=True)
class Form:
    """A sum of monomials with integer factors, sorted, none of them zero."""

    terms: tuple[tuple[Monomial, int], ...] = ()

    @property
    def constant(self) -> int:
        for monomial, factor in reversed(self.terms):
            if not monomial:
                return factor
        return 0

    @cached_property
    def atoms(self) -> frozenset[Atom]:
        return frozenset(atom for monomial, _ in self.terms for atom in monomial)

    @property
    def single(self) -> Atom | None:
        """The atom that is all of it."""
        if len(self.terms) != 1:
            return None
        ((monomial, factor),) = self.terms
        return monomial[0] if len(monomial) == factor == 1 else None

    @property
    def is_constant(self) -> bool:
        return all(not monomial for monomial, _ in self.terms)

    def __add__(self, other: Form) -> Form:
        return _sum(self, other, 1) if self.terms and other.terms else self if self.terms else other

    def __neg__(self) -> Form:
        return Form(tuple([(monomial, -factor) for monomial, factor in self.terms]))

    def __sub__(self, other: Form) -> Form:
        return _sum(self, other, -1) if other.terms else self

    def __mul__(self, other: Form) -> Form:
        return _collect(
            [(m + n, f * g) for m, f in self.terms for n, g in other.terms],
        )

    def divided(self, by: int) -> tuple[Form, Form]:
        """What the number divides, divided; and the rest."""
        whole = Form(tuple((m, f // by) for m, f in self.terms if f % by == 0))
        return whole, Form(tuple((m, f) for m, f in self.terms if f % by))

    @cached_property
    def everything(self) -> frozenset[Atom]:
        """Its atoms, and those within them."""
        composite = [atom for atom in self.atoms if isinstance(atom, Composite)]
        return self.atoms.union(*(part.everything for atom in composite for part in atom.parts))

    def mentions(self, *kinds: str) -> bool:
        return any(isinstance(a, Id) and a.kind in kinds for a in self.everything)

    @property
    def scalars(self) -> frozenset[Value]:
        """The scalar parameters that it depends on."""
        return frozenset(a for a in self.everything if isinstance(a, Value))

    @cached_property
    def in_loop(self) -> bool:
        """It differs between the iterations of a loop."""
        return any(isinstance(a, LoopVariable) for a in self.everything)

    @cached_property
    def choices(self) -> Sequence[Choice]:
        """In the order of their texts."""
        return sorted((a for a in self.everything if isinstance(a, Choice)), key=str)

    def replace(self, new: Mapping[Atom, Form]) -> Form:
        """Every atom of the mapping replaced by a form."""
        if not any(atom in new or isinstance(atom, Composite) for atom in self.atoms):
            return self

        def changed(atom: Atom) -> Form:
            return new[atom] if atom in new else form_of(_within(atom, lambda f: f.replace(new)))

        result = Form()
        for monomial, factor in self.terms:
            product = number(factor)
            for atom in monomial:
                product *= changed(atom)
            result += product
        return result

    def rename(self, change: Callable[[Atom], Atom]) -> Form:
        new = {a: change(_within(a, lambda form: form.rename(change))) for a in self.atoms}
        if all(atom is changed for atom, changed in new.items()):
            return self
        return _collect([(tuple([new[a] for a in m]), f) for m, f in self.terms])

    def within(self, change: Callable[[Form], Form]) -> Form:
        """With the forms within its atoms changed."""
        if not any(isinstance(atom, Composite) for atom in self.atoms):
            return self
        return _collect([(tuple(_within(a, change) for a in m), f) for m, f in self.terms])

    def __str__(self) -> str:
        if not self.terms:
            return "0"
        parts: list[str] = []
        for monomial, factor in self.terms:
            names = "*".join(str(atom) for atom in monomial)
            if not names:
                parts.append(str(factor))
            elif factor in (1, -1):
                parts.append(names if factor == 1 else f"-{names}")
            else:
                parts.append(f"{factor}*{names}")
        return " + ".join(parts).replace("+ -", "- ")


def _within(atom: Atom, change: Callable[[Form], Form]) -> Atom:
    return atom.map(change) if isinstance(atom, Composite) else atom


@lru_cache(maxsize=4096)
def _keys(monomial: Monomial) -> tuple[int, list[tuple[str, str, int]]]:
    """The longest products first, the constant last: as one would write it."""
    return -len(monomial), [_key(atom) for atom in monomial]


@lru_cache(maxsize=4096)
def _key(atom: Atom) -> tuple[str, str, int]:
    if isinstance(atom, Id):
        return ("id", atom.kind, atom.dimension)
    if isinstance(atom, Value):
        return ("value", f"{atom} {atom.type} {atom.whole}", 0)
    if isinstance(atom, Composite):
        return ("quotient" if isinstance(atom, Quotient) else "choice", f"{atom} {atom.type}", 0)
    return ("loop", f"{atom.name} {atom.owner}", atom.token)


def _collect(terms: list[tuple[Monomial, int]]) -> Form:
    sums: dict[Monomial, int] = {}
    for monomial, factor in terms:
        ordered = tuple(sorted(monomial, key=_key)) if len(monomial) > 1 else monomial
        sums[ordered] = sums.get(ordered, 0) + factor
    return _sorted(sums)


def _sum(left: Form, right: Form, sign: int) -> Form:
    """Monomials of forms are in order, and stay so if no new one comes but a number at the end."""
    sums = dict(left.terms)
    for monomial, factor in right.terms:
        sums[monomial] = sums.get(monomial, 0) + sign * factor
    if len(sums) == len(left.terms) or right.is_constant:
        return Form(tuple([term for term in sums.items() if term[1]]))
    return _sorted(sums)


def _sorted(sums: dict[Monomial, int]) -> Form:
    if len(sums) > 1:
        return Form(tuple([(m, sums[m]) for m in sorted(sums, key=_keys) if sums[m]]))
    return Form(tuple([term for term in sums.items() if term[1]]))


def of_items(form: Form) -> Form:
    """The part of an index that depends on the item."""
    return Form(tuple((m, f) for m, f in form.terms if any(_is_item(a) for a in m)))


def _is_item(atom: Atom) -> bool:
    return isinstance(atom, Id) and atom.kind in ITEM_IDS


def number(value: int) -> Form:
    return Form((((), value),)) if value else Form()


def form_of(atom: Atom) -> Form:
    return Form((((atom,), 1),))


ROW = form_of(Id(IMAGE_ROW, 0))


def texel_at(x: Form, *others: Form) -> Form:
    """Coordinates as one index, `(z*row + y)*row + x`: equal indices have equal coordinates."""
    return texel_at(*others) * ROW + x if others else x


def coordinates(form: Form) -> tuple[Form, Form]:
    """The two that an index has been made of."""
    row = Id(IMAGE_ROW, 0)
    x = Form(tuple((m, f) for m, f in form.terms if row not in m))
    y = Form(tuple((tuple(a for a in m if a != row), f) for m, f in form.terms if row in m))
    return x, y


def counts_items(form: Form) -> bool:
    """An id, or the ids of several dimensions with the sizes between: no more than items."""
    form = in_global_ids(form)
    terms, single = form.terms, form.single
    rows: list[Monomial] = []
    starts: dict[Monomial, Monomial] = {}  # what may be subtracted from a row
    for dimension in range(3):
        sizes = [Id(GLOBAL_SIZE, lower) for lower in range(dimension)]
        rows.append(tuple(sorted([Id(GLOBAL_ID, dimension), *sizes], key=_key)))
        starts[tuple(sorted([Id(GLOBAL_OFFSET, dimension), *sizes], key=_key))] = rows[-1]
        start = (Id(GROUP_ID, dimension), Id(LOCAL_SIZE, dimension))
        if terms == ((tuple(sorted(start, key=_key)), 1),):
            return True
        # Group arithmetic of one dimension.
        offset = form_of(Id(GLOBAL_OFFSET, dimension))
        if terms == (form_of(Id(GLOBAL_ID, dimension)) - offset).terms:
            return True
    if isinstance(single, Id) and single.kind != STRIDED_ID:
        return True
    positive = [m for m, f in terms if f == 1]
    offsets = [m for m, f in terms if f == -1 and starts.get(m) in positive]
    return 0 < len(positive) == len(terms) - len(offsets) and all(m in rows for m in positive)


def counted(form: Form) -> Form:
    """Without conversions of what counts items: no type is too narrow for them."""
    plain: dict[Atom, Form] = {
        atom: atom.dividend
        for atom in form.atoms
        if isinstance(atom, Quotient) and atom.divisor == number(1) and counts_items(atom.dividend)
    }
    return form.replace(plain) if plain else form


@dataclass(frozen=True)
class Comparison:
    """`left op right`, computed in the C type `type`; op is one of < <= == !=.

    The sides stay apart: moving a term across changes the meaning for unsigned types.
    """

    op: str
    left: Form
    right: Form
    type: str

    def map(self, change: Callable[[Form], Form]) -> Comparison:
        return Comparison(self.op, change(self.left), change(self.right), self.type)

    @property
    def negated(self) -> Comparison:
        return comparison(self.op, self.left, self.right, self.type, negated=True)

    def __str__(self) -> str:
        return f"{self.left} {self.op} {self.right}"


_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_TURNED = {">": "<", ">=": "<="}


_MOST_CHOICES = 8
_DEEPEST = 4  # choices of which each is within the one before


def is_short(form: Form) -> bool:
    return len(form.choices) <= _MOST_CHOICES


def chosen(when: Iterable[Comparison], then: Form, otherwise: Form, type_: str) -> Form | None:
    """None: it would be too long."""
    if then == otherwise:
        return then
    form = form_of(Choice(tuple(when), then, otherwise, type_))
    return form if len(form.choices) <= _DEEPEST else None


def comparison(op: str, left: Form, right: Form, type_: str, *, negated: bool) -> Comparison:
    """In the canonical direction: `n > i` is `i < n`; not `i >= n` is `i < n`."""
    if negated:
        op = _NEGATED[op]
    if op in _TURNED:
        return Comparison(_TURNED[op], right, left, type_)
    if op in ("==", "!=") and str(right) < str(left):
        left, right = right, left
    return Comparison(op, left, right, type_)


def in_global_ids(form: Form) -> Form:
    """`group_id*local_size + local_id` as the global id minus the offset.

    Only right where every group has the full local size.
    """
    form = form.within(in_global_ids)
    for dimension in range(3):
        local = Id(LOCAL_ID, dimension)
        if local not in form.atoms:
            continue
        group = form_of(Id(GROUP_ID, dimension)) * form_of(Id(LOCAL_SIZE, dimension))
        start = form_of(Id(GLOBAL_ID, dimension)) - form_of(Id(GLOBAL_OFFSET, dimension))
        changed = form.replace({local: start - group})
        used = {a for a in changed.atoms if isinstance(a, Id) and a.dimension == dimension}
        if not any(a.kind in (LOCAL_ID, GROUP_ID, LOCAL_SIZE) for a in used):
            form = changed
    return form
