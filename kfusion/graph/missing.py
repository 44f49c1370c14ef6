"""What would have to be known for two accesses to be apart: for the message that they may meet.

In: two accesses that could not be told apart. Out: comparisons, in the words of their kernels,
that are missing in the proof; none where items do meet, whatever is known.
"""

from __future__ import annotations

from itertools import combinations

from kfusion.graph.bind import BoundAccess
from kfusion.graph.bounds import OTHER_ITEM, Assumed, Need
from kfusion.graph.ownership import Dependence, depend
from kfusion.graph.unify import unifier
from kfusion.kernel.forms import (
    GLOBAL_OFFSET,
    Atom,
    Form,
    Id,
    LoopVariable,
    Value,
    form_of,
    number,
)

_MOST = 2  # comparisons: more would help nobody


def missing(a: BoundAccess, b: BoundAccess) -> list[tuple[str, BoundAccess]]:
    """The comparisons, and the access where each is missing."""
    dimensions = a.stage.range.dimensions
    found, proof = depend(a, b, dimensions, _Whoever())
    needs = [assumed.form for assumed in proof if isinstance(assumed, Need)]
    if found not in (Dependence.NONE, Dependence.SAME_ITEM) or len(needs) != len(proof):
        return []
    told: list[tuple[str, BoundAccess]] = []
    for form in sorted(needs, key=str):
        access = b if any(_is_other(atom) for atom in form.everything) else a
        text = Words(access).comparison(form)
        if text is None or text.split(" < ")[0].isdecimal():
            return []
        told.append((text, access))
    if any(_contradict(one, other) for one, other in combinations(needs, 2)):
        return []
    # Where both lack the same, it is said of one after the other.
    return list(dict.fromkeys(told)) if len(told) <= _MOST else []


def _contradict(one: Form, other: Form) -> bool:
    """`x < w` and `w < x + 1`, whoever's `x` it is: nobody can see to both."""
    room = one.rename(_own) + other.rename(_own)
    return room.is_constant and room.constant < 0


def _own(atom: Atom) -> Atom:
    if isinstance(atom, Id):
        return Id(atom.kind.removesuffix(OTHER_ITEM), atom.dimension)
    if isinstance(atom, LoopVariable):
        return atom._replace(name=atom.name.removesuffix(OTHER_ITEM))
    return atom


def unequal(a: BoundAccess, b: BoundAccess) -> list[str]:
    """Scalars that would have to be equal for both to reach one element: a sentence of each two."""
    pairs = unifier((a.form or Form(),), (b.form or Form(),)) or []
    return [f"'{_parameter(a, x)} is '{_parameter(b, y)}" for x, y in pairs]


def _parameter(access: BoundAccess, value: Value) -> str:
    """What a scalar is called in the kernel of an access."""
    launch = access.stage.invocation
    given = zip(launch.kernel.parameters, launch.arguments, strict=True)
    name = next((p.name for p, argument in given if argument.name == value.name), value.name)
    return f"{name}{value.part}' of {access.stage.kernel_name}()"


class _Whoever:
    """Who believes any bound, but nothing that would have to be checked."""

    def may(self, assumed: Assumed, *, implied: bool) -> bool:
        return isinstance(assumed, Need)


def _is_other(atom: Atom) -> bool:
    name = atom.kind if isinstance(atom, Id) else getattr(atom, "name", "")
    return name.endswith(OTHER_ITEM)


class Words:
    """Forms as the kernel of an access writes them."""

    def __init__(self, access: BoundAccess, *, loops: bool = False) -> None:
        self.loops = loops  # their variables, too
        self.stage = access.stage
        self.kernel = access.stage.invocation.kernel

    def comparison(self, form: Form) -> str | None:
        """`x < w`, of a form that should not be negative."""
        right = Form(tuple((m, f) for m, f in form.terms if f > 0 and m))
        left = Form(tuple((m, -f) for m, f in form.terms if f < 0 and m))
        end = form.constant + 1
        if end < 0:
            left += number(-end)
        else:
            right += number(end)
        sides = [self._sum(side) for side in (left, right)]
        return " < ".join(s for s in sides if s is not None) if None not in sides else None

    def _sum(self, form: Form) -> str | None:
        words: list[str] = []
        for monomial, factor in form.terms:
            atoms = [self._atom(atom) for atom in monomial]
            if None in atoms:
                return None
            factors = [str(factor)] if factor != 1 or not monomial else []
            words.append("*".join([*factors, *(a for a in atoms if a is not None)]))
        return " + ".join(words) or "0"

    def _atom(self, atom: Atom) -> str | None:
        if isinstance(atom, Id) and atom.kind == GLOBAL_OFFSET:
            return str(atom) if self.stage.range.offset else None
        if isinstance(atom, Id):
            return self._id(Id(atom.kind.removesuffix(OTHER_ITEM), atom.dimension))
        if isinstance(atom, LoopVariable):
            return atom.name if self.loops else None  # its bounds are the loop's
        if not isinstance(atom, Value):
            return None
        for parameter in self.kernel.parameters:
            own = form_of(Value(parameter.name, parameter.canonical))
            if parameter.is_scalar and self.stage.bind(own) == form_of(atom):
                return parameter.name
        return None

    def _id(self, atom: Id) -> str:
        """The variable that holds it, if there is one."""
        declared = (d for item in self.kernel.body.prelude for d in item.declarations)
        named = (d.name for d in declared if d.form == form_of(atom) and d.constant)
        return next(named, str(atom))
