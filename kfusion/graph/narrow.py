"""Ids times a number, in a type that is narrower than the id: `int i = get_global_id(0) * 4`.

The conversion changes no value where the ids of the launch are few enough, which is compared at run
time. Where an `int` became negative, the access would be outside of its buffer.
"""

from __future__ import annotations

from kfusion.graph.bind import BoundAccess
from kfusion.graph.bounds import NOTHING, Assumable, Bounds, Limit, Proof, last_of
from kfusion.kernel.forms import GLOBAL_ID, Atom, Form, Id, Quotient, form_of, number
from kfusion.kernel.types import INTEGERS
from kfusion.source.protections import is_on, protection

FEW_IDS = protection("few-ids", "a multiple of an id fits into a narrower type for few ids only")

CUT_SUMS = protection("cut-sums", "a sum fits into a narrower type where extents are small only")


def without_conversions(
    a: BoundAccess, b: BoundAccess, world: Assumable
) -> tuple[BoundAccess, BoundAccess, Proof]:
    """The accesses for ids that are few enough, and how many those are."""
    forms = [x.form for x in (a, b) if x.form is not None]
    forms += [side for x in (a, b) for fact in x.facts for side in (fact.left, fact.right)]
    new: dict[Atom, Form] = {}
    proof = NOTHING
    for atom in {atom for form in forms for atom in form.everything}:
        limit = _limit(atom) if isinstance(atom, Quotient) and atom.divisor == number(1) else None
        if limit is None or not isinstance(atom, Quotient):
            continue
        signed = INTEGERS[atom.type.split()[0]][1]
        if not is_on(FEW_IDS) or world.may(limit, implied=signed):
            new[atom] = atom.dividend
            proof |= {limit}
    return (a.replaced(new), b.replaced(new), proof) if new else (a, b, NOTHING)


def without_cut_sums(access: BoundAccess, world: Assumable) -> tuple[BoundAccess, Proof]:
    """`int i = y*w + x;` of a `size_t`: the sum itself, where rows and columns are few enough."""
    bounds = Bounds(access.facts, world)
    new: dict[Atom, Form] = {}
    proof = NOTHING
    cut = [a for a in (access.form or Form()).everything if isinstance(a, Quotient)]
    for atom in sorted((a for a in cut if a.divisor == number(1)), key=str):
        last = min(map(last_of, atom.type.split(" from ")))
        pitch = sum(map(form_of, sorted(atom.dividend.scalars, key=str)), Form())
        room = [atom.dividend, number(last) - atom.dividend] if is_on(CUT_SUMS) else []
        found = [bounds.not_negative(form, pitch, of_rows=False) for form in room]
        if None not in found:
            new[atom] = atom.dividend
            proof = proof.union(*(each for each in found if each is not None))
    return (access.replaced(new), proof) if new else (access, NOTHING)


def _limit(conversion: Quotient) -> Limit | None:
    """How many ids there may be; None: the value is no multiple of one id, and a number."""
    form = conversion.dividend
    factors = [(m, f) for m, f in form.terms if m]
    if len(factors) != 1 or len(factors[0][0]) != 1:
        return None
    (id_,), factor = factors[0]
    if not isinstance(id_, Id) or id_.kind != GLOBAL_ID or factor <= 0 or form.constant < 0:
        return None
    width, signed = INTEGERS[conversion.type.split()[0]]
    last = (1 << (width - signed)) - 1
    return Limit(id_.dimension, (last - form.constant) // factor + 1)
