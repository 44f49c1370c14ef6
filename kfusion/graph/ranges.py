"""Launches over several ranges: what may be done in a range that covers all of them?

In: two stages. Out: what the ranges and the bounds of the stages must be, for the host to check.
A kernel that begins with `if (i >= n) return;` is often launched over `n` rounded up to whole
groups, by each library to other ones. Items beyond `n` do nothing, however many there are.
"""

from __future__ import annotations

from kfusion.graph.bind import Stage
from kfusion.graph.model import Bound, Covers, Oracle
from kfusion.kernel.forms import GLOBAL_ID, Form, Id, Value, form_of, number
from kfusion.kernel.items import asks_for_global_ids_only, may_divide_by_zero
from kfusion.source.protections import is_on, protection

BOUNDED = protection("bounded", "in a larger range each kernel stops where its own one does")

# Hosts multiply in 64 bits, and compare with a range, which has no more than 31. What is left of a
# product in 64 bits is left of it in 32 bits, too, if it is that small.
_MULTIPLIED = ("int", "uint")


def covering(p: Stage, q: Stage, oracle: Oracle) -> Covers | None:
    """None: the two need the same range."""
    a, b = p.invocation, q.invocation
    if a.range.key == b.range.key or a.range.dimensions != b.range.dimensions:
        return None
    bounds = [bounds_of(stage) for stage in (p, q)]
    if (is_on(BOUNDED) and not all(bounds)) or not all(map(asks_for_nothing_else, (p, q))):
        return None
    both = tuple(bound for each in bounds for bound in each)
    return Covers(a.index, b.index, both) if oracle.covers(a, b, both) else None


def bounds_of(stage: Stage) -> list[Bound]:
    """For each dimension the scalar that ids of working items are below; none: not for all."""
    found: dict[int, Bound] = {}
    for guard in stage.guards:
        for dimension in range(stage.invocation.range.dimensions):
            if guard.left != form_of(Id(GLOBAL_ID, dimension)) or guard.op not in ("<", "<="):
                continue
            least = int(guard.op == "<=")  # of 0, 1 less may be more than all ids
            scalars = _scalars(guard.right + number(least), stage)
            if scalars:
                (scalar, type_), *times = scalars
                bound = Bound(stage.invocation.index, dimension, scalar, type_, tuple(times), least)
                found.setdefault(dimension, bound)
    every = len(found) == stage.invocation.range.dimensions
    return [found[dimension] for dimension in sorted(found)] if every else []


def _scalars(form: Form, stage: Stage) -> list[tuple[str, str]]:
    """The scalar that a form is, with its type, or those that it is the product of."""
    [(atoms, factor), *others] = form.terms or [((), 0)]
    found = [
        (atom.key, atom.type)
        for atom in atoms
        if isinstance(atom, Value)
        and atom.compared
        and (len(atoms) == 1 or atom.type in _MULTIPLIED)
        and atom.name in stage.scalars
    ]
    plain = factor == 1 and not others and len(found) == len(atoms) <= 3
    return found if plain else []


def asks_for_nothing_else(stage: Stage) -> bool:
    """But for the global ids of its items."""
    kernel, range_ = stage.invocation.kernel, stage.invocation.range
    return (
        not range_.offset
        and kernel.local_ids is None
        and kernel.together is None
        and kernel.body.stride is None
        and asks_for_global_ids_only(kernel)
        and not may_divide_by_zero(kernel)
    )
