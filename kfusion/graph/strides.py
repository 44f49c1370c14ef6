"""Loops over the range that count in 32 bits: does an iteration come once?

`for (uint i = get_global_id(0); i < n; i += get_global_size(0))` starts again at 0 where `n` is
so large that a step leads beyond 2^32, and an `int` at its smallest number, for the sum has 64 bits
and is converted. The item then does what other ones have done, and both store to one element, or it
never ends. Where all stores are under conditions that is not so certain, and bounds have to be
assumed.
"""

from __future__ import annotations

from kfusion.graph.bind import BoundAccess, Stage
from kfusion.graph.bounds import NOTHING, Assumable, Assumed, Ceiling, Floor, Limit, Proof
from kfusion.kernel.forms import (
    GLOBAL_ID,
    GROUP_ID,
    LOCAL_ID,
    Atom,
    Form,
    Id,
    Monomial,
    Quotient,
    Value,
    form_of,
)
from kfusion.kernel.types import is_unsigned
from kfusion.source.protections import is_on, protection

STARTING_AGAIN = protection("starting-again", "a loop without sign may count from 0 again")

# A bound and a step of no more stay in 32 bits.
_MOST = {"uint": (1 << 31) - 1, "int": (1 << 30) - 1}


def counts_once(access: BoundAccess, assumable: Assumable) -> Proof | None:
    """What must hold for the access's loop to have each number in one iteration only."""
    stage = access.stage
    stride, declared = stage.stride, stage.invocation.kernel.body.stride
    most = _MOST.get(declared.type) if declared is not None else None
    if stride is None or most is None or not is_on(STARTING_AGAIN):
        return NOTHING
    if not stage.invocation.range.offset and _would_race(stage, stride):
        return NOTHING
    limit = Limit(stride.dimension, most)
    if not assumable.may(limit, implied=True):  # who launches more items than that?
        return None
    ends = (
        _ended(guard.right, most)
        for guard in stage.guards
        if guard.op in ("<", "<=") and guard.left == form_of(stride)
    )
    for end in ends:
        if end is not None and all(assumable.may(each, implied=False) for each in end):
            return end | {limit}
    return None


def _would_race(stage: Stage, stride: Id) -> bool:
    """Each iteration stores to an element, and says so by nothing but its number."""
    return not any(
        _is_of_item(side, stride) for guard in stage.guards for side in (guard.left, guard.right)
    ) and any(
        access.access.mode.writes
        and access.form is not None
        and not access.access.conditional
        and not access.access.atomic
        and access.access.texel is None
        and not _is_of_item(access.form, stride)
        for access in stage.accesses
    )


def _is_of_item(form: Form, stride: Id) -> bool:
    """Two items in an iteration of one number have different ones."""
    own: dict[Atom, Form] = {
        Id(kind, stride.dimension): Form() for kind in (GLOBAL_ID, LOCAL_ID, GROUP_ID)
    }
    return form.replace(own) != form


def _ended(form: Form, most: int) -> Proof | None:
    """What keeps the end of a loop so small."""
    proof: set[Assumed] = set()
    left = most - max(0, form.constant)
    more = [(monomial, factor) for monomial, factor in form.terms if monomial and factor > 0]
    for monomial, factor in form.terms:
        scalars = [atom for atom in monomial if isinstance(atom, Value)]
        proof |= {Floor(scalar, 0) for scalar in scalars if not is_unsigned(scalar.type)}
        if not monomial or factor < 0:
            continue
        room = left // (len(more) * factor)
        atom = monomial[0]
        if len(monomial) == 1 and isinstance(atom, Quotient):
            inner = _ended(atom.dividend, room)  # it is no more than that
            if inner is None:
                return None
            proof |= inner
        elif len(scalars) < len(monomial) or len(scalars) > 2:
            return None
        else:
            proof.add(Ceiling(scalars[0], room, *scalars[1:]))
    return frozenset(proof) if left >= 0 and all(_is_known(m) for m, _ in form.terms) else None


def _is_known(monomial: Monomial) -> bool:
    return all(isinstance(atom, (Value, Quotient)) for atom in monomial)
