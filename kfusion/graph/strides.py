"""Loops over the range that count without a sign: does an iteration come once?

`for (uint i = get_global_id(0); i < n; i += get_global_size(0))` starts again at 0 where `n` is
so large that a step leads beyond 2^32. Its item then does what other ones have done, and both
store to one element, or it never ends. Where all stores are under conditions that is not so
certain, and bounds have to be assumed.
"""

from __future__ import annotations

from kfusion.graph.bind import BoundAccess, Stage
from kfusion.graph.bounds import NOTHING, Assumable, Assumed, Ceiling, Floor, Limit, Proof
from kfusion.kernel.forms import (
    GLOBAL_ID,
    GROUP_ID,
    LOCAL_ID,
    Atom,
    Comparison,
    Form,
    Id,
    Value,
    form_of,
)
from kfusion.kernel.types import is_unsigned
from kfusion.source.protections import is_on, protection

STARTING_AGAIN = protection("starting-again", "a loop without sign may count from 0 again")

_MOST = (1 << 31) - 1  # a bound and a step of no more stay in 32 bits


def counts_once(access: BoundAccess, assumable: Assumable) -> Proof | None:
    """What must hold for the access's loop to have each number in one iteration only."""
    stage = access.stage
    stride, declared = stage.stride, stage.invocation.kernel.body.stride
    narrow = declared is not None and declared.type == "uint"
    if stride is None or not narrow or not is_on(STARTING_AGAIN):
        return NOTHING
    if not stage.invocation.range.offset and _would_race(stage, stride):
        return NOTHING
    limit = Limit(stride.dimension, _MOST)
    if not assumable.may(limit, implied=True):  # who launches more items than that?
        return None
    ends = (_end(guard, stride, assumable) for guard in stage.guards)
    end = next((proof for proof in ends if proof is not None), None)
    return end | {limit} if end is not None else None


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


def _end(guard: Comparison, stride: Id, assumable: Assumable) -> Proof | None:
    """Why the loop ends early enough, if the guard says so."""
    if guard.op not in ("<", "<=") or guard.left != form_of(stride):
        return None
    if guard.right.is_constant:
        return NOTHING if 0 <= guard.right.constant <= _MOST else None
    (monomial, factor), *more = guard.right.terms
    bound = monomial[0] if len(monomial) == 1 and factor == 1 and not more else None
    if not isinstance(bound, Value):
        return None
    wanted: list[Assumed] = [Ceiling(bound, _MOST)]
    wanted += [] if is_unsigned(bound.type) else [Floor(bound, 0)]
    return frozenset(wanted) if all(assumable.may(a, implied=False) for a in wanted) else None
